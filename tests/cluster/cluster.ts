/**
 * Starts three PostgreSQL servers under Patroni, with one etcd, an HAProxy whose one address leads
 * to the primary, and a repository of pgBackRest. The configuration is that of docs/cluster.md.
 * Each server reaches the others and etcd only through links that a test can cut, while clients
 * still reach it. It needs the packages patroni, python3-etcd, etcd-server, haproxy, pgbackrest and
 * postgresql-15 of Debian.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../start/ports.ts'
import { descendants } from '../start/support.ts'
import { commandsOf, fencesOf } from '../support/doc-commands.ts'
import { isUp, until } from '../support/service-process.ts'

/** A connection between two programs that a test can cut. */
type Link = AsyncDisposable & {
  port: number
  /** Drops all packets, as a failed network does: nothing is refused and nothing is closed. */
  cut: () => void
  heal: () => void
}

/** Opens a link to a port of this machine. */
async function openLink(target: number): Promise<Link> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1')
    for (const [from, to] of [[incoming, outgoing], [outgoing, incoming]] as const) {
      sockets.add(from)
      from.on('data', (chunk) => isCut || to.write(chunk))
      from.on('end', () => isCut || to.end())
      from.on('error', () => isCut || to.destroy())
      from.on('close', () => sockets.delete(from))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = () => sockets.forEach((socket) => socket.destroy())
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true
    },
    heal: () => {
      end()
      isCut = false
    },
    [Symbol.asyncDispose]: async () => {
      end()
      await server[Symbol.asyncDispose]()
    },
  }
}

export type Node = {
  name: string
  /** The port of Patroni's probes. */
  api: number
  /** Runs a shell command as the user of PostgreSQL. @returns its output */
  run: (command: string) => Promise<string>
  /** Kills Patroni, PostgreSQL and all processes of PostgreSQL at the same moment. */
  kill: () => Promise<void>
  /** Starts Patroni again on the same data. */
  start: () => Promise<void>
  /** Stops all processes of the node without ending them. */
  hang: () => void
  continue: () => void
  /** Cuts the links to etcd and to the other nodes. Clients still reach the node. */
  cut: () => void
  heal: () => void
  /** The role that Patroni reports, such as `primary` or `replica`, or undefined. */
  role: () => Promise<string | undefined>
}

export type Cluster = AsyncDisposable & {
  /** The folder of all data, with the repository of the backups. */
  directory: string
  nodes: Node[]
  /** The superuser's URL at the address that leads to the primary. */
  url: string
  primary: () => Promise<Node>
  /** The standby that confirms each commit. */
  synchronousStandby: () => Promise<Node>
  /** Makes the synchronous standby the primary. */
  switchOver: () => Promise<void>
  /** Resolves when there is one primary, and two standbys stream from it. */
  isWhole: () => Promise<boolean>
}

const programs = '/usr/lib/postgresql/15/bin'
const password = 'superuser-of-the-cluster'

