/**
 * Who runs the embedded PostgreSQL. It refuses root, so root lends it a user; everybody else runs it as themselves.
 */
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The owner of the data directory, and the way of running a program as that user; `undefined` means as ourselves. */
export type OsUser = { uid: number, gid: number, command: (program: string, args: string[]) => Launch }
type Launch = { command: string, args: string[], identity?: { uid: number, gid: number } }

async function userId(name: string): Promise<{ uid: number, gid: number }> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)))
  return { uid: uid ?? NaN, gid: gid ?? NaN }
}

async function postgresUser(): Promise<{ uid: number, gid: number }> {
  try {
    return await userId('postgres')
  } catch {
    try {
      await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'])
      return await userId('postgres')
    } catch (error) {
      throw new Error(
        'PostgreSQL does not run as root, and no user postgres could be created. '
          + 'Create one, start as an ordinary user, or set DATABASE_URL.',
        { cause: error },
      )
    }
  }
}

const asUser = (uid: number, gid: number) => (program: string, args: string[]): Launch => ({ command: program, args, identity: { uid, gid } })

/**
 * The user with one capability of root: entering and reading directories that are closed to it. `no_setuid_fixup` keeps
 * access(2), by which PostgreSQL looks at its own files first, from ignoring the capability.
 */
const withCapability = (uid: number, gid: number, capability: string) => (program: string, args: string[]): Launch => ({
  command: 'setpriv',
  args: [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    '--securebits=+no_setuid_fixup',
    '--',
    program,
    ...args,
  ],
})

/**
 * Finds the way in which the server can reach both its program and its data. A checkout below a directory that only root
 * may enter (`mktemp -d`, `/root`) is ordinary, and changing the modes of somebody's directories or copying the data
 * elsewhere is not ours to do; so each way is tried, the least powerful first.
 */
export async function osUser(program: string, dataDirectory: string, databaseDirectory: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  // data that an ordinary user made stays that user's
  const owner = await stat(databaseDirectory).catch(() => undefined)
  const { uid, gid } = owner !== undefined && owner.uid !== 0 ? owner : await postgresUser()
  const ways = [asUser(uid, gid), withCapability(uid, gid, 'dac_read_search'), withCapability(uid, gid, 'dac_override')]
  for (const way of ways) {
    const { command, args, identity } = way('/bin/sh', ['-c', 'cd "$2" && "$1" --version', 'probe', program, dataDirectory])
    try {
      await run(command, args, { cwd: '/', ...identity })
      return { uid, gid, command: way }
    } catch {
      continue
    }
  }
  throw new Error(
    `PostgreSQL does not run as root, and the user it runs as instead (${uid}) may not enter ${dataDirectory} `
      + `or run ${program}. Move the checkout to a directory open to others, start as an ordinary user, or set DATABASE_URL.`,
  )
}

/** A program as that user, or as ourselves. */
export const launch = (user: OsUser | undefined, program: string, args: string[]): Launch => user?.command(program, args) ?? { command: program, args }
