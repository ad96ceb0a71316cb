/**
 * The operating system user of the embedded PostgreSQL. PostgreSQL refuses to run as root, so root
 * starts it as another user.
 */
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The owner of the data directory, and a function that builds a command to run as that user.
 * Undefined means the current user.
 */
export type OsUser = {
  uid: number
  gid: number
  command: (program: string, args: string[]) => Launch
}
type Launch = { command: string, args: string[], identity?: { uid: number, gid: number } }

async function userId(name: string): Promise<{ uid: number, gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
  )
  return { uid: uid ?? NaN, gid: gid ?? NaN }
}

async function postgresUser(): Promise<{ uid: number, gid: number }> {
  try {
    return await userId('postgres')
  } catch {
    try {
      await run('useradd', [
        '--system',
        '--user-group',
        '--no-create-home',
        '--shell',
        '/usr/sbin/nologin',
        'postgres',
      ])
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

const asUser = (uid: number, gid: number) => (program: string, args: string[]): Launch => ({
  command: program,
  args,
  identity: { uid, gid },
})

/**
 * Runs as the user with one capability of root, to enter directories that are closed to the user.
 * PostgreSQL checks its files with access(2), which would ignore the capability without
 * `no_setuid_fixup`.
 */
const withCapability =
  (uid: number, gid: number, capability: string) => (program: string, args: string[]): Launch => ({
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
 * Finds a user that can reach both the program and the data. A checkout below a directory that only
 * root may enter (`mktemp -d`, `/root`) is common. This program must not change the modes of such
 * directories or move the data. It therefore first tries the user without capabilities, and then
 * with them, the least powerful first.
 */
export async function osUser(
  program: string,
  dataDirectory: string,
  databaseDirectory: string,
): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  // existing data stays with the user who owns it
  const owner = await stat(databaseDirectory).catch(() => undefined)
  const { uid, gid } = owner !== undefined && owner.uid !== 0 ? owner : await postgresUser()
  const launchers = [
    asUser(uid, gid),
    withCapability(uid, gid, 'dac_read_search'),
    withCapability(uid, gid, 'dac_override'),
  ]
  for (const launcher of launchers) {
    const { command, args, identity } = launcher('/bin/sh', [
      '-c',
      'cd "$2" && "$1" --version',
      'probe',
      program,
      dataDirectory,
    ])
    try {
      await run(command, args, { cwd: '/', ...identity })
      return { uid, gid, command: launcher }
    } catch {
      continue
    }
  }
  throw new Error(
    `PostgreSQL does not run as root, and the user it runs as instead (${uid}) may not enter ${dataDirectory} `
      + `or run ${program}. Move the checkout to a directory open to others, start as an ordinary user, or set DATABASE_URL.`,
  )
}

/** Returns the command that runs a program as that user, or as the current one. */
export const launch = (user: OsUser | undefined, program: string, args: string[]): Launch =>
  user?.command(program, args) ?? { command: program, args }
