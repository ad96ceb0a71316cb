/**
 * The environment variables of all programs, with their types and descriptions. `NAME_FILE` is the
 * path of a file with the value of the secret `NAME`. An error is one sentence that names the
 * variable. It never contains the value, because the value may be a secret.
 */
import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { isAppOrigin } from './app-origins.ts'
import { configError } from './errors.ts'
import { floorOf } from './floors.ts'
import {
  completeLocation,
  locationForm,
  objectLocation,
  type ObjectLocation,
} from './object-location.ts'
import type { ObjectOptions } from './open-objects.ts'

/**
 * A number in digits. @param what such as `port number` @param range the message for a number
 * outside of the limits
 */
const wholeNumber = (
  what: string,
  min: number,
  max: number,
  range = `must be from ${min} to ${max}`,
) =>
  z.string().regex(/^\d{1,16}$/, `must be a ${what}`).transform(Number).pipe(
    z.number().min(min, range).max(max, range),
  )
const port = (fallback: number) => wholeNumber('port number', 1, 65_535).prefault(String(fallback))

const isOrigin = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return /^https?:$/.test(url.protocol) && url.origin === value && url.username === ''
}
const withoutSlash = (value: string) => value.trim().replace(/\/$/, '')
const notAnOrigin = 'must be an origin such as https://money.example.org, without a path'
const origin = z.string().transform(withoutSlash).refine(isOrigin, notAnOrigin)
const namedOrigin = z.string().transform(withoutSlash)
  // no wildcard, because it would also trust a subdomain that the operator no longer controls
  .refine(
    (value) => !value.includes('*'),
    'must name each origin in full, such as https://app.example.org, because a * stands for nothing here',
  )
  .refine(
    (value) => isOrigin(value) || isAppOrigin(value),
    `${notAnOrigin}, or one of a native app such as capacitor://localhost`,
  )

const isPageUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) &&
    [username, password, search, hash].every((part) => part === '') && !/[?#]$/.test(value)
}
const appUrl = z.string().transform(withoutSlash)
  .refine(
    isPageUrl,
    'must be the address of an app such as https://app.example.org, without a query',
  )

const list = z.string().transform((value) =>
  value.split(',').map((item) => item.trim()).filter((item) => item !== '')
)

const urlOf = (protocols: RegExp, example: string) =>
  z.string().refine(
    (value) => URL.canParse(value) && protocols.test(new URL(value).protocol),
    `must be a URL such as ${example}`,
  )

const isDecodable = (value: string): boolean => {
  try {
    decodeURIComponent(value)
    return true
  } catch {
    return false
  }
}
const encodedLogin =
  'special characters of the user and the password percent-encoded (# as %23, / as %2F, % as %25)'

/**
 * The values of `sslmode` that both PostgREST and the auth service accept. `no-verify` becomes
 * `require` for PostgREST.
 */
