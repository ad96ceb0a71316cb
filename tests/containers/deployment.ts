/** A deployment as a self-hoster makes it: a folder, `infra/docker/setup`, `docker compose`. */
import { execFile, type ExecFileOptions } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rootCertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { freePort } from '../../start/ports.ts'
import { onTestFinished } from 'vitest'
import { imageSources } from '../support/rooms.ts'
import { person, type Person } from '../support/person.ts'
import { postgrestTag } from '../support/postgrest-tag.ts'
import { addressOf, fileOf, healthOf, logsOf } from './engine.ts'
import { nameImages } from './images.ts'

export const root = join(import.meta.dirname, '../..')
export const services = ['db', 'postgrest', 'auth', 'edge', 'caddy'] as const
export type Service = typeof services[number] | 'realtime'

/** Runs a program. @returns its output @throws with its error output */
export async function run(
  command: string,
  args: string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    maxBuffer: 64 * 1024 * 1024,
    ...options,
    encoding: 'utf8',
  })
  return stdout
}

/** The query of a backup for the checksums. */
export const checksumQuery = async (directory: string): Promise<string> =>
  (await Promise.all(
    ['catalogue.sql', 'rows.sql'].map((name) => readFile(join(directory, 'db', name), 'utf8')),
  )).join('')

/**
 * Leaves out the lines of tables that a restore changes, because it ends all sessions, and of jobs,
 * which run by the clock.
 */
export const exceptSessions = (sums: Iterable<string>): string[] =>
  [...sums].filter((line) =>
    !/^(?:rows|numbers)\|(?:auth\.(?:sessions|verifications|two_factor_tokens|events)|private\.(?:changes|jobs|tenants))\b/
      .test(line)
  )

/** Returns the lines that only one of two states of the database has, except the ones above. */
export const changesOf = (before: Map<string, string>, after: Map<string, string>): string[] => {
  const was = exceptSessions(before.values())
  const is = exceptSessions(after.values())
  return [
    ...was.filter((line) => !is.includes(line)),
    ...is.filter((line) => !was.includes(line)),
  ]
}

export type Deployment = {
  directory: string
  /** PUBLIC_URL */
  url: string
  /** The address that redirects to `url`. */
  httpUrl: string
  /** The address of the plain port. */
  plainUrl: string
  compose(...args: string[]): Promise<string>
  /** The address of clients on this machine. */
  gateway: string
  /** Runs `docker compose up -d --wait`. @returns its duration in milliseconds */
  up(...args: string[]): Promise<number>
  /** Runs a script in the deployment's folder, as pasted into a shell. @returns its output */
  shell(script: string): Promise<string>
  /** Runs a command of infra/docker. */
  command(name: string, ...args: string[]): Promise<string>
  /**
   * Returns `healthy`, `unhealthy` or `starting`, or an empty text for a service that does not run
   * or has no health check.
   */
  health(service: string): Promise<string>
  /** Returns the lines that the containers of some services have logged. */
  logs(...of: string[]): Promise<string[]>
  /**
   * Returns the address of a service in a network of the deployment, which this machine can reach.
   */
  address(service: string, network: string): Promise<string>
  /** Returns the result of a query as the owner, one line for each row. */
  sql(query: string): Promise<string[]>
  /** Runs a script in the database's container, or copies a file into it. */
  inDatabase(command: string[], input: string | Buffer): Promise<string>
  /**
   * Returns the notes of a backup: every definition, and the row count and hash of every table, by
   * kind and name.
   */
  sums(): Promise<Map<string, string>>
  /** Sets variables in `.env`, without quoting. */
  configure(variables: Record<string, string>): Promise<void>
  /** Writes files of `secrets/`. */
  keepSecret(secrets: Record<string, string>): Promise<void>
  /**
   * Kills the process of a service's first container, as a crash would. `docker kill` would count
   * as a requested stop.
   */
  crash(service: Service): Promise<void>
  /** Prepares a crash. @returns the function that kills the process at once */
  prepareCrash(service: Service): Promise<() => void>
  /** Returns the link of the newest mail to an address, from the log. */
  mailedLink(to: string): Promise<string>
  /** Creates a user with a browser. Mails are read from the log. */
  person(name: string, email?: string): Person
  remove(): Promise<void>
}

