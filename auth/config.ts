/** The configuration of the auth service, built from the settings of all programs. No I/O. */
import { configError } from '../common/errors.ts'
import type { ObjectOptions } from '../common/open-objects.ts'
import { need, objectOptionsOf, type Settings } from '../common/settings.ts'
import { isLocal, originsOf } from '../http/origins.ts'
import type { ServiceConfig } from '../http/route.ts'

/** The mail transport. `log` is for local work; production refuses it. */
export type MailTransport =
  | { kind: 'resend', apiKey: string, baseUrl: string | undefined }
  | { kind: 'smtp', url: string }
  | { kind: 'log' }

/** The settings of identity, in any process that opens it: auth/index.ts. */
export type IdentityConfig = ServiceConfig & {
  host: string
  port: number
  databaseUrl: string
  cookieDomain: string | undefined
  rateLimitEnabled: boolean
  defaultProduct: string | undefined
  logLevel: Settings['LOG_LEVEL']
  /** The commands that messages to the operator name. */
  commands: { admin: string, migrate: string }
  /** The trace collector and its headers. */
  traces: { endpoint: string, headers: string | undefined } | undefined
  /** Maximum number of live streams of this process. */
  changesStreams: number
}

declare module '../http/route.ts' {
  interface ServiceConfig {
    /**
     * The address that mailed links lead to, without a trailing slash. It is `publicUrl` unless the
     * app has another address.
     */
    appUrl: string
    /** Whether there is an app. Without one, links lead to our own pages. */
    hasApp: boolean
    /** The sign-up mode, and the allowed domains of addresses. An empty list allows all. */
    signUp: { by: Settings['SIGN_UP'], domains: string[] }
    /** The provider of single sign-on, and whether it makes accounts for new users. */
    oidc:
      | { issuer: string, clientId: string, clientSecret: string, name: string, signUp: boolean }
      | undefined
  }
}

/** The configuration of the auth service. Required settings are present. */
export type Config = IdentityConfig & {
  /** data_url, for the list at `/`. */
  dataUrl: string
  mail: { from: string, transport: MailTransport }
  keyRotationDays: number
  activityDays: number
  eventsDays: number
  /** The object storage of files. Undefined for the database. */
  objects: ObjectOptions | undefined
  /** Whether this process serves live streams, webhooks and calendars. */
  servesRealtime: boolean
  /** The file of exchange rates that is downloaded once a day. */
  exchangeRatesUrl: string | undefined
}

function mailTransport(settings: Settings): MailTransport {
  if (settings.RESEND_API_KEY !== undefined) {
    return { kind: 'resend', apiKey: settings.RESEND_API_KEY, baseUrl: settings.RESEND_BASE_URL }
  }
  if (settings.SMTP_URL !== undefined) return { kind: 'smtp', url: settings.SMTP_URL }
  if (settings.NODE_ENV === 'production')
    throw configError(
      'RESEND_API_KEY or SMTP_URL must be set in production, or no email is sent. In containers set RESEND_API_KEY_FILE or SMTP_URL_FILE.',
    )
  return { kind: 'log' }
}

/**
 * Builds the sender and the transport of mails. @throws ConfigError that names the missing setting
 */
export function mailConfig(settings: Settings): Config['mail'] {
  const transport = mailTransport(settings)
  if (settings.NODE_ENV === 'production') need(settings, 'MAIL_FROM')
  return {
    from: settings.MAIL_FROM ?? `no-reply@${new URL(settings.PUBLIC_URL).hostname}`,
    transport,
  }
}

function oidcProvider(settings: Settings): Config['oidc'] {
  const named = (['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const).filter((name) =>
    settings[name] !== undefined
  )
  if (named.length === 0) return undefined
  const issuer = need(settings, 'OIDC_ISSUER')
  // The provider's responses identify users, so they must not pass unencrypted.
  if (!issuer.startsWith('https:') && !isLocal(new URL(issuer).hostname))
    throw configError('OIDC_ISSUER must begin with https, except on this machine.')
  // The callback comes from the provider's page. Partitioned cookies of another site are not sent
  // with it.
  if (settings.COOKIE_SAME_SITE === 'none')
    throw configError('OIDC_ISSUER needs COOKIE_SAME_SITE=lax: the app must be on the same site.')
  return {
    issuer,
    clientId: need(settings, 'OIDC_CLIENT_ID'),
    clientSecret: need(settings, 'OIDC_CLIENT_SECRET'),
    name: settings.OIDC_NAME ?? new URL(issuer).hostname,
    signUp: settings.OIDC_SIGN_UP,
  }
}

function exchangeRatesUrl({ EXCHANGE_RATES_URL: url }: Settings): string | undefined {
  // Unencrypted rates could be changed on their way.
  if (url !== undefined && !url.startsWith('https:') && !isLocal(new URL(url).hostname))
    throw configError('EXCHANGE_RATES_URL must begin with https, except on this machine.')
  return url
}

/**
 * Builds the settings of identity. @throws ConfigError that names the missing or unsuitable setting
 */
export const identityConfig = (settings: Settings): IdentityConfig => ({
  publicUrl: settings.PUBLIC_URL,
  appUrl: settings.APP_URL,
  hasApp: settings.hasApp,
  host: settings.HOST,
  port: settings.PORT,
  databaseUrl: need(settings, 'AUTH_DATABASE_URL'),
  secret: need(settings, 'BETTER_AUTH_SECRET'),
  origins: originsOf(settings.PUBLIC_URL, [
    ...settings.TRUSTED_ORIGINS,
    new URL(settings.APP_URL).origin,
  ]),
  trustedProxies: settings.TRUSTED_PROXIES,
  cookieDomain: settings.COOKIE_DOMAIN,
  cookieSameSite: settings.COOKIE_SAME_SITE,
  rateLimitEnabled: settings.RATE_LIMIT_ENABLED,
  defaultProduct: settings.DEFAULT_PRODUCT,
  signUp: { by: settings.SIGN_UP, domains: settings.SIGN_UP_DOMAINS },
  oidc: oidcProvider(settings),
  logLevel: settings.LOG_LEVEL,
  commands: { admin: settings.ADMIN_COMMAND, migrate: settings.MIGRATE_COMMAND },
  traces: settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
      endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    },
  changesStreams: settings.CHANGES_STREAMS,
})

/**
 * Builds the configuration of the auth service. @throws ConfigError that names the missing or
 * unsuitable setting
 */
export function authConfig(settings: Settings): Config {
  const mail = mailConfig(settings)
  return {
    ...identityConfig(settings),
    dataUrl: settings.DATA_URL,
    mail,
    keyRotationDays: settings.KEY_ROTATION_DAYS,
    activityDays: settings.ACTIVITY_DAYS,
    eventsDays: settings.EVENTS_DAYS,
    objects: objectOptionsOf(settings),
    servesRealtime: settings.AUTH_SERVES_REALTIME ??
      (settings.REALTIME_REPLICAS?.most ?? 0) === 0,
    exchangeRatesUrl: exchangeRatesUrl(settings),
  }
}