/** Returns a command as a user who may run PostgreSQL, which refuses to run as root. */
const asPostgres = (command: string, args: string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['runuser', ['-u', 'postgres', '--', command, ...args]]
    : [command, args]

/** Returns the only code block of a language of docs/cluster.md. */
function blockOf(language: string): string {
  const [block, ...others] = fencesOf('docs/cluster.md').filter(({ info }) => info === language)
  if (block === undefined || others.length > 0)
    throw new Error(`docs/cluster.md has not one block of ${language}`)
  return block.content
}

/** Returns the only command of docs/cluster.md that begins with a text. */
export function commandOf(start: string): string {
  const [command, ...others] = commandsOf('docs/cluster.md').filter(({ text }) =>
    text.startsWith(start)
  )
  if (command === undefined || others.length > 0)
    throw new Error(`docs/cluster.md has not one command ${start}`)
  return command.text
}

/** The passphrase of the repository, which an operator keeps outside of the page's file. */
const passphrase = 'passphrase of the repository'

/**
 * The variables that lead pgBackRest and psql to a server of this machine. They replace what the
 * page's file of pgBackRest says about folders.
 * @param directory the folder of the cluster
 * @param name the folder of the server in it
 */
export const serverEnv = (directory: string, name: string, port: number) => ({
  PGBACKREST_CONFIG: join(directory, 'pgbackrest.conf'),
  PGBACKREST_REPO1_PATH: join(directory, 'repository'),
  PGBACKREST_REPO1_CIPHER_PASS: passphrase,
  PGBACKREST_LOG_LEVEL_FILE: 'off',
  PGBACKREST_LOCK_PATH: join(directory, `${name}.lock`),
  PGBACKREST_PG1_PATH: join(directory, name),
  PGBACKREST_PG1_PORT: String(port),
  PGBACKREST_PG1_SOCKET_PATH: directory,
  PGBACKREST_PG1_USER: 'postgres',
  PGHOST: directory,
  PGPORT: String(port),
  PGUSER: 'postgres',
})

/** Runs a shell command as the user of PostgreSQL. @returns its output */
export async function runAsPostgres(
  command: string,
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  const { stdout } = await promisify(execFile)(...asPostgres('sh', ['-c', command]), {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
  })
  return stdout
}

/** Starts a program, whose output a failed start shows. */
function run(
  running: AsyncDisposableStack,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): ChildProcess & { output: () => string } {
  const child = spawn(command, args, {
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output = (output + data.toString()).slice(-20_000)
    })
  }
  const ended = once(child, 'exit')
  running.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await Promise.race([ended, sleep(10_000, undefined, { ref: false })])
    for (const pid of [child.pid ?? 0, ...descendants(child.pid ?? 0)]) signal(pid, 'SIGKILL')
  })
  return Object.assign(child, { output: () => output })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended
  }
}

/** Starts a node. @param etcd the port of etcd */
async function startNode(
  starting: AsyncDisposableStack,
  directory: string,
  name: string,
  etcd: number,
): Promise<Node & { port: number }> {
  // a node that starts again adds to it
  const running = starting.use(new AsyncDisposableStack())
  const [port, api] = [await freePort(), await freePort()]
  const [toEtcd, toServer, toApi] = [
    await openLink(etcd),
    await openLink(port),
    await openLink(api),
  ]
  const links = [toEtcd, toServer, toApi]
  for (const link of links) running.use(link)
  const users = Object.fromEntries(
    ['superuser', 'replication', 'rewind'].map((user) => [
      user,
      { username: user === 'superuser' ? 'postgres' : user, password },
    ]),
  )
  const data = join(directory, name)
  const file = join(directory, `${name}.yaml`)
  const env = serverEnv(directory, name, port)
  // JSON is YAML, and each value of it has one line
  await writeFile(
    file,
    `bootstrap:
  initdb: ${JSON.stringify([{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'])}
  dcs:
${blockOf('yaml').replaceAll(/^(?=.)/gm, '    ')}
${
      Object.entries({
        scope: 'finance',
        name,
        restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${toApi.port}` },
        // with use_proxies Patroni asks only this address, and not those that etcd names
        etcd3: { host: `127.0.0.1:${toEtcd.port}`, use_proxies: true },
        postgresql: {
          listen: `127.0.0.1:${port}`,
          connect_address: `127.0.0.1:${toServer.port}`,
          bin_dir: programs,
          data_dir: data,
          pgpass: join(directory, `${name}.pgpass`),
          authentication: users,
          pg_hba: ['local all all trust', 'host all,replication all 127.0.0.1/32 scram-sha-256'],
          parameters: { unix_socket_directories: directory },
        },
        log: { level: 'WARNING' },
      }).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join('')
    }`,
  )
  let child: ReturnType<typeof run>
  const start = async () => {
    child = run(running, ...asPostgres('patroni', [file]), { PYTHONWARNINGS: 'ignore', ...env })
    await until(
      `Patroni of ${name}`,
      () => isUp(`http://127.0.0.1:${api}/liveness`),
      child.output,
    )
  }
  /** The processes of Patroni, and those of PostgreSQL, which are not children of it. */
  const all = () => {
    const ofServer = join(data, 'postmaster.pid')
    const server = existsSync(ofServer) ? [Number.parseInt(readFileSync(ofServer, 'utf8'))] : []
    return [child.pid ?? 0, ...server].flatMap((pid) => [pid, ...descendants(pid)])
  }
  running.defer(() => all().forEach((pid) => signal(pid, 'SIGKILL')))
  await start()
  return {
    name,
    port,
    api,
    run: (command) => runAsPostgres(command, directory, env),
    start,
    kill: async () => {
      const ended = once(child, 'exit')
      for (const pid of all()) signal(pid, 'SIGKILL')
      await ended
    },
    hang: () => all().forEach((pid) => signal(pid, 'SIGSTOP')),
    continue: () => all().forEach((pid) => signal(pid, 'SIGCONT')),
    cut: () => links.forEach((link) => link.cut()),
    heal: () => links.forEach((link) => link.heal()),
    role: async () => {
      const response = await fetch(`http://127.0.0.1:${api}/patroni`, {
        signal: AbortSignal.timeout(1_000),
      }).catch(() => undefined)
      const state = await response?.json() as { role?: string, state?: string } | undefined
      return state?.state === 'running' ? state.role?.replace('master', 'primary') : undefined
    },
  }
}