const sslModes = ['disable', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full']
const postgresUrl = urlOf(/^postgres(ql)?:$/, 'postgresql://user:password@host:5432/name')
  .refine(isDecodable, 'has a % that begins no escape: write it as %25')
  .refine(
    (value) =>
      !URL.canParse(value) ||
      sslModes.includes(new URL(value).searchParams.get('sslmode') ?? 'prefer'),
    `has an unknown sslmode: it must be one of ${sslModes.join(', ')}`,
  )

/** The format of the file with the password of `authenticator`, for messages. */
const authenticatorForm =
  'postgresql://authenticator:<password>@, with other characters of the password than letters and digits percent-encoded, such as %40 for @'

/**
 * Refuses a file that PostgREST cannot use. PostgREST would exit and log the content of the file,
 * which is a secret. @throws ConfigError
 */
export function checkAuthenticatorFile(content: string): void {
  if (!/^postgres(?:ql)?:/.test(content))
    throw configError(`The file of AUTHENTICATOR_PASSWORD must hold ${authenticatorForm}.`)
}

/**
 * Returns the password of a connection URL for PostgREST. Any other text is the password itself.
 */
function authenticatorPassword(value: string, context: z.RefinementCtx): string {
  if (!/^postgres(?:ql)?:/.test(value)) return value
  // only characters that are valid in a URI, because PostgREST would not recognize anything else as
  // a URI
  const inUrl = /^postgres(?:ql)?:\/\/authenticator:([\w.~!$&'()*+,;=:%-]*)@[^@\s]*$/.exec(value)
    ?.[1]
  if (inUrl !== undefined && isDecodable(inUrl)) return decodeURIComponent(inUrl)
  context.addIssue({
    code: 'custom',
    message: inUrl === undefined
      ? `must be ${authenticatorForm}`
      : 'has a % that begins no escape: write it as %25',
  })
  return z.NEVER
}

/**
 * A range of addresses in the format of ipaddr.js: the network and the length of its prefix in
 * bits.
 */
export type AddressRange = ReturnType<typeof ipaddr.parseCIDR>
const addressRange = z.string().transform((value, context): AddressRange => {
  try {
    return value.includes('/')
      ? ipaddr.parseCIDR(value)
      : [ipaddr.parse(value), ipaddr.parse(value).kind() === 'ipv4' ? 32 : 128]
  } catch {
    context.addIssue({
      code: 'custom',
      message: 'must be a comma list of CIDR ranges such as 10.0.0.0/8',
    })
    return z.NEVER
  }
})

/** The minimum and maximum number of processes of a service. */
export type Replicas = { fewest: number, most: number }
const replicas = z.string().regex(
  /^[1-9]\d{0,3}(-[1-9]\d{0,3})?$/,
  'must be a number such as 2, or the fewest and the most such as 2-6',
)
  .transform((value): Replicas => {
    const [fewest = 1, most = fewest] = value.split('-').map(Number)
    return { fewest, most }
  })
  .refine(({ fewest, most }) => fewest <= most, 'must have the fewest first, as in 2-6')

/** A list of upstreams, separated by commas or spaces: `http://host:port` or `host:port`. */
const upstreams = z.string().transform((value) =>
  value.split(/[\s,]+/).filter((item) => item !== '').map((
    item,
  ) => (item.includes('://') ? item : `http://${item}`))
)
  .refine(
    (urls) =>
      urls.every((url) =>
        /^http:\/\/([\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(url) && URL.canParse(url)
      ),
    'must be a list of addresses such as http://postgrest:3000, each with its port and without a path',
  )

const bool = (fallback: boolean) =>
  z.enum(['true', 'false'], 'must be true or false').default(fallback ? 'true' : 'false').transform(
    (value) => value === 'true',
  )

const bucket = z.string().transform((value, context): ObjectLocation => {
  const location = objectLocation(value)
  if (location !== undefined) return location
  context.addIssue({ code: 'custom', message: `must be ${locationForm}, without credentials` })
  return z.NEVER
})
const secretWord = z.string().regex(/^[\x21-\x7e]+$/, 'must be one word').optional()

/**
 * The services that receive settings of the operator in the chart and on AWS. The operator's
 * command receives those of the migration.
 */
type Service = 'auth' | 'edge' | 'migrate'

/**
 * The description of a setting. `npm run schema` generates docs/settings.md and infra/settings.json
 * from it.
 */
export type About = {
  /** The meaning, in Markdown, for docs/settings.md. */
  description: string
  /** The default in words, if the schema has none. */
  unset?: string
  /** Whether the value is a secret, or a URL that may contain one. Such a setting may be a file. */
  secret?: true
  /**
   * The services that receive it from the chart and Terraform. Undefined if these set it themselves
   * or do not need it.
   */
  services?: readonly Service[]
}
const setting = <Schema extends z.ZodType>(schema: Schema, about: About): Schema =>
  schema.meta(about)

const both = ['auth', 'edge'] as const
const keptDays = (fallback: number) =>
  wholeNumber('number of days', 1, 36_500).prefault(String(fallback))
const quota = wholeNumber('number of bytes', 0, Number.MAX_SAFE_INTEGER, 'must be at least 0')

/** All settings, in the order of docs/settings.md. */
export const environment = z.object({
  NODE_ENV: setting(z.string().optional(), {
    description: '`production` turns missing secrets and a missing mail provider into errors',
  }),
  PUBLIC_URL: setting(origin.optional(), {
    description:
      "base_url: the public address, the token's `aud` and `iss`, the start of every mailed link",
    unset: '`http://localhost:$PORT`',
  }),
  APP_DIR: setting(z.string().optional(), {
    description:
      'a built single-page app that the edge serves at `/`: the folder with its `index.html` ([front-ends.md](front-ends.md)). `none` serves no app, not the reference app either',
    unset: '[the reference app](../app/README.md) if `APP_URL` is not set',
    services: both,
  }),
  APP_CSP: setting(
    z.string().regex(/^[\x20-\x7e]*$/, 'must be one line of plain text').refine(
      (value) => !/["`{}\\]/.test(value),
      'must hold no ", `, \\, { or }',
    )
      .default("frame-ancestors 'none'"),
    {
      description:
        "the Content-Security-Policy of that app's documents; the reference app has a strict one",
      services: both,
    },
  ),
  APP_URL: setting(appUrl.optional(), {
    description: "the app's address, which mailed links lead to; its origin is trusted",
    unset: '`PUBLIC_URL`',
    services: both,
  }),
  HOST: setting(
    z.union([z.ipv4(), z.ipv6()], 'must be an address such as 127.0.0.1').default('127.0.0.1'),
    {
      description: 'the address that both surfaces listen on; containers listen on `0.0.0.0`',
    },
  ),
  PORT: setting(port(3000), {
    description: "the auth surface's port, or that of the edge as a process of its own",
  }),
  DATA_PORT: setting(port(3001), { description: "the data surface's port" }),
  DATA_URL: setting(
    urlOf(/^https?:$/, 'https://money.example.org/data').transform(withoutSlash).optional(),
    {
      description:
        "data_url as clients see it: in `/`, in the start message and in PostgREST's own description",
      unset: '`http://localhost:$DATA_PORT`',
    },
  ),
  // the edge accepts 64 KiB without a token, and a token must not lower that limit
  DATA_BODY_LIMIT: setting(
    wholeNumber('number of bytes', 65_536, 16_777_216).prefault('2097152'),
    {
      description:
        'the maximum body of a request to `{base_url}/data`, in bytes; PostgREST needs about 500 times as much memory',
    },
  ),
  AUTH_UPSTREAM: setting(upstreams.optional(), {
    description:
      'for the edge as a process of its own (`npm run edge`): addresses of auth services, such as `http://auth:3000`. A host name stands for all of its addresses',
  }),
  REALTIME_UPSTREAM: setting(upstreams.optional(), {
    description:
      'for such an edge: addresses of processes of `npm run realtime`, which serve live streams, webhooks and calendars instead of the auth service',
    unset: '`AUTH_UPSTREAM`',
  }),
  AUTH_SERVES_REALTIME: setting(bool(true), {
    description:
      'whether the auth service serves live streams, webhooks and calendars and sends the messages of webhooks; `false` leaves all of it to `npm run realtime`, which reads `AUTH_DATABASE_URL`, `BETTER_AUTH_SECRET`, `PUBLIC_URL`, `APP_URL`, `HOST`, `PORT`, `TRUSTED_ORIGINS`, `TRUSTED_PROXIES`, `COOKIE_DOMAIN`, `COOKIE_SAME_SITE`, `CHANGES_STREAMS`, `RATE_LIMIT_ENABLED`, `LOG_LEVEL` and the collector of traces as the auth service does',
  }),
  POSTGREST_UPSTREAM: setting(upstreams.optional(), {
    description: 'for such an edge: addresses of PostgREST processes',
  }),
  POSTGREST_READY_PORT: setting(port(3001), {
    description:
      'for such an edge: the port at which each PostgREST reports that it is ready, its own `PGRST_ADMIN_SERVER_PORT`',
  }),
  DATA_REPLICAS: setting(upstreams.optional(), {
    description: 'PostgREST processes on [hot standbys](scaling.md), which answer reads',
  }),
  DATA_REPLICAS_READY_PORT: setting(port(3001), {
    description: 'the port at which each of these reports that it is ready',
  }),
  EDGE_ADMIN_PORT: setting(port(9180), {
    description: 'the port of such an edge for probes and Prometheus',
  }),
  DATABASE_URL: setting(postgresUrl.optional(), {
    description: "the owner's connection, for migrations and the operator's command",
    unset: 'the embedded server',
    secret: true,
  }),
  AUTH_DATABASE_URL: setting(
    postgresUrl.refine(
      (value) => new URL(value).username === 'auth_service',
      'must connect as the user auth_service',
    ).optional(),
    {
      description:
        "the auth service's least-privilege connection; its user is the role `auth_service`",
      unset: '`npm start` derives it from `DATABASE_URL`',
      secret: true,
    },
  ),
  AUTH_SERVICE_PASSWORD: setting(z.string().optional(), {
    description: 'the password of `auth_service`, if `AUTH_DATABASE_URL` has none',
    secret: true,
  }),
  AUTHENTICATOR_PASSWORD: setting(
    // PostgREST reads a password from a file only as part of a URL, so that both can read the same
    // file
    z.string().transform(authenticatorPassword).pipe(
      z.string().min(8, 'must have at least 8 characters'),
    ).optional(),
    {
      description:
        "the password of `authenticator`, PostgREST's login; a URL `postgresql://authenticator:<password>@` is accepted too",
      unset: 'generated by `npm start`',
      secret: true,
    },
  ),
  OWNER_PASSWORD: setting(z.string().optional(), {
    description:
      "the owner's password: it completes `DATABASE_URL`, and the migration of containers sets it",
    secret: true,
  }),
  PGRST_DB_POOL: setting(
    wholeNumber('number of connections', 1, 10_000).prefault('12'),
    {
      description:
        "PostgREST's connections; the edge lets each user's requests use a share of them at once",
    },
  ),
  AUTH_REPLICAS: setting(replicas.optional(), {
    description:
      'the number of auth services that share the database (`2`, or `2-6` if it varies); the migration refuses more than PostgreSQL has connections for',
    unset: 'not checked',
  }),
  POSTGREST_REPLICAS: setting(replicas.optional(), {
    description: 'the same for PostgREST processes',
    unset: 'not checked',
  }),
  EDGE_REPLICAS: setting(replicas.prefault('1'), {
    description:
      'the number of edges (`2`, or `2-6` if it varies); each uses its part of `PGRST_DB_POOL`',
  }),
  POSTGRES_BIN: setting(z.string().optional(), {
    description:
      'the folder of the PostgreSQL programs that `npm start` runs; `embedded` means those of npm',
    unset: 'the newest installed server that is at or above its floor, or else the embedded one',
  }),
  POSTGREST_BIN: setting(z.string().optional(), {
    description: 'the PostgREST that `npm start` runs',
    unset: "its package's, `postgrest` on the path, or the official container if Docker answers",
  }),
  POSTGREST_TAG: setting(
    z.string().regex(/^[\w.-]+$/, 'must be a tag such as v16.5').default('v16.5'),
    {
      description: `the version of PostgREST's container; 12.0.2 and 16 from ${
        floorOf('postgrest', '16')
      } on are supported`,
    },
  ),
  DATA_DIR: setting(z.string().min(1, 'must be a directory').default('.data'), {
    description:
      "the folder of the embedded server's data and of the secrets that `npm start` generates",
  }),
  BETTER_AUTH_SECRET: setting(z.string().min(32, 'must have at least 32 characters').optional(), {
    description: 'signs cookies and encrypts private keys at rest; at least 32 characters',
    unset: 'generated; required in production',
    secret: true,
  }),
  TRUSTED_ORIGINS: setting(list.pipe(z.array(namedOrigin)).default([]), {
    description:
      'origins of single-page apps that may call with credentials and be redirected to, by comma; also origins of native apps, such as `capacitor://localhost`; if `PUBLIC_URL` is on localhost, all of localhost is trusted',
    services: ['auth'],
  }),
  TRUSTED_PROXIES: setting(list.pipe(z.array(addressRange)).default([]), {
    description: 'CIDR ranges of proxies; their `X-Forwarded-For` is trusted',
  }),
  TRACE_PROXIES: setting(list.pipe(z.array(addressRange)).default([]), {
    description:
      'CIDR ranges of proxies that replace `X-Request-Id` and `traceparent` of their clients; the edge takes over both headers from them only, and otherwise makes its own',
    services: ['edge'],
  }),
  COOKIE_DOMAIN: setting(
    z.string().regex(/^\.?([a-z0-9-]+\.)+[a-z]{2,}$/i, 'must be a domain such as example.org')
      .optional(),
    {
      description: 'shares the session cookie with the subdomains of this domain',
      unset: 'the host',
      services: ['auth'],
    },
  ),
  COOKIE_SAME_SITE: setting(z.enum(['lax', 'none'], 'must be lax or none').default('lax'), {
    description:
      '`none` if the app is on another site, which the session cookie is then partitioned for; https only',
    services: ['auth'],
  }),
  MAIL_FROM: setting(
    z.string().regex(/^[^\r\n]*@[^\r\n]*$/, 'must be an address such as Money <money@example.org>')
      .optional(),
    {
      description: 'the sender of every mail',
      unset: '`no-reply@` the host; required in production',
    },
  ),
  RESEND_API_KEY: setting(z.string().regex(/^[\x21-\x7e]+$/, 'must be one word').optional(), {
    description: 'sends mail with [Resend](https://resend.com)',
    secret: true,
  }),
  RESEND_BASE_URL: setting(urlOf(/^https?:$/, 'https://api.resend.com').optional(), {
    description: "another address of Resend's interface",
    services: ['auth'],
  }),
  SMTP_URL: setting(
    // Node reads the part of a password after an unencoded /, ? or # as a path
    urlOf(/^smtps?:$/, `smtp://user:password@host:587, with ${encodedLogin}`)
      .refine(
        (value) => !/^[^/]*\/\/[^/?#]*[/?#].*@/.test(value) && isDecodable(value),
        `must have ${encodedLogin}`,
      ).optional(),
    {
      description:
        'sends mail by SMTP, if there is no Resend key; with neither, mail is a log line',
      secret: true,
    },
  ),
  KEY_ROTATION_DAYS: setting(
    z.string().regex(/^\d{1,4}(\.\d{1,6})?$/, 'must be a number of days').transform(Number).pipe(
      z.number().max(3_650, 'must be at most 3650'),
    ).prefault('90'),
    {
      description:
        'a signing key is replaced after this many days; 0 leaves it to `npm run admin -- keys rotate`',
      services: ['auth'],
    },
  ),
  ACTIVITY_DAYS: setting(keptDays(400), {
    description:
      'the activity of each context is kept for this many days, and can be undone until then; 1 to 36500',
    services: ['auth'],
  }),
  EVENTS_DAYS: setting(keptDays(365), {
    description:
      'the events of accounts and memberships, such as sign-ins, are kept for this many days; 1 to 36500',
    services: ['auth'],
  }),
  FILE_MAX_BYTES: setting(wholeNumber('number of bytes', 1, 104_857_600).prefault('10485760'), {
    description:
      'the maximum size of a receipt or other file of a transaction, in bytes; the migration stores this and the three limits below',
    services: ['migrate'],
  }),
  FILES_PER_TRANSACTION: setting(
    wholeNumber('number of files', 0, 1_000).prefault('20'),
    {
      description: 'the maximum number of files of a transaction; 0 allows no new files',
      services: ['migrate'],
    },
  ),
  FILES_QUOTA: setting(quota.prefault('1073741824'), {
    description: "the maximum size of all files of a user's personal transactions, in bytes",
    services: ['migrate'],
  }),
  FILES_TEAM_QUOTA: setting(quota.optional(), {
    description: 'the maximum size of all files of a team, in bytes',
    unset: 'five times `FILES_QUOTA`',
    services: ['migrate'],
  }),
  FILES_URL: setting(bucket.optional(), {
    description:
      'the [object storage](operations.md#object-storage) of new files: `s3://bucket/optional-prefix?region=eu-central-1`, for other storages than Amazon S3 with `&endpoint=https://storage.example.org`. `AWS_REGION` and `AWS_ENDPOINT_URL_S3` count if it has none. Browsers read from it directly',
    unset: 'the database',
    services: ['auth', 'edge', 'migrate'],
  }),
  AWS_ACCESS_KEY_ID: setting(secretWord, {
    description: 'the key for the object storage',
    unset: 'the role of the ECS task or of the EKS pod',
    secret: true,
    services: ['auth', 'migrate'],
  }),
  AWS_SECRET_ACCESS_KEY: setting(secretWord, {
    description: 'its secret',
    secret: true,
    services: ['auth', 'migrate'],
  }),
  AWS_SESSION_TOKEN: setting(secretWord, {
    description: 'its session, if the key is a temporary one',
    secret: true,
    services: ['auth', 'migrate'],
  }),
  CHANGES_STREAMS: setting(
    wholeNumber('number of streams', 0, 1_900).prefault('1000'),
    {
      description:
        'one process of the auth service serves at most this many live streams (`/api/auth/changes`); 0 refuses all of them',
      services: ['auth'],
    },
  ),
  RATE_LIMIT_ENABLED: setting(bool(true), {
    description: '`false` is only for load tests',
    services: ['auth'],
  }),
  DEFAULT_PRODUCT: setting(
    z.string().regex(/^[a-z][a-z0-9_-]*$/, 'must be the id of a product, such as teams').optional(),
    {
      description: 'a product that every user has; a self-hoster may set `teams`',
      services: ['auth'],
    },
  ),
  SIGN_UP: setting(
    z.enum(['open', 'invitation', 'closed'], 'must be open, invitation or closed').default('open'),
    {
      description:
        'allows new accounts for everyone (`open`), only with an invitation to an organization (`invitation`), or not at all (`closed`). Existing accounts stay',
      services: ['auth'],
    },
  ),
  SIGN_UP_DOMAINS: setting(
    list.pipe(
      z.array(
        z.string().toLowerCase().regex(
          /^([a-z0-9-]+\.)+[a-z0-9-]{2,}$/,
          'must be a comma list of domains such as example.org',
        ),
      ),
    ).default([]),
    {
      description:
        'the domains that the address of a new account may have, by comma; a subdomain is another domain',
      unset: 'any',
      services: ['auth'],
    },
  ),
  OIDC_ISSUER: setting(
    z.string().refine(
      isPageUrl,
      'must be an address such as https://login.example.org, without a query',
    ).optional(),
    {
      description:
        'the provider of [single sign-on](single-sign-on.md) by OpenID Connect, exactly as it names itself. It needs `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`',
      services: ['auth'],
    },
  ),
  OIDC_CLIENT_ID: setting(z.string().optional(), {
    description: 'the client id at the provider',
    services: ['auth'],
  }),
  OIDC_CLIENT_SECRET: setting(z.string().optional(), {
    description: 'the client secret at the provider',
    secret: true,
    services: ['auth'],
  }),
  OIDC_NAME: setting(z.string().max(60, 'must have at most 60 characters').optional(), {
    description: 'the name of the provider for users',
    unset: "the provider's host",
    services: ['auth'],
  }),
  OIDC_SIGN_UP: setting(bool(true), {
    description:
      'creates an account for a new user of the provider, within `SIGN_UP` and `SIGN_UP_DOMAINS`',
    services: ['auth'],
  }),
  EXCHANGE_RATES_URL: setting(
    urlOf(/^https?:$/, 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml')
      .optional(),
    {
      description:
        'downloads the reference rates of the European Central Bank once a day for [reports](operations.md#exchange-rates), such as `https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml`',
      unset: 'no download',
      services: ['auth'],
    },
  ),
  ADMIN_COMMAND: setting(z.string().default('npm run admin --'), {
    description: "the operator's command, for messages; each way of running sets its own",
  }),
  MIGRATE_COMMAND: setting(z.string().default('npm run migrate'), {
    description: 'the command of the migration, for messages; each way of running sets its own',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(urlOf(/^https?:$/, 'http://collector:4318').optional(), {
    description:
      'a collector that receives [traces](monitoring.md) by OTLP over HTTP; without it nothing is traced',
    services: both,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    z.string().refine(
      (value) => isDecodable(value) && /^[^=,\s]+=[^,\r\n]*(,[^=,\s]+=[^,\r\n]*)*$/.test(value),
      'must be a list such as name=value,name=value',
    ).optional(),
    {
      description: 'headers that the collector requires, such as a key (`name=value,…`)',
      secret: true,
      services: both,
    },
  ),
  LOG_LEVEL: setting(
    z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    ).default('info'),
    { description: '`trace` to `silent`', services: both },
  ),
})

/** The names of the settings that are secrets. */
export const secretNames = Object.entries(environment.shape).filter(([, schema]) =>
  schema.meta()?.['secret'] === true
)
  .map(([name]) => name as keyof typeof environment.shape)

/** The parsed environment. A setting without value and default is undefined. */
export type Settings = z.output<typeof environment> & {
  PUBLIC_URL: string
  APP_URL: string
  DATA_URL: string
  /** Whether APP_URL or APP_DIR names an app. Its address may be the origin itself. */
  hasApp: boolean
  /** Whether neither APP_URL nor APP_DIR is set. */
  wantsReferenceApp: boolean
}

/**
 * Refuses a cookie that browsers would drop silently, because it does not fit PUBLIC_URL. @throws
 * ConfigError
 */
function checkCookie(
  { COOKIE_DOMAIN: domain, COOKIE_SAME_SITE: sameSite }: z.output<typeof environment>,
  { protocol, hostname }: URL,
): void {
  if (
    domain !== undefined && !`.${hostname}`.endsWith(`.${domain.replace(/^\./, '').toLowerCase()}`)
  ) {
    throw configError(
      'COOKIE_DOMAIN must be the host of PUBLIC_URL or a domain above it, or browsers drop the session cookie.',
    )
  }
  if (sameSite === 'none' && protocol !== 'https:') {
    throw configError(
      'COOKIE_SAME_SITE may be none only where PUBLIC_URL begins with https, or browsers drop the session cookie.',
    )
  }
}

/** Returns the connection URL with another password, escaped as a URL needs it. */
export function withPassword(databaseUrl: string, password: string): string {
  const url = new URL(databaseUrl)
  // encode first, because URL does not encode a percent sign
  url.password = encodeURIComponent(password)
  return url.href
}

/**
 * Returns the auth service's connection with its password. @throws ConfigError if there are two
 * passwords
 */
function authConnection(
  { AUTH_DATABASE_URL: url, AUTH_SERVICE_PASSWORD: password }: z.output<typeof environment>,
): string | undefined {
  if (url === undefined || password === undefined) return url
  if (new URL(url).password !== '')
    throw configError(
      'AUTH_SERVICE_PASSWORD is set and AUTH_DATABASE_URL has a password too: remove one of them.',
    )
  return withPassword(url, password)
}

/**
 * Returns the owner's connection with its password. A password in the URL takes precedence, because
 * OWNER_PASSWORD may be a new one.
 */
function ownerConnection(
  { DATABASE_URL: url, OWNER_PASSWORD: password }: z.output<typeof environment>,
): string | undefined {
  return url === undefined || password === undefined || new URL(url).password !== ''
    ? url
    : withPassword(url, password)
}

type Environment = Record<string, string | undefined>

function readSecret(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw configError(
      `${name}_FILE names a file that cannot be read (${
        String((error as NodeJS.ErrnoException).code)
      }).`,
    )
  }
  if (text === '') throw configError(`${name}_FILE names an empty file.`)
  return text
}

/**
 * Replaces each `NAME_FILE` of an environment by `NAME` with the content of the file. An empty
 * `NAME_FILE` counts as unset.
 * @throws ConfigError if a file cannot be used, or if both `NAME` and `NAME_FILE` are set
 */
export function readSecretFiles(env: Environment): Environment {
  const result = { ...env }
  for (const name of secretNames) {
    const path = env[`${name}_FILE`] ?? ''
    delete result[`${name}_FILE`]
    if (path === '') continue
    if ((env[name] ?? '') !== '')
      throw configError(`${name} and ${name}_FILE are both set: unset one of them.`)
    result[name] = readSecret(name, path)
  }
  return result
}

/**
 * Parses the environment. An empty value counts as unset, because compose and CI systems pass unset
 * variables as empty ones.
 * @throws ConfigError that names the first invalid variable
 */
export function readSettings(env: Environment): Settings {
  const variables = Object.fromEntries(
    Object.entries(readSecretFiles(env)).filter(([, value]) => value !== undefined && value !== ''),
  )
  if (variables['FILES_URL'] !== undefined)
    variables['FILES_URL'] = completeLocation(variables['FILES_URL'], env)
  const parsed = environment.safeParse(variables)
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

/** Returns the limits of files, for the migration. */
export const fileLimitsOf = (settings: Settings) => ({
  maxBytes: settings.FILE_MAX_BYTES,
  perTransaction: settings.FILES_PER_TRANSACTION,
  quota: settings.FILES_QUOTA,
  teamQuota: settings.FILES_TEAM_QUOTA ?? 5 * settings.FILES_QUOTA,
})

/**
 * Returns the object storage of files; undefined without FILES_URL. @throws ConfigError if only one
 * part of a key is set
 */
export function objectOptionsOf(settings: Settings): ObjectOptions | undefined {
  const {
    FILES_URL: location,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = settings
  if (location === undefined) return undefined
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { location, keys: { accessKeyId, secretAccessKey, sessionToken } }
  if (accessKeyId !== undefined)
    throw configError('AWS_SECRET_ACCESS_KEY must be set, because AWS_ACCESS_KEY_ID is.')
  if (secretAccessKey !== undefined)
    throw configError('AWS_ACCESS_KEY_ID must be set, because AWS_SECRET_ACCESS_KEY is.')
  return { location, keys: undefined }
}

/** Returns the value of a required setting. @throws ConfigError if it is not set */
export function need<Name extends keyof Settings>(
  settings: Settings,
  name: Name,
): NonNullable<Settings[Name]> {
  const value = settings[name]
  if (value === undefined) throw configError(`${name} must be set.`)
  return value
}
