/**
 * The environment, read in one place. Every variable of the run contract is named, typed and explained here, for all programs
 * of the repository. The environment comes in, settings or one sentence come out. A sentence names the variable and never
 * repeats its value, because the value may be a secret. The only I/O is that of secret-files.ts.
 */
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { configError } from './errors.ts'
import { readSecretFiles } from './secret-files.ts'

const port = (fallback: number) =>
  z.coerce.number('must be a port number').int('must be a port number').min(1, 'must be from 1 to 65535')
    .max(65535, 'must be from 1 to 65535').default(fallback)

const isOrigin = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return /^https?:$/.test(url.protocol) && url.origin === value && url.username === ''
}
const withoutSlash = (value: string) => value.trim().replace(/\/$/, '')
const notAnOrigin = 'must be an origin such as https://money.example.org, without a path'
const origin = z.string().transform(withoutSlash).refine(isOrigin, notAnOrigin)
const namedOrigin = z.string().transform(withoutSlash)
  // one forgotten subdomain would be trusted too
  .refine((value) => !value.includes('*'), 'must name each origin in full, such as https://app.example.org, because a * stands for nothing here')
  .refine(isOrigin, notAnOrigin)

const isPageUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '') && !/[?#]$/.test(value)
}
const appUrl = z.string().transform(withoutSlash)
  .refine(isPageUrl, 'must be the address of an app such as https://app.example.org, without a query')

const list = z.string().transform((value) => value.split(',').map((item) => item.trim()).filter((item) => item !== ''))

const urlOf = (protocols: RegExp, example: string) =>
  z.string().refine((value) => URL.canParse(value) && protocols.test(new URL(value).protocol), `must be a URL such as ${example}`)

