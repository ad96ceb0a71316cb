/**
 * Checks a deployment of compose.yaml before it starts: what the operator writes
 * (env-checks.ts), the address, and this machine. No I/O. Sentences never contain a value
 * that may be a secret.
 */
import { X509Certificate } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { configError } from '../../common/errors.ts'
import { readSettings } from '../../common/settings.ts'
import { settingsProblem } from '../../start/connection-limits.ts'
import {
  environmentOf,
  checkComposeVariables,
  checkNames,
  checkSecrets,
  checkSettings,
  type Line,
  readLines,
  type Secrets,
  settingProblems,
} from './env-checks.ts'

/** The facts that `infra/docker/check` collects. */
export type Facts = {
  /** The text of `.env`, and of the compose files that it names. */
  env: string
  composeFiles: string
  /** The output of `docker compose config --format json`. */
  config: Config
  secrets: Secrets
  /** The listening TCP sockets of the machine. */
  listening: { address: string, port: number }[]
  /**
   * The published ports and the subnets of all containers and networks, with their compose
   * projects.
   */
  containers: { project: string, name: string, ports: string }[]
  networks: { project: string, name: string, subnets: string[] }[]
  /** The major version and the limits of the running database. Undefined if none runs. */
  database: { major: number, max: number, reserved: number } | undefined
  /** The machine's memory in bytes; 0 if it is unknown. */
  memory: number
  /** Whether no public authority certifies the host. */
  isPrivate: boolean
  /** The certificate that Caddy uses now; empty if there is none. */
  certificate: string
}

type Service = {
  image?: string
  command?: string[] | null
  environment?: Record<string, string | null>
  ports?: { target: number, published?: string, host_ip?: string }[]
  mem_limit?: string
}
export type Config = {
  name: string
  services: Record<string, Service>
  networks?: Record<string, { name: string, ipam?: { config?: { subnet?: string }[] } }>
}

/** The verdict: a problem stops a service, or it serves wrongly. A doubt may be right elsewhere. */
export type Verdict = { problems: string[], doubts: string[] }

const MiB = 1024 * 1024

const isAddress = (host: string): boolean => ipaddr.isValid(host)

type Published = { setting: string, port: number, address: string }

const portSettings: Record<string, string> = {
  'caddy 443': 'HTTPS_PORT',
  'caddy 80': 'HTTP_PORT',
  'caddy 8080': 'PLAIN_PORT',
  'grafana 3000': 'GRAFANA_PORT',
}

const publishedOf = (config: Config): Published[] =>
  Object.entries(config.services).flatMap(([service, { ports = [] }]) =>
    ports.map(({ target, published = '', host_ip: address = '0.0.0.0' }) => ({
      setting: portSettings[`${service} ${target}`] ?? `the port ${target} of ${service}`,
      port: Number(published),
      address,
    }))
  )

function checkAddress(
  { config, certificate, isPrivate }: Facts,
  lines: Line[],
  now: number,
): Verdict {
  const value = (name: string) => lines.find((line) => line.name === name)?.value ?? ''
  const verdict: Verdict = { problems: [], doubts: [] }
  if (!URL.canParse(value('PUBLIC_URL'))) return verdict
  const { protocol, hostname: host, port, origin } = new URL(value('PUBLIC_URL'))
  const again = `run infra/docker/setup ${origin.replace(/^http:/, 'https:')}`
  if (protocol !== 'https:')
    verdict.problems.push(
      `PUBLIC_URL must begin with https, because browsers keep the session cookie only then: ${again}.`,
    )
  else if (value('PUBLIC_URL') !== origin)
    verdict.problems.push(
      `PUBLIC_URL must be ${origin}, without a slash at its end and in small letters: ${again}.`,
    )
  if (value('SITE_HOST') !== host)
    verdict.problems.push(`SITE_HOST must be the host of PUBLIC_URL: ${again}.`)
  const published = publishedOf(config)
  const https = published.find(({ setting }) => setting === 'HTTPS_PORT')
  const isOpen = https !== undefined && ['0.0.0.0', '::'].includes(https.address)
  if (https !== undefined && isOpen && https.port !== Number(port || 443)) {
    verdict.doubts.push(
      `PUBLIC_URL has the port ${
        port || 443
      }, and HTTPS_PORT is ${https.port}: make them the same, unless your router or proxy forwards one to the other.`,
    )
  }
  const tls = value('TLS') || 'auto'
  const isPublic = tls === 'auto' && host !== 'localhost' && !host.endsWith('.localhost') &&
    !isAddress(host) && !isPrivate
  if (isPublic && isOpen && !published.some((one) => one.port === 80 || one.port === 443)) {
    verdict.doubts.push(
      `An authority certifies ${host} only over the ports 80 and 443: publish them, forward them, or write TLS=internal into .env.`,
    )
  }
  if (certificate !== '') {
    const expires = new Date(new X509Certificate(certificate).validTo)
    if (isPublic && expires.getTime() - now < 14 * 86_400_000) {
      verdict.doubts.push(
        `The certificate of ${host} expires on ${
          expires.toISOString().slice(0, 10)
        } and was not renewed: docker compose logs caddy has the reason.`,
      )
    }
  }
  return verdict
}

