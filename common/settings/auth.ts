/** The settings of the auth service, except its mail and its database. */
import { z } from 'zod'
import { isAppOrigin } from '../app-origins.ts'
import {
  bool,
  flag,
  isOrigin,
  isPageUrl,
  list,
  notAnOrigin,
  urlOf,
  wholeNumber,
  withoutSlash,
} from './formats.ts'
import { identity, setting } from './setting.ts'

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

const keptDays = (fallback: number) =>
  wholeNumber('number of days', 1, 36_500).prefault(String(fallback))

/** The choice of the process that serves realtime/. */
export const realtime = {
  AUTH_SERVES_REALTIME: setting(flag.optional(), {
    description:
      'whether the auth service serves live streams, webhooks and calendars and sends the messages of webhooks; `false` leaves all of it to `npm run realtime`, which reads `AUTH_DATABASE_URL`, `AUTH_SERVICE_PASSWORD`, `BETTER_AUTH_SECRET`, `PUBLIC_URL`, `APP_URL`, `APP_DIR`, `HOST`, `PORT`, `TRUSTED_ORIGINS`, `TRUSTED_PROXIES`, `COOKIE_DOMAIN`, `COOKIE_SAME_SITE`, `CHANGES_STREAMS`, `RATE_LIMIT_ENABLED`, `DEFAULT_PRODUCT`, `LOG_LEVEL` and the collector of traces as the auth service does',
    unset: '`true`; `false` with `REALTIME_REPLICAS` of 1 or more',
  }),
}

/** The secret, and the origins of other apps. */
export const trust = {
  BETTER_AUTH_SECRET: setting(z.string().min(32, 'must have at least 32 characters').optional(), {
    description: 'signs cookies and encrypts private keys at rest; at least 32 characters',
    unset: 'generated; required in production',
    secret: true,
  }),
  TRUSTED_ORIGINS: setting(list.pipe(z.array(namedOrigin)).default([]), {
    description:
      'origins of single-page apps that may call with credentials and be redirected to, by comma; also origins of native apps, such as `capacitor://localhost`; if `PUBLIC_URL` is on localhost, all of localhost is trusted',
    services: identity,
  }),
}

/** The cookie of the session. */
export const cookies = {
  COOKIE_DOMAIN: setting(
    z.string().regex(/^\.?([a-z0-9-]+\.)+[a-z]{2,}$/i, 'must be a domain such as example.org')
      .optional(),
    {
      description: 'shares the session cookie with the subdomains of this domain',
      unset: 'the host',
      services: identity,
    },
  ),
  COOKIE_SAME_SITE: setting(z.enum(['lax', 'none'], 'must be lax or none').default('lax'), {
    description:
      '`none` if the app is on another site, which the session cookie is then partitioned for; https only',
    services: identity,
  }),
}

/** The times after which keys are replaced and records are deleted. */
export const retention = {
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
}

/** The limits of requests and of live streams. */
export const limits = {
  CHANGES_STREAMS: setting(
    wholeNumber('number of streams', 0, 100_000).prefault('1000'),
    {
      description:
        'one process of the edge, and of the auth service or `npm run realtime`, serves at most this many live streams (`/api/auth/changes`); 0 refuses all of them',
      services: [...identity, 'edge'],
    },
  ),
  RATE_LIMIT_ENABLED: setting(bool(true), {
    description: '`false` is only for load tests',
    services: identity,
  }),
}

/** New accounts. */
export const accounts = {
  DEFAULT_PRODUCT: setting(
    z.string().regex(/^[a-z][a-z0-9_-]*$/, 'must be the id of a product, such as teams').optional(),
    {
      description: 'a product that every user has; a self-hoster may set `teams`',
      services: identity,
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
}

/** Single sign-on by OpenID Connect. */
export const singleSignOn = {
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
}

/** The download of exchange rates. */
export const rates = {
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
}