const isDecodable = (value: string): boolean => {
  try {
    decodeURIComponent(value)
    return true
  } catch {
    return false
  }
}
/** The values of `sslmode` that PostgREST and the auth service both take. `no-verify` is PostgREST's `require`. */
const sslModes = ['disable', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full']
const postgresUrl = urlOf(/^postgres(ql)?:$/, 'postgresql://user:password@host:5432/name')
  .refine(isDecodable, 'has a % that begins no escape: write it as %25')
  .refine(
    (value) => !URL.canParse(value) || sslModes.includes(new URL(value).searchParams.get('sslmode') ?? 'prefer'),
    `has an unknown sslmode: it must be one of ${sslModes.join(', ')}`,
  )

/** The form of a file with the password of `authenticator`, for messages. */
export const authenticatorForm =
  'postgresql://authenticator:<password>@, with other characters of the password than letters and digits percent-encoded, such as %40 for @'

/** Returns the password of PostgREST's connection URL; any other text is the password itself. */
function authenticatorPassword(value: string, context: z.RefinementCtx): string {
  if (!/^postgres(?:ql)?:/.test(value)) return value
  // only the characters of a URI, or PostgREST would not take it for one
  const inUrl = /^postgres(?:ql)?:\/\/authenticator:([\w.~!$&'()*+,;=:%-]*)@[^@\s]*$/.exec(value)?.[1]
  if (inUrl !== undefined && isDecodable(inUrl)) return decodeURIComponent(inUrl)
  context.addIssue({ code: 'custom', message: inUrl === undefined ? `must be ${authenticatorForm}` : 'has a % that begins no escape: write it as %25' })
  return z.NEVER
}

/** A range of addresses as ipaddr.js has it: the network and its prefix length in bits. */
export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>
const addressRange = z.string().transform((value, context): AddressRange => {
  try {
    return value.includes('/') ? ipaddr.parseCIDR(value) : [ipaddr.parse(value), ipaddr.parse(value).kind() === 'ipv4' ? 32 : 128]
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a comma list of CIDR ranges such as 10.0.0.0/8' })
    return z.NEVER
  }
})

/** How many processes of a service there are: the fewest and the most that somebody lets there be. */
export type Replicas = { fewest: number, most: number }
const replicas = z.string().regex(/^[1-9]\d{0,3}(-[1-9]\d{0,3})?$/, 'must be a number such as 2, or the fewest and the most such as 2-6')
  .transform((value): Replicas => {
    const [fewest = 1, most = fewest] = value.split('-').map(Number)
    return { fewest, most: Math.max(fewest, most) }
  })

/** A list of upstreams, by comma or space: `http://host:port`, or `host:port`. */
const upstreams = z.string().transform((value) =>
  value.split(/[\s,]+/).filter((item) => item !== '').map((item) => (item.includes('://') ? item : `http://${item}`))
)
  .refine(
    (urls) => urls.every((url) => /^http:\/\/([\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(url) && URL.canParse(url)),
    'must be a list of addresses such as http://postgrest:3000, each with its port and without a path',
  )

const bool = (fallback: boolean) =>
  z.enum(['true', 'false'], 'must be true or false').default(fallback ? 'true' : 'false').transform((value) => value === 'true')

const environment = z.object({
  /** `production` turns missing secrets and a missing mail transport into errors. */
  NODE_ENV: z.string().optional(),
  /** base_url: what people type; the JWT's `aud` and `iss`, and the start of every mailed link. */
  PUBLIC_URL: origin.optional(),
  /**
   * Where people's links lead: the app's address, whose own paths come after it, and which has no slash at the end. Its origin
   * is a trusted one.
   */
  APP_URL: appUrl.optional(),
  /** The address both surfaces listen on; containers say 0.0.0.0. */
  HOST: z.union([z.ipv4(), z.ipv6()], 'must be an address such as 127.0.0.1').default('127.0.0.1'),
  /** The auth surface's port. */
  PORT: port(3000),
  /** The data surface's port. */
  DATA_PORT: port(3001),
  /** data_url as clients see it: what `/`, the start message and PostgREST's own description name. */
  DATA_URL: urlOf(/^https?:$/, 'https://money.example.org/data').transform(withoutSlash).optional(),
  /** The largest body the edge lets through to the data surface, in bytes; a smaller one than 64 KiB would be refused from nobody. */
  DATA_BODY_LIMIT: z.coerce.number('must be a number of bytes').int('must be a number of bytes').min(65_536, 'must be from 65536 to 16777216')
    .max(16_777_216, 'must be from 65536 to 16777216').default(2_097_152),
  /** Auth services behind an edge that is a process of its own. A host name stands for all of its addresses. */
  AUTH_UPSTREAM: upstreams.optional(),
  /** PostgREST processes behind such an edge. */
  POSTGREST_UPSTREAM: upstreams.optional(),
  /** The port at which each PostgREST says that it is ready (PGRST_ADMIN_SERVER_PORT). */
  POSTGREST_READY_PORT: port(3001),
  /** PostgREST processes on hot standbys, which answer reads; and the port at which each says that it is ready. */
  DATA_REPLICAS: upstreams.optional(),
  DATA_REPLICAS_READY_PORT: port(3001),
  /** The port of such an edge for probes and Prometheus. */
  EDGE_ADMIN_PORT: port(9180),
  /** The owner's connection: migrations and the operator's command. Unset: the embedded server. */
  DATABASE_URL: postgresUrl.optional(),
  /** The auth service's least-privilege connection; its user is the role `auth_service`. */
  AUTH_DATABASE_URL: postgresUrl.refine((value) => new URL(value).username === 'auth_service', 'must connect as the user auth_service').optional(),
  /** The password of `auth_service`, where AUTH_DATABASE_URL has none. */
  AUTH_SERVICE_PASSWORD: z.string().optional(),
  /**
   * The password of `authenticator`, PostgREST's login. A URL `postgresql://authenticator:password@` is accepted too, because
   * PostgREST reads its password from a file only as part of a URL: both then read the same file.
   */
  AUTHENTICATOR_PASSWORD: z.string().transform(authenticatorPassword).pipe(z.string().min(8, 'must have at least 8 characters')).optional(),
  /** The owner's password. It completes DATABASE_URL, and the migration of a container sets it. */
  OWNER_PASSWORD: z.string().optional(),
  /** PostgREST's pool; the database gives each person a share of it. */
  PGRST_DB_POOL: z.coerce.number('must be a number of connections').int('must be a number of connections').min(1, 'must be at least 1').max(
    10_000,
    'must be at most 10000',
  ).default(12),
  /** How many auth services and PostgREST processes share the database, so that the migration can add up their connections. */
  AUTH_REPLICAS: replicas.optional(),
  POSTGREST_REPLICAS: replicas.optional(),
  /** A PostgREST of this machine, for `npm start`; unset it looks for one. */
  POSTGREST_BIN: z.string().optional(),
  /** Which version of PostgREST's container is run. */
  POSTGREST_TAG: z.string().regex(/^[\w.-]+$/, 'must be a tag such as v16.5').default('v16.5'),
  /** Where the embedded server keeps its data and `npm start` its generated secrets. */
  DATA_DIR: z.string().min(1, 'must be a directory').default('.data'),
  /** Signs cookies and encrypts private keys at rest. */
  BETTER_AUTH_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  /** Origins of single-page apps that may call with credentials and be redirected to. */
  TRUSTED_ORIGINS: list.pipe(z.array(namedOrigin)).default([]),
  /** Proxies whose X-Forwarded-For is believed. */
  TRUSTED_PROXIES: list.pipe(z.array(addressRange)).default([]),
  /** Share the session cookie with the subdomains of this domain. */
  COOKIE_DOMAIN: z.string().regex(/^\.?([a-z0-9-]+\.)+[a-z]{2,}$/i, 'must be a domain such as example.org').optional(),
  /** `none` where the app is on another site than we are: the session cookie is then sent from there, and kept apart for it. */
  COOKIE_SAME_SITE: z.enum(['lax', 'none'], 'must be lax or none').default('lax'),
  /** A built single-page app that the edge serves: the folder with its index.html; `none` for none, not the reference app either. */
  APP_DIR: z.string().optional(),
  /** The Content-Security-Policy of the app's documents. */
  APP_CSP: z.string().regex(/^[\x20-\x7e]*$/, 'must be one line of plain text').refine((value) => !/["`{}\\]/.test(value), 'must hold no ", `, \\, { or }')
    .default("frame-ancestors 'none'"),
  /** The sender of every mail. */
  MAIL_FROM: z.string().regex(/^[^\r\n]*@[^\r\n]*$/, 'must be an address such as Money <money@example.org>').optional(),
  RESEND_API_KEY: z.string().regex(/^[\x21-\x7e]+$/, 'must be one word').optional(),
  RESEND_BASE_URL: urlOf(/^https?:$/, 'https://api.resend.com').optional(),
  SMTP_URL: urlOf(/^smtps?:$/, 'smtp://user:password@host:587, with special characters of the user and the password percent-encoded (# as %23)').optional(),
  /** A signing key is replaced after so many days; 0 leaves it to the operator's `keys rotate`. */
  KEY_ROTATION_DAYS: z.coerce.number('must be a number of days').min(0, 'must be a number of days').max(3_650, 'must be a number of days').default(90),
  /** Who changed what is forgotten after so many days, and can be taken back until then. */
  ACTIVITY_DAYS: z.coerce.number('must be a number of days').int('must be a number of days').min(1, 'must be from 1 to 36500').max(
    36_500,
    'must be from 1 to 36500',
  )
    .default(400),
  /** What happened in accounts and to who belongs to organizations is forgotten after so many days. */
  EVENTS_DAYS: z.coerce.number('must be a number of days').int('must be a number of days').min(1, 'must be from 1 to 36500').max(
    36_500,
    'must be from 1 to 36500',
  )
    .default(365),
  /** Only load tests have a reason to say false. */
  RATE_LIMIT_ENABLED: bool(true),
  /** A product everybody has; a self-hoster may set `teams`. */
  DEFAULT_PRODUCT: z.string().regex(/^[a-z][a-z0-9_-]*$/, 'must be the id of a product').optional(),
  /** Who may make an account: anybody, whom an invitation waits for, or nobody. */
  SIGN_UP: z.enum(['open', 'invitation', 'closed'], 'must be open, invitation or closed').default('open'),
  /** The domains whose addresses may have an account; of any without it. A subdomain is another domain. */
  SIGN_UP_DOMAINS: list.pipe(z.array(z.string().toLowerCase().regex(/^([a-z0-9-]+\.)+[a-z0-9-]{2,}$/, 'must be a comma list of domains such as example.org')))
    .default([]),
  /** The provider of single sign-on, by OpenID Connect; exactly as it names itself. */
  OIDC_ISSUER: z.string().refine(isPageUrl, 'must be an address such as https://login.example.org, without a query').optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  /** What people call it; its host unless told. */
  OIDC_NAME: z.string().max(60, 'must have at most 60 characters').optional(),
  /** Whether who has no account is given one by it, within SIGN_UP and SIGN_UP_DOMAINS. */
  OIDC_SIGN_UP: bool(true),
  /** How the operator's command is called here, for messages that name it; each way of running says its own. */
  ADMIN_COMMAND: z.string().default('npm run admin --'),
  /** How the database is migrated here, for messages that name it. */
  MIGRATE_COMMAND: z.string().default('npm run migrate'),
  /** Where traces are sent; nothing is traced without it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(/^https?:$/, 'http://collector:4318').optional(),
  /** What the collector asks of those who send, a key for one. */
  OTEL_EXPORTER_OTLP_HEADERS: z.string().refine(
    (value) => isDecodable(value) && /^[^=,\s]+=[^,\r\n]*(,[^=,\s]+=[^,\r\n]*)*$/.test(value),
    'must be a list such as name=value,name=value',
  )
    .optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'must be trace, debug, info, warn, error, fatal or silent')
    .default('info'),
})

/** Every variable of the run contract, parsed; what is absent and has no default is undefined. */
export type Settings = z.output<typeof environment> & {
  PUBLIC_URL: string
  APP_URL: string
  DATA_URL: string
  /** Whether somebody said that there is an app, at APP_URL; it may be the origin itself. */
  hasApp: boolean
  /** Whether nobody said where the app is, nor that there is to be none. */
  wantsReferenceApp: boolean
}

/** A browser drops a cookie that does not fit the address it comes from, and says so to nobody. @throws ConfigError */
function checkCookie({ COOKIE_DOMAIN: domain, COOKIE_SAME_SITE: sameSite }: z.output<typeof environment>, { protocol, hostname }: URL): void {
  if (domain !== undefined && !`.${hostname}`.endsWith(`.${domain.replace(/^\./, '').toLowerCase()}`)) {
    throw configError('COOKIE_DOMAIN must be the host of PUBLIC_URL or a domain above it, or browsers drop the session cookie.')
  }
  if (sameSite === 'none' && protocol !== 'https:') {
    throw configError('COOKIE_SAME_SITE may be none only where PUBLIC_URL begins with https, or browsers drop the session cookie.')
  }
}

/** Returns the connection URL with another password, escaped as a URL needs it. */
export function withPassword(databaseUrl: string, password: string): string {
  const url = new URL(databaseUrl)
  // encoded here, because URL leaves a percent sign as it is
  url.password = encodeURIComponent(password)
  return url.href
}

/** Returns the auth service's connection with its password. @throws ConfigError if there are two passwords */
function authConnection({ AUTH_DATABASE_URL: url, AUTH_SERVICE_PASSWORD: password }: z.output<typeof environment>): string | undefined {
  if (url === undefined || password === undefined) return url
  if (new URL(url).password !== '') throw configError('AUTH_SERVICE_PASSWORD is set and AUTH_DATABASE_URL has a password too: remove one of them.')
  return withPassword(url, password)
}

/** Returns the owner's connection with its password. One in the URL goes first, because the other may be the next. */
function ownerConnection({ DATABASE_URL: url, OWNER_PASSWORD: password }: z.output<typeof environment>): string | undefined {
  return url === undefined || password === undefined || new URL(url).password !== '' ? url : withPassword(url, password)
}

/**
 * Reads the environment. An empty value counts as absent, because compose files and CI systems pass unset variables so.
 * @throws ConfigError naming the first wrong variable.
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(Object.entries(readSecretFiles(env)).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = environment.safeParse(given)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw configError(`${String(issue?.path[0])} ${issue?.message ?? 'is wrong'}.`)
  }
  const settings = parsed.data
  if (settings.PORT === settings.DATA_PORT) throw configError('DATA_PORT must differ from PORT.')
  const publicUrl = settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`
  checkCookie(settings, new URL(publicUrl))
  const appDirectory = settings.APP_DIR === 'none' ? undefined : settings.APP_DIR
  return {
    ...settings,
    DATABASE_URL: ownerConnection(settings),
    AUTH_DATABASE_URL: authConnection(settings),
    PUBLIC_URL: publicUrl,
    APP_URL: settings.APP_URL ?? publicUrl,
    APP_DIR: appDirectory,
    hasApp: settings.APP_URL !== undefined || appDirectory !== undefined,
    wantsReferenceApp: settings.APP_URL === undefined && settings.APP_DIR === undefined,
    DATA_URL: settings.DATA_URL ?? `http://localhost:${settings.DATA_PORT}`,
  }
}

/** The value of a variable that this process cannot start without. @throws ConfigError naming it. */
export function need<Name extends keyof Settings>(settings: Settings, name: Name): NonNullable<Settings[Name]> {
  const value = settings[name]
  if (value === undefined) throw configError(`${name} must be set.`)
  return value
}