function checkPorts({ config, listening, containers }: Facts): string[] {
  const all = ['0.0.0.0', '::']
  const overlaps = (one: string, other: string) =>
    one === other || all.includes(one) || all.includes(other)
  const published = publishedOf(config)
  const holders = containers.flatMap(({ project, name, ports }) =>
    [...ports.matchAll(/(\S+):(\d+)->/g)].map(([, address = '', port]) => ({
      project,
      name,
      address: address.replaceAll(/[[\]]/g, ''),
      port: Number(port),
    }))
  )
  return published.flatMap((one, index) => {
    const { setting, port, address } = one
    const twin = published.slice(0, index).find((other) =>
      other.port === port && overlaps(other.address, address)
    )
    if (twin !== undefined)
      return [`${setting} and ${twin.setting} are both ${port}: give each its own port.`]
    const holder = holders.find((other) => other.port === port && overlaps(other.address, address))
    if (holder?.project === config.name) return []
    if (
      holder === undefined &&
      !listening.some((socket) => socket.port === port && overlaps(socket.address, address))
    ) return []
    return [
      `${setting}: the port ${port} is taken by ${
        holder === undefined ? 'another program' : `the container ${holder.name}`
      }: stop that, or set ${setting} in .env to a free port.`,
    ]
  })
}

function checkSubnet({ config, networks }: Facts): string[] {
  const edge = config.networks?.['edge']
  const subnet = edge?.ipam?.config?.[0]?.subnet
  if (edge === undefined || subnet === undefined) return []
  const parse = (text: string) => ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : undefined
  const ours = parse(subnet)
  if (ours === undefined) return ['EDGE_SUBNET must be a range such as 10.229.69.0/24.']
  const taken = networks.find(({ project, name, subnets }) =>
    project !== config.name && name !== edge.name && subnets.some((text) => {
      const theirs = parse(text)
      if (theirs === undefined || theirs[0].kind() !== ours[0].kind()) return false
      const [wide, narrow] = theirs[1] < ours[1] ? [theirs, ours] : [ours, theirs]
      return narrow[0].match(wide[0], wide[1])
    })
  )
  return taken === undefined
    ? []
    : [
      `EDGE_SUBNET ${subnet} overlaps with Docker's network ${taken.name}: set another one in .env, such as EDGE_SUBNET=10.229.69.0/24.`,
    ]
}

/**
 * Checks what the migration would refuse after compose has stopped the services: too many
 * connections, and another major version.
 */