/** Starts the cluster, and waits until it has a primary and two standbys. */
export async function startCluster(): Promise<Cluster> {
  await using starting = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'finance-cluster-'))
  starting.defer(() => rm(directory, { recursive: true, force: true }))
  await chmod(directory, 0o777)
  await mkdir(join(directory, 'etcd'))
  await writeFile(join(directory, 'pgbackrest.conf'), blockOf('ini'))
  const [etcd, peers, entrance] = [await freePort(), await freePort(), await freePort()]
  const store = run(starting, 'etcd', [
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${etcd}`,
    `--advertise-client-urls=http://127.0.0.1:${etcd}`,
    `--listen-peer-urls=http://127.0.0.1:${peers}`,
    `--initial-advertise-peer-urls=http://127.0.0.1:${peers}`,
    `--initial-cluster=default=http://127.0.0.1:${peers}`,
  ])
  await until('etcd', () => isUp(`http://127.0.0.1:${etcd}/health`), store.output)
  const nodes: Awaited<ReturnType<typeof startNode>>[] = []
  for (const name of ['one', 'two', 'three'])
    nodes.push(await startNode(starting, directory, name, etcd))
  const configuration = join(directory, 'haproxy.cfg')
  await writeFile(
    configuration,
    `defaults
  timeout connect 2s
${
      blockOf('text').replace(/bind \S+/, `bind 127.0.0.1:${entrance}`).replaceAll(
        /server (\w+) \S+ check port 8008/g,
        (_, server: string) => {
          const node = nodes.find(({ name }) => name === server)
          return `server ${server} 127.0.0.1:${node?.port} check port ${node?.api}`
        },
      )
    }`,
  )
  run(starting, 'haproxy', ['-db', '-f', configuration])
  const withRole = async (role: string) => {
    for (const node of nodes) if (await node.role() === role) return node
    throw new Error(`no node has the role ${role}`)
  }
  type Member = { name: string, role: string, state: string }
  /** The members as the first node that answers sees them. */
  const members = async (): Promise<Member[]> => {
    for (const { api } of nodes) {
      const found = await fetch(`http://127.0.0.1:${api}/cluster`, {
        signal: AbortSignal.timeout(1_000),
      }).then((response) => response.json() as Promise<{ members: Member[] }>, () => undefined)
      if (found !== undefined) return found.members
    }
    return []
  }
  const synchronousStandby = async () => {
    const found = (await members()).find(({ role }) => role === 'sync_standby')
    const node = nodes.find(({ name }) => name === found?.name)
    if (node === undefined) throw new Error('no standby is synchronous')
    return node
  }
  const isWhole = async () => {
    const running = (await members()).filter(({ state }) =>
      ['running', 'streaming'].includes(state)
    )
    return running.map(({ role }) => role).toSorted().join() === 'leader,replica,sync_standby'
  }
  await until('whole cluster', isWhole)
  await (await withRole('primary')).run(commandOf('pgbackrest --stanza=finance stanza-create'))
  const all = starting.move()
  return {
    directory,
    nodes,
    url: `postgresql://postgres:${password}@127.0.0.1:${entrance}/postgres`,
    primary: () => withRole('primary'),
    synchronousStandby,
    switchOver: async () => {
      const [from, to] = [await withRole('primary'), await synchronousStandby()]
      const response = await fetch(`http://127.0.0.1:${from.api}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from.name, candidate: to.name }),
      })
      if (!response.ok) throw new Error(await response.text())
    },
    isWhole,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