/**
 * Creates a deployment of the working tree, with the images of tests/containers/images.ts. No
 * service runs yet. With `size` it is on its own disk of that size. With `images: false` its first
 * start builds the images.
 */
export async function newDeployment(
  { size, images = true }: { size?: string, images?: boolean } = {},
): Promise<Deployment> {
  const directory = await mkdtemp(join(tmpdir(), 'finance-compose-'))
  if (size !== undefined)
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory])
  for (
    const path of [
      ...imageSources,
      'compose.yaml',
      'postgrest.conf',
      'infra/docker',
      'infra/monitoring',
    ]
  ) {
    await cp(join(root, path), join(directory, path), { recursive: true })
  }
  const [https, http, plain] = [await freePort(), await freePort(), await freePort()]
  const project = `finance-test-${https}`
  // A range that Docker does not use by default, because the networks could overlap. The two test
  // workers use different ranges too.
  const subnet = `10.230.${https % 128 * 2 + Number(process.env['VITEST_POOL_ID']) % 2}`
  const environment: Record<string, string | undefined> = {
    ...process.env,
    COMPOSE_PROJECT_NAME: project,
    HTTP_PORT: String(http),
    PLAIN_PORT: String(plain),
    POSTGREST_TAG: postgrestTag,
    // A separate project among others of this machine.
    EDGE_SUBNET: `${subnet}.0/24`,
  }
  const url = `https://localhost:${https}`
  const env = () => ({ cwd: directory, env: environment as NodeJS.ProcessEnv })
  const compose = (...args: string[]) => run('docker', ['compose', ...args], env())
  const sql = async (query: string) =>
    (await compose(
      'exec',
      '-T',
      'db',
      'psql',
      '-XqAt',
      '-U',
      'postgres',
      '-d',
      'finance',
      '-c',
      query,
    )).split('\n').filter((line) => line !== '')

  const deployment: Deployment = {
    directory,
    url,
    httpUrl: `http://127.0.0.1:${http}`,
    plainUrl: `http://127.0.0.1:${plain}`,
    gateway: `${subnet}.1`,
    compose,
    sql,
    up: async (...args) => {
      const started = Date.now()
      await compose('up', '-d', '--wait', ...args)
      const took = Date.now() - started
      // The first start creates the certificate's authority.
      setDefaultCACertificates([
        ...rootCertificates,
        await fileOf(project, 'caddy', '/data/caddy/pki/authorities/local/root.crt'),
      ])
      return took
    },
    shell: (script) => run('bash', ['-euc', script], env()),
    command: (name, ...args) => run(join(directory, 'infra/docker', name), args, env()),
    health: (service) => healthOf(project, service),
    logs: async (...of) =>
      (await Promise.all(of.map((service) => logsOf(project, service)))).flat(),
    address: (service, network) => addressOf(project, service, network),
    inDatabase: async (command, input) => {
      await writeFile(join(directory, 'input'), input)
      return run('bash', ['-c', 'docker compose exec -T db "$@" <input', 'bash', ...command], env())
    },
    sums: async () => {
      const lines = await deployment.inDatabase([
        'psql',
        '-XqAt',
        '-U',
        'postgres',
        '-d',
        'finance',
      ], await checksumQuery(directory))
      return new Map(
        lines.trim().split('\n').map((line) => [line.split('|', 2).join(' '), line] as const),
      )
    },
    configure: async (variables) => {
      const path = join(directory, '.env')
      const kept = (await readFile(path, 'utf8')).split('\n').filter((line) =>
        !((line.split('=')[0] ?? '') in variables)
      )
      await writeFile(
        path,
        [...kept, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`), ''].join(
          '\n',
        ),
      )
    },
    keepSecret: async (secrets) => {
      for (const [name, value] of Object.entries(secrets))
        await writeFile(join(directory, 'secrets', name), `${value}\n`, { mode: 0o644 })
    },
    crash: async (service) => (await deployment.prepareCrash(service))(),
    prepareCrash: async (service) => {
      const id = (await compose('ps', '-q', service)).split('\n', 1)[0] ?? ''
      const pid = Number(await run('docker', ['inspect', '-f', '{{.State.Pid}}', id]))
      // This folder would contain all of these tests.
      if (pid === 0) throw new Error(`${service} does not run`)
      return () => {
        process.kill(pid, 'SIGKILL')
      }
    },
    mailedLink: async (to) => {
      for (let attempt = 0; attempt < 50; attempt++) {
        const lines = (await deployment.logs('auth')).filter((line) =>
          line.includes(`Mail to ${to}: `)
        )
        const link = /https?:[^\s"]+/.exec(lines.at(-1) ?? '')?.[0]
        if (link !== undefined) return link
        await sleep(200)
      }
      throw new Error(`no mail to ${to} in the log`)
    },
    person: (name, email) => {
      const waitFor = async (to: string) => ({ text: await deployment.mailedLink(to) })
      // A user needs only the address and the mails of its stack.
      return person(
        { url, mail: { waitFor } } as unknown as Parameters<typeof person>[0],
        name,
        email,
      )
    },
    remove: async () => {
      await compose('--profile', '*', 'down', '--volumes', '--timeout', '1')
      // Includes the volumes of former databases after a recovery.
      await run('bash', [
        '-c',
        `docker volume ls -q --filter name='^${project}_' | xargs -r docker volume rm`,
      ])
      // Removes only the tags if tests/containers/images.ts has other tags for the images.
      await run('bash', [
        '-c',
        `docker image ls --format '{{.Repository}}:{{.Tag}}' '${project}-*' | xargs -r docker image rm -f`,
      ])
      if (size !== undefined) await run('umount', [directory])
      await rm(directory, { recursive: true, force: true })
    },
  }
  if (images) await nameImages(project)
  await deployment.command('setup', url)
  return deployment
}

/** Signs up a user, verifies the address and signs in. @returns a token */
export async function tokenOf(someone: Person): Promise<string> {
  await someone.signUp()
  await someone.verify()
  await someone.signIn()
  return someone.token()
}

/** Returns true if a server listens at the port. */
export const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port, timeout: 1000 })
    const end = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
  })

/**
 * The pause between two requests of a client. Without it the load would take the processor from the
 * upgrade that it watches.
 */
const pauseMs = 50

/** The counted requests of a load. */
export type Load = {
  requests: number
  failed: Record<string, number>
  failedReads: Record<string, number>
  acknowledged: string[]
}

/**
 * Runs writers and readers of both surfaces until stopped, or until the test ends. A write is
 * acknowledged by a 201. Any response other than a success counts as failed, by its kind, and so
 * does a broken connection. Failed reads are also counted separately.
 */
export function load(
  deployment: Deployment,
  token: string,
  cookie: string,
  writers = 4,
): () => Promise<Load> {
  const counted: Load = { requests: 0, failed: {}, failedReads: {}, acknowledged: [] }
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const ask = async (path: string, init: RequestInit): Promise<number | undefined> => {
    counted.requests++
    const outcome = await fetch(deployment.url + path, {
      ...init,
      signal: AbortSignal.timeout(40_000),
    })
      .then(async (response) => {
        const text = await response.text()
        // The error code shows the failing service and the cause.
        return response.ok
          ? response.status
          : `${response.status} ${/"(?:code|error)":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim()
      })
      // A connection may also end within a response.
      .catch((error: Error) => (error.cause as { code?: string } | undefined)?.code ?? error.name)
    if (typeof outcome === 'number') return outcome
    for (
      const failures of init.method === undefined
        ? [counted.failed, counted.failedReads]
        : [counted.failed]
    ) {
      failures[outcome] = (failures[outcome] ?? 0) + 1
    }
    // Pauses as a client does after an error.
    await sleep(50)
    return undefined
  }
  const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const write = async (writer: number) => {
    for (let number = 0; !stop.signal.aborted; number++) {
      const external_id = `${writer}-${Date.now()}-${number}`
      const body = JSON.stringify({ name: 'Under load', amount: -1, source: 'load', external_id })
      if (await ask('/data/transactions', { method: 'POST', headers: bearer, body }) === 201)
        counted.acknowledged.push(external_id)
      await sleep(pauseMs)
    }
  }
  const read = async (path: string, headers: Record<string, string>) => {
    while (!stop.signal.aborted) {
      await ask(path, { headers })
      await sleep(pauseMs)
    }
  }
  const all = [
    ...Array.from({ length: writers }, (_, writer) => write(writer)),
    read('/data/transactions?select=id&limit=1', bearer),
    read('/api/auth/get-session', { cookie }),
  ]
  return async () => {
    stop.abort()
    await Promise.all(all)
    return counted
  }
}
