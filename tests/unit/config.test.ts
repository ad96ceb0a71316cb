import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authConfig } from '../../auth/config.ts'
import {
  environment as variables,
  readSettings,
  secretNames,
  type Settings,
} from '../../common/settings.ts'
import { settingsPages } from '../../start/settings-pages.ts'

const least = {
  AUTH_DATABASE_URL: 'postgresql://auth_service:x@localhost/finance',
  BETTER_AUTH_SECRET: 'x'.repeat(32),
}

/** Reads a file of the repository. */
const text = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('the environment', () => {
  test('the environment has the page and the list that `npm run schema` writes', async () => {
    for (const [file, page] of Object.entries(settingsPages()))
      expect(page, file).toBe(await text(file))
  })

  test('the page has each variable that compose.yaml reads from .env', async () => {
    const page = await text('docs/settings.md')
    const read = (await text('compose.yaml')).matchAll(/(?<!\$)\$\{([A-Z]\w+)/g)
    const names = new Set([...read].map(([, name = '']) => name))
    expect(names.size).toBeGreaterThan(30)
    const isListed = (name: string) =>
      page.includes(`| \`${name}\` |`) ||
      page.includes(`| \`${name.replace(/_FILE$/, '')}\`, \`…_FILE\` |`)
    expect([...names].filter((name) => !isListed(name))).toEqual([])
  })

  test('the environment is passed on by compose.yaml, variable by variable', async () => {
    const compose = await text('compose.yaml')
    const names = Object.keys(variables.shape)
    expect(names).toContain('DATABASE_URL')
    // Containers have fixed ports or defaults, no embedded server, and PostgREST as an image.
    expect(names.filter((name) => !new RegExp(`^ +${name}(_FILE)?:`, 'm').test(compose))).toEqual([
      'DATA_PORT',
      // compose has REALTIME_REPLICAS
      'AUTH_SERVES_REALTIME',
      'POSTGREST_READY_PORT',
      'EDGE_ADMIN_PORT',
      'POSTGRES_BIN',
      'POSTGREST_BIN',
      'POSTGREST_TAG',
      'DATA_DIR',
    ])
    expect(compose).toContain(`\${POSTGREST_TAG:-${readSettings({}).POSTGREST_TAG}}`)
  })

  test('the environment passes the settings of the migration to its container, and those of the operator’s command to that of files', async () => {
    const compose = await text('compose.yaml')
    const migration = compose.slice(compose.indexOf('\n  migrate:'), compose.indexOf('\n  files:'))
    const files = compose.slice(compose.indexOf('\n  files:'), compose.indexOf('\n  postgrest:'))
    const names = Object.entries(
      JSON.parse(await text('infra/settings.json')) as Record<string, { services: string[] }>,
    )
      .filter(([, { services }]) => services.includes('migrate')).map(([name]) => name)
    expect(names).toContain('FILES_TEAM_QUOTA')
    expect(files).toContain('<<: *migration')
    expect(names.filter((name) => !new RegExp(`^ +${name}(_FILE)?:`, 'm').test(migration + files)))
      .toEqual([])
    expect(names.filter((name) => /^FILES?_(?!URL)/.test(name) && !migration.includes(` ${name}:`)))
      .toEqual([])
  })

  test.each([
    [{}, true],
    [{ REALTIME_REPLICAS: '0' }, true],
    [{ REALTIME_REPLICAS: '2' }, false],
    [{ AUTH_SERVES_REALTIME: 'false' }, false],
    [{ AUTH_SERVES_REALTIME: 'true', REALTIME_REPLICAS: '2' }, true],
  ])('the environment %j says whether the auth service serves live streams', (env, serves) => {
    expect(authConfig(readSettings({ ...least, ...env })).servesRealtime).toBe(serves)
  })

  test('the environment has the defaults of the run contract', () => {
    expect(readSettings({})).toMatchObject({
      PORT: 3000,
      DATA_PORT: 3001,
      PUBLIC_URL: 'http://localhost:3000',
      DATA_URL: 'http://localhost:3001',
      DATA_DIR: '.data',
      DATA_BODY_LIMIT: 2_097_152,
      RATE_LIMIT_ENABLED: true,
      LOG_LEVEL: 'info',
    })
    expect(readSettings({ PORT: '4000' }).PUBLIC_URL).toBe('http://localhost:4000')
  })

  test('the environment treats an empty value as absent, and ignores a slash at the end of PUBLIC_URL', () => {
    expect(readSettings({ PORT: '', PUBLIC_URL: 'https://money.example.org/' })).toMatchObject({
      PORT: 3000,
      PUBLIC_URL: 'https://money.example.org',
    })
  })

  test('the environment accepts the origins of native apps in TRUSTED_ORIGINS', () => {
    const origins = [
      'capacitor://localhost',
      'ionic://localhost',
      'tauri://localhost',
      'app://-',
      'app://money.example:8080',
    ]
    expect(readSettings({ TRUSTED_ORIGINS: origins.join(', ') }).TRUSTED_ORIGINS).toEqual(origins)
  })

  test.each([
    ['PORT', 'abc'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['DATA_PORT', '3000'],
    ['HOST', 'localhost:1'],
    ['PUBLIC_URL', 'money.example.org'],
    ['PUBLIC_URL', 'https://money.example.org/app'],
    ['PUBLIC_URL', 'ftp://money.example.org'],
    ['DATABASE_URL', 'mysql://secret@x/y'],
    ['AUTH_DATABASE_URL', 'postgresql://postgres:secret@x/y'],
    ['AUTHENTICATOR_PASSWORD', 'secret'],
    ['BETTER_AUTH_SECRET', 'secret'],
    ['APP_URL', 'app.example.org'],
    ['APP_URL', 'https://app.example.org/?secret'],
    ['APP_URL', 'https://ann:secret@app.example.org'],
    ['TRUSTED_ORIGINS', 'https://a.example/path'],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['TRUSTED_ORIGINS', '*'],
    ['TRUSTED_ORIGINS', 'https://a.example, https://*.secret.example'],
    ['TRUSTED_ORIGINS', 'https://a.example;https://b.example'],
    ['TRUSTED_ORIGINS', 'a.example'],
    ['TRUSTED_ORIGINS', 'null'],
    ['TRUSTED_ORIGINS', 'capacitor://'],
    ['TRUSTED_ORIGINS', 'capacitor://secret/path'],
    ['TRUSTED_ORIGINS', 'tauri://*.secret'],
    ['TRUSTED_ORIGINS', 'App://secret'],
    ['TRUSTED_ORIGINS', 'file://secret'],
    ['APP_URL', 'capacitor://secret'],
    ['PUBLIC_URL', 'tauri://secret'],
    ['COOKIE_DOMAIN', 'localhost:80'],
    ['COOKIE_DOMAIN', 'example.org'],
    ['COOKIE_SAME_SITE', 'strict'],
    ['COOKIE_SAME_SITE', 'none'],
    ['APP_CSP', 'default-src "secret"'],
    ['APP_CSP', 'default-src `secret`'],
    ['MAIL_FROM', 'nobody'],
    ['MAIL_FROM', 'a@example.org\r\nBcc: b@example.org'],
    ['RESEND_BASE_URL', 'x'],
    ['SMTP_URL', 'http://secret'],
    ['RATE_LIMIT_ENABLED', 'yes'],
    ['DEFAULT_PRODUCT', 'A B'],
    ['SIGN_UP', 'never'],
    ['SIGN_UP_DOMAINS', 'example.org;secret.example'],
    ['SIGN_UP_DOMAINS', '@example.org'],
    ['EVENTS_DAYS', '0'],
    ['EVENTS_DAYS', '1.5'],
    ['EVENTS_DAYS', '36501'],
    ['OIDC_ISSUER', 'login.example.org'],
    ['OIDC_ISSUER', 'https://login.example.org/?secret'],
    ['OIDC_SIGN_UP', 'sometimes'],
    ['EXCHANGE_RATES_URL', 'ftp://secret.example.org/rates.xml'],
    ['OIDC_NAME', 'secret'.repeat(11)],
    ['LOG_LEVEL', 'loud'],
    ['DATA_BODY_LIMIT', '2MB'],
    ['DATA_BODY_LIMIT', '65535'],
    ['DATA_BODY_LIMIT', '16777217'],
  ])('%s=%s is refused in one line that names the variable and not the value', (name, value) => {
    let message = ''
    try {
      readSettings({ [name]: value })
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(new RegExp(`^${name} .*\\.$`))
    expect(message).not.toContain('secret')
    expect(message).not.toContain('\n')
  })
})

describe('a secret in a file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** Writes a secret and returns its path. */
  const file = async (secret: string) => {
    const path = join(folder, 'secret')
    await writeFile(path, secret)
    return path
  }
  const valid: Partial<Record<keyof Settings, string>> = {
    DATABASE_URL: 'postgresql://owner:secret@db/finance',
    AUTH_DATABASE_URL: 'postgresql://auth_service:secret@db/finance',
    OWNER_PASSWORD: ' a "secret" of $several words ',
    AUTH_SERVICE_PASSWORD: 'secret',
    AUTHENTICATOR_PASSWORD: 'secret of the authenticator',
    BETTER_AUTH_SECRET: 'secret'.repeat(6),
    RESEND_API_KEY: 're_secret',
    SMTP_URL: 'smtp://ann:secret@mail.example.org',
    OIDC_CLIENT_SECRET: 'secret',
    AWS_ACCESS_KEY_ID: 'AKIDSECRET',
    AWS_SECRET_ACCESS_KEY: 'secret/of+a=key',
    AWS_SESSION_TOKEN: 'secret',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret',
  }

  test('a secret in a file is supported for every setting that holds a password, a secret, a key or headers', () => {
    const secret = Object.keys(variables.shape).filter((name) =>
      /PASSWORD|SECRET|KEY$|HEADERS$/.test(name)
    )
    expect(secret).toContain('BETTER_AUTH_SECRET')
    expect(secretNames).toEqual(expect.arrayContaining(secret))
  })

  test.each(secretNames)('%s_FILE is read without the newline at its end', async (name) => {
    const value = valid[name] ?? expect.fail(`${name} has no valid value`)
    expect(readSettings({ [`${name}_FILE`]: await file(`${value}\n`) })[name]).toBe(value)
    expect(readSettings({ [`${name}_FILE`]: relative('.', await file(`${value}\r\n`)) })[name])
      .toBe(value)
    expect(readSettings({ [`${name}_FILE`]: '', [name]: value })[name]).toBe(value)
    expect(readSettings({ [`${name}_FILE`]: await file(value), [name]: '' })[name]).toBe(value)
  })

  test.each<[string, (name: string) => Promise<Record<string, string>>]>([
    ['is missing', async (name) => ({ [`${name}_FILE`]: join(folder, 'nothing-secret') })],
    ['is a folder', async (name) => ({ [`${name}_FILE`]: folder })],
    ['is empty', async (name) => ({ [`${name}_FILE`]: await file('\n') })],
    [
      'duplicates a plain value',
      async (name) => ({ [`${name}_FILE`]: await file('secret'), [name]: 'secret' }),
    ],
    ['has an invalid value', async (name) => ({ [`${name}_FILE`]: await file('se\ncret') })],
  ])(
    'a secret in a file that %s makes the start fail with one line that names the variable and not the value',
    async (_, env) => {
      const message = (name: string, environment: Record<string, string>) => {
        try {
          readSettings(environment)
          return `${name} was accepted.`
        } catch (error) {
          return (error as Error).message
        }
      }
      for (const name of ['BETTER_AUTH_SECRET', 'SMTP_URL', 'RESEND_API_KEY', 'DATABASE_URL']) {
        const error = message(name, await env(name))
        expect(error).toMatch(new RegExp(`^${name}(_FILE)? (?!was accepted).*\\.$`))
        expect(error).not.toMatch(/secret|se\n/)
      }
    },
  )

  test('a database URL with several hosts is refused with one line, and one with a comma in its password is not', () => {
    for (const hosts of ['h1:5432,h2:5432', 'h1,h2,h3', 'owner:secret@h1,h2']) {
      expect(() => readSettings({ DATABASE_URL: `postgresql://${hosts}/finance` })).toThrow(
        'DATABASE_URL names several hosts: it must be one name that leads to the primary, docs/cluster.md',
      )
    }
    const url = 'postgresql://owner:a,b@h1/finance'
    expect(readSettings({ DATABASE_URL: url }).DATABASE_URL).toBe(url)
  })

  test('a secret in a file with the password of auth_service completes its connection, whatever its characters', () => {
    const { AUTH_DATABASE_URL } = readSettings({
      AUTH_DATABASE_URL: 'postgresql://auth_service@db/finance',
      AUTH_SERVICE_PASSWORD: 'p@ss w%r/d',
    })
    expect(AUTH_DATABASE_URL).toBe('postgresql://auth_service:p%40ss%20w%25r%2Fd@db/finance')
    expect(() => readSettings({ ...least, AUTH_SERVICE_PASSWORD: 'secret' })).toThrow(
      /^AUTH_SERVICE_PASSWORD .*AUTH_DATABASE_URL has a password too/,
    )
  })

  test('a secret in a file with the owner’s password completes a DATABASE_URL without a password', () => {
    const owner = (url: string) =>
      readSettings({ DATABASE_URL: url, OWNER_PASSWORD: 'p@ss w%r/d' }).DATABASE_URL
    expect(owner('postgresql://owner@db/finance')).toBe(
      'postgresql://owner:p%40ss%20w%25r%2Fd@db/finance',
    )
    expect(owner('postgresql://owner:today@db/finance')).toBe('postgresql://owner:today@db/finance')
  })

  test('a secret in a file may be PostgREST’s connection URL as the authenticator’s password', () => {
    const read = (value: string) =>
      readSettings({ AUTHENTICATOR_PASSWORD: value }).AUTHENTICATOR_PASSWORD
    expect(read('postgresql://authenticator:p%40ss%20w%25r%2Fd@')).toBe('p@ss w%r/d')
    expect(read('postgres://authenticator:long-enough@db:5432/finance')).toBe('long-enough')
    expect(() => read('postgresql://authenticator:100%secret@')).toThrow(
      'AUTHENTICATOR_PASSWORD has a % that begins no escape: write it as %25.',
    )
    for (const unencoded of ['p@ss-word', 'pass/word', 'pass word', 'pass#word', 'pass?word'])
      expect(() => read(`postgresql://authenticator:${unencoded}@`)).toThrow(
        /^AUTHENTICATOR_PASSWORD must be .*<password>@, with .* percent-encoded/,
      )
    expect(() => read('postgresql://postgres:long-enough@')).toThrow(
      'AUTHENTICATOR_PASSWORD must be postgresql://authenticator:<password>@',
    )
    expect(() => read('postgresql://authenticator:short@')).toThrow(
      'AUTHENTICATOR_PASSWORD must have at least 8 characters.',
    )
  })
})

test('the app is at the origin by default; another APP_URL is also a trusted origin', () => {
  const { appUrl, origins } = authConfig(readSettings({
    ...least,
    PUBLIC_URL: 'https://api.example.org',
    APP_URL: 'https://example.net/money/',
    TRUSTED_ORIGINS: 'https://a.example',
  }))
  expect(appUrl).toBe('https://example.net/money')
  expect(
    ['https://api.example.org', 'https://a.example', 'https://example.net', 'https://net'].map(
      origins.trusts,
    ),
  ).toEqual([true, true, true, false])
  expect(authConfig(readSettings({ ...least, PUBLIC_URL: 'https://api.example.org/' })).appUrl)
    .toBe('https://api.example.org')
})

describe('the session cookie', () => {
  const cookie = (PUBLIC_URL: string, more: Record<string, string>) => () =>
    readSettings({ PUBLIC_URL, ...more })

  test('the session cookie can be shared only with a domain that contains PUBLIC_URL’s host', () => {
    expect(cookie('https://api.example.org', { COOKIE_DOMAIN: '.Example.org' })).not.toThrow()
    expect(cookie('https://example.org', { COOKIE_DOMAIN: 'example.org' })).not.toThrow()
    expect(cookie('https://badexample.org', { COOKIE_DOMAIN: 'example.org' })).toThrow(
      'COOKIE_DOMAIN must be the host of PUBLIC_URL',
    )
    expect(cookie('https://example.org', { COOKIE_DOMAIN: 'api.example.org' })).toThrow(
      'COOKIE_DOMAIN must be the host of PUBLIC_URL',
    )
  })

  test('the session cookie for apps on other sites needs HTTPS', () => {
    expect(cookie('https://api.example.org', { COOKIE_SAME_SITE: 'none' })).not.toThrow()
    expect(cookie('http://localhost:3000', { COOKIE_SAME_SITE: 'none' })).toThrow(
      'COOKIE_SAME_SITE may be none only where PUBLIC_URL begins with https',
    )
  })
})

test('production refuses to start without a mail transport', () => {
  expect(() => authConfig(readSettings({ ...least, NODE_ENV: 'production' }))).toThrow(
    /^RESEND_API_KEY or SMTP_URL must be set in production, .* RESEND_API_KEY_FILE or SMTP_URL_FILE\.$/,
  )
  expect(() => authConfig(readSettings({ ...least, NODE_ENV: 'production', RESEND_API_KEY: 'k' })))
    .toThrow('MAIL_FROM')
  expect(
    authConfig(
      readSettings({
        ...least,
        NODE_ENV: 'production',
        SMTP_URL: 'smtp://localhost',
        MAIL_FROM: 'a@example.org',
      }),
    ).mail.transport.kind,
  ).toBe(
    'smtp',
  )
})

test('production needs the secret and the connection, and names them', () => {
  expect(() => authConfig(readSettings({ ...least, BETTER_AUTH_SECRET: '' }))).toThrow(
    'BETTER_AUTH_SECRET must be set.',
  )
  expect(() => authConfig(readSettings({ ...least, AUTH_DATABASE_URL: '' }))).toThrow(
    'AUTH_DATABASE_URL must be set.',
  )
})

test('Resend takes precedence over SMTP, and without both mails are log lines', () => {
  const kind = (env: Record<string, string>) =>
    authConfig(readSettings({ ...least, ...env })).mail.transport.kind
  expect(kind({ RESEND_API_KEY: 'k', SMTP_URL: 'smtp://localhost' })).toBe('resend')
  expect(kind({ SMTP_URL: 'smtp://localhost' })).toBe('smtp')
  expect(kind({})).toBe('log')
})

describe('single sign-on', () => {
  const client = { OIDC_CLIENT_ID: 'finance', OIDC_CLIENT_SECRET: 'secret' }
  const oidc = (env: Record<string, string>) => authConfig(readSettings({ ...least, ...env })).oidc

  test('single sign-on is enabled with its three settings, and disabled without them', () => {
    expect(oidc({ OIDC_NAME: 'Authelia' })).toBe(undefined)
    expect(oidc({ ...client, OIDC_ISSUER: 'https://login.example.org/realms/home' })).toEqual({
      issuer: 'https://login.example.org/realms/home',
      clientId: 'finance',
      clientSecret: 'secret',
      name: 'login.example.org',
      signUp: true,
    })
    expect(
      oidc({
        ...client,
        OIDC_ISSUER: 'http://localhost:9000/',
        OIDC_NAME: 'Authelia',
        OIDC_SIGN_UP: 'false',
      }),
    ).toMatchObject({
      name: 'Authelia',
      signUp: false,
    })
  })

  test.each(['1e6', '0x100000', '1048576.5', '-1048576', '1 048 576'])(
    'the body limit %s, which is not written in digits, makes the start fail',
    (limit) => {
      expect(() => readSettings({ DATA_BODY_LIMIT: limit })).toThrow(
        'DATA_BODY_LIMIT must be a number of bytes.',
      )
    },
  )

  test.each(['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'])(
    'single sign-on without %s, but with the other two, makes the start fail',
    (name) => {
      expect(() => oidc({ ...client, OIDC_ISSUER: 'https://login.example.org', [name]: '' }))
        .toThrow(`${name} must be set.`)
    },
  )

  test('single sign-on needs HTTPS except on this machine, as the exchange rates do', () => {
    const rates = (url: string) =>
      authConfig(readSettings({ ...least, EXCHANGE_RATES_URL: url })).exchangeRatesUrl
    expect(() => rates('http://rates.example.org/daily.xml')).toThrow(
      'EXCHANGE_RATES_URL must begin with https',
    )
    expect(rates('http://localhost:9000/daily.xml')).toBe('http://localhost:9000/daily.xml')
    expect(rates('https://rates.example.org/daily.xml')).toBe('https://rates.example.org/daily.xml')
    expect(rates('')).toBeUndefined()
  })

  test('single sign-on needs HTTPS except on this machine, and SameSite=lax', () => {
    expect(() => oidc({ ...client, OIDC_ISSUER: 'http://login.example.org' })).toThrow(
      'OIDC_ISSUER must begin with https',
    )
    expect(() =>
      oidc({
        ...client,
        OIDC_ISSUER: 'https://login.example.org',
        PUBLIC_URL: 'https://api.example.org',
        COOKIE_SAME_SITE: 'none',
      })
    ).toThrow(
      'OIDC_ISSUER needs COOKIE_SAME_SITE=lax',
    )
  })
})