function checkDatabase({ config, database, secrets }: Facts): string[] {
  const { image = '', command } = config.services['db'] ?? {}
  const problems: string[] = []
  const major = Number(/(?:^|\/)postgres:(\d+)/.exec(image)?.[1] ?? 0)
  if (database !== undefined && major > 0 && major !== database.major) {
    problems.push(
      `POSTGRES_TAG: the database is of PostgreSQL ${database.major}, and version ${major} cannot read its files: write POSTGRES_TAG=${database.major} into .env, or move as in docs/operations.md, The next major version of PostgreSQL.`,
    )
  }
  const configured = /\bmax_connections=(\d+)/.exec(command?.join(' ') ?? '')?.[1]
  const limits = {
    max: Number(configured ?? database?.max ?? 100),
    reserved: database?.reserved ?? 3,
  }
  const tooMany = settingProblems(
    environmentOf(config.services['migrate'], secrets),
    (variables) => {
      const problem = settingsProblem(readSettings(variables), limits)
      if (problem?.isFatal === true) throw configError(problem.text)
    },
  )
  return [...problems, ...tooMany]
}

const memorySettings: Record<string, string> = {
  db: 'DB_MEMORY',
  auth: 'AUTH_MEMORY',
  edge: 'EDGE_MEMORY',
  realtime: 'REALTIME_MEMORY',
  postgrest: 'POSTGREST_MEMORY',
}

/** Docker refuses a container with less than 6 MiB. */
function checkUnits({ config }: Facts): string[] {
  return Object.entries(memorySettings).flatMap(([service, name]) => {
    const bytes = Number(config.services[service]?.mem_limit ?? 0)
    return bytes > 0 && bytes < 6 * MiB
      ? [`${name} is ${bytes} bytes: write a unit, such as ${name}=512m.`]
      : []
  })
}

function checkMemory({ config, memory }: Facts, lines: Line[]): string[] {
  const limit = (name: string) => Number(config.services[name]?.mem_limit ?? 0) / MiB
  const number = (name: string, fallback: number) =>
    Number(lines.find((line) => line.name === name)?.value || fallback)
  const doubts: string[] = []
  const hasRealtime = number('REALTIME_REPLICAS', 0) > 0
  const serving = ['db', 'auth', ...(hasRealtime ? ['realtime'] : []), 'edge', 'caddy']
  const needed = serving.reduce((sum, name) => sum + limit(name), 0)
  if (memory > 0 && memory / MiB < needed) {
    doubts.push(
      `This machine has ${Math.floor(memory / MiB)} MiB of memory, and ${
        serving.slice(0, -1).join(', ')
      } and caddy may use ${needed} MiB: write PGRST_DB_POOL=6 and DB_MEMORY=1280m into .env, or add memory.`,
    )
  }
  const database = 512 +
    number('DB_BACKEND_MEMORY', 128) * number('PGRST_DB_POOL', 12) * number('POSTGREST_REPLICAS', 1)
  if (limit('db') >= 6 && limit('db') < database) {
    doubts.push(
      `DB_MEMORY is ${
        limit('db')
      } MiB, and large queries of all connections at once need ${database} MiB: raise it, or lower PGRST_DB_POOL.`,
    )
  }
  for (const name of hasRealtime ? ['auth', 'realtime'] : ['auth']) {
    // outside its heap the process needs about 75 MiB, and 32 MiB for each of three passwords
    const process = number(`${name.toUpperCase()}_HEAP`, 192) + 171
    if (limit(name) > 0 && limit(name) < process) {
      doubts.push(
        `${name.toUpperCase()}_MEMORY is ${
          limit(name)
        } MiB, and each process of ${name} needs ${process} MiB with this ${name.toUpperCase()}_HEAP: raise it.`,
      )
    }
  }
  return doubts
}

/** Checks all facts. @param now milliseconds since the epoch */
export function checkDeployment(facts: Facts, now: number): Verdict {
  const { lines, problems } = readLines(facts.env)
  const address = checkAddress(facts, lines, now)
  return {
    problems: [
      ...new Set([
        ...problems,
        ...checkNames(lines, facts.composeFiles),
        ...checkSettings(facts.config.services, facts.secrets),
        ...checkComposeVariables(lines),
        ...checkSecrets(facts.secrets),
        ...address.problems,
        ...checkPorts(facts),
        ...checkSubnet(facts),
        ...checkDatabase(facts),
        ...checkUnits(facts),
      ]),
    ],
    doubts: [...address.doubts, ...checkMemory(facts, lines)],
  }
}
