/**
 * The judgement of infra/docker/check: the lines of `.env`, the settings, the secrets, the address
 * and the machine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { checkDeployment, type Facts } from '../../infra/docker/deployment-checks.ts'
import { smtpSink } from '../support/mail-sink.ts'

const now = Date.parse('2026-11-28T12:00:00Z')
const composeFiles = readFileSync(join(import.meta.dirname, '../../compose.yaml'), 'utf8')
const PUBLIC_URL = 'https://money.example.org'
const basic =
  `# The address.\nPUBLIC_URL=${PUBLIC_URL}\nSITE_HOST=money.example.org\nHTTPS_PORT=443\nBACKUP_USER=1000:1000\n`
const secrets = {
  AUTHENTICATOR_PASSWORD: 'postgresql://authenticator:0123456789abcdef@',
  AUTH_SERVICE_PASSWORD: '0123456789abcdef',
  BETTER_AUTH_SECRET: '0123456789abcdef0123456789abcdef',
}
const port = (target: number, published: string, host_ip?: string) => ({
  target,
  published,
  ...(host_ip === undefined ? {} : { host_ip }),
})
const mib = (count: number) => String(count * 1024 * 1024)

type Change = Partial<Omit<Facts, 'config'>> & {
  lines?: string
  auth?: Record<string, string>
  ports?: ReturnType<typeof port>[]
  subnet?: string
  memoryOfDatabase?: number
  migrate?: Record<string, string>
  image?: string
  command?: string[]
}
/** A deployment without a problem, and one change. */
function verdict({
  lines = '',
  auth = {},
  migrate = {},
  ports = [port(443, '443'), port(80, '80'), port(8080, '8080', '127.0.0.1')],
  subnet = '10.229.68.0/24',
  memoryOfDatabase = 2048 * 1024 ** 2,
  image = 'postgres:18',
  command = ['postgres'],
  ...facts
}: Change = {}) {
  const config: Facts['config'] = {
    name: 'finance',
    services: {
      db: { mem_limit: String(memoryOfDatabase), image, command },
      auth: {
        mem_limit: mib(384),
        environment: {
          PUBLIC_URL,
          AUTH_DATABASE_URL: 'postgresql://auth_service@db/finance',
          AUTH_SERVICE_PASSWORD_FILE: '/run/secrets/AUTH_SERVICE_PASSWORD',
          BETTER_AUTH_SECRET_FILE: '/run/secrets/BETTER_AUTH_SECRET',
          SMTP_URL_FILE: '',
          ...auth,
        },
      },
      realtime: {
        mem_limit: mib(384),
        environment: {
          PUBLIC_URL,
          AUTH_DATABASE_URL: 'postgresql://auth_service@db/finance',
          BETTER_AUTH_SECRET_FILE: '/run/secrets/BETTER_AUTH_SECRET',
        },
      },
      edge: { mem_limit: mib(256), environment: { PUBLIC_URL, ...auth } },
      migrate: {
        environment: {
          PUBLIC_URL,
          AUTHENTICATOR_PASSWORD_FILE: '/run/secrets/AUTHENTICATOR_PASSWORD',
          AUTH_REPLICAS: '1',
          POSTGREST_REPLICAS: '1',
          ...migrate,
        },
      },
      caddy: { mem_limit: mib(128), ports },
    },
    networks: { edge: { name: 'finance_edge', ipam: { config: [{ subnet }] } } },
  }
  return checkDeployment({
    env: basic + lines,
    composeFiles,
    config,
    secrets,
    listening: [],
    containers: [],
    networks: [],
    database: { major: 18, max: 100, reserved: 3 },
    memory: 8 * 1024 ** 3,
    isPrivate: false,
    certificate: '',
    ...facts,
  }, now)
}

test('a deployment as setup makes it has no problem', () => {
  expect(verdict()).toEqual({ problems: [], doubts: [] })
})

describe('a line of .env', () => {
  test.each([
    ['SIGN_UP=open # for now', 'Line 6 of .env: the value of SIGN_UP ends at the #'],
    ['OIDC_NAME=Team $one', 'Line 6 of .env: the $ in OIDC_NAME begins a variable'],
    ['OIDC_NAME="Team $one"', 'Line 6 of .env: the $ in OIDC_NAME begins a variable'],
    ["OIDC_NAME='Team", 'Line 6 of .env opens a quote for OIDC_NAME and does not close it'],
    ['LOG_LEVEL debug', 'Line 6 of .env is not NAME=value'],
    [
      'SITE_HOST=money.example.org',
      'SITE_HOST is in .env more than once, on the lines 3, 6: keep one',
    ],
    ['LOG_LEVL=debug', 'LOG_LEVL on line 6 of .env is not a setting: write LOG_LEVEL.'],
    ['SIGNUP=closed', 'SIGNUP on line 6 of .env is not a setting: write SIGN_UP.'],
    ['sign_up=closed', 'sign_up on line 6 of .env is not a setting: write SIGN_UP.'],
    [
      'WHATEVER_THIS_IS=1',
      'WHATEVER_THIS_IS on line 6 of .env is not a setting: correct or remove it.',
    ],
    ['DATA_PORT=3001', 'DATA_PORT on line 6 of .env has no effect, because compose.yaml sets it'],
    [
      'SMTP_URL=smtp://mail.example.org',
      'SMTP_URL on line 6 of .env has no effect, because secrets are files',
    ],
    ['TLS=on', 'TLS must be auto or internal.'],
    ['BACKUP_TIME=25:00', 'BACKUP_TIME must be a time of day'],
    ['DB_RESERVE=16', 'DB_RESERVE must be a number of MiB, at least 32, or 0 for none.'],
    [
      'BACKUP_PING_URL=https://ping.example.org/1',
      'BACKUP_PING_URL on line 6 of .env has no effect, because secrets are files',
    ],
    ['DB_BACKEND_MEMORY=64', 'DB_BACKEND_MEMORY must be a number of MiB, at least 96.'],
    ['COMPOSE_PROFILES=bakcup', 'COMPOSE_PROFILES must name the profiles'],
  ])('%s is named with its correction', (lines, sentence) => {
    expect(verdict({ lines: `${lines}\n` }).problems).toEqual([expect.stringContaining(sentence)])
  })

  test.each([
    "OIDC_NAME='Team $one # two'",
    'OIDC_NAME="Team # two"',
    'OIDC_CLIENT_ID=a#b',
    'APP_URL=${PUBLIC_URL}/app',
    'OIDC_NAME=a$$b',
    'COMPOSE_PROFILES=backup,pitr',
    'LOG_LEVEL=info\r',
    'LOG_LEVEL=',
    'BETTER_AUTH_SECRET=kept-for-a-rollback',
    'SMTP_URL=kept\nSMTP_URL_FILE=secrets/SMTP_URL',
    '# LOG_LEVL=debug',
    'COMPOSE_FILE=.deployed.latest.yaml:compose.override.yaml\nVERSION=latest\nPREVIOUS_VERSION=old',
  ])('%j is right', (lines) => {
    expect(verdict({ lines: `${lines}\n` })).toEqual({ problems: [], doubts: [] })
  })

  test('a line of .env may name a variable of the own compose file', () => {
    expect(verdict({ lines: 'MINE=1\n', composeFiles: `${composeFiles}\nx: \${MINE}` }).problems)
      .toEqual([])
  })
})

describe('the settings', () => {
  test('the settings are read by the programs themselves, which name all problems at once, and none twice', () => {
    expect(
      verdict({
        auth: {
          SIGN_UP: 'never',
          EVENTS_DAYS: '0',
          LOG_LEVEL: 'loud',
          COOKIE_SAME_SITE: 'lax',
          MAIL_FROM: 'nobody',
        },
      }).problems.toSorted(),
    )
      .toEqual([
        'EVENTS_DAYS must be from 1 to 36500.',
        'LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent.',
        'MAIL_FROM must be an address such as Money <money@example.org>.',
        'SIGN_UP must be open, invitation or closed.',
      ])
  })

  test('the settings that fit each other badly are named: a sender without a provider, half a provider of single sign-on', () => {
    const { problems } = verdict({
      auth: {
        NODE_ENV: 'production',
        MAIL_FROM: 'a@example.org',
        OIDC_ISSUER: 'https://login.example.org',
      },
    })
    expect(problems).toEqual([
      expect.stringContaining('RESEND_API_KEY or SMTP_URL must be set in production'),
    ])
    expect(verdict({ auth: { OIDC_ISSUER: 'https://login.example.org' } }).problems).toEqual([
      'OIDC_CLIENT_ID must be set.',
    ])
  })

  test.each([
    'smtp://user:pa#ss@host:587',
    'smtp://user:pa/ss@host:587',
    'smtp://user:12/34@host:587',
    'smtp://us?er:x@host',
    'smtp://user:50%@host',
  ])(
    'say of %s that characters must be percent-encoded, and do not repeat it',
    (url) => {
      const { problems } = verdict({
        auth: { SMTP_URL_FILE: '/run/secrets/SMTP_URL' },
        secrets: { ...secrets, SMTP_URL: url },
      })
      expect(problems).toEqual([
        expect.stringMatching(/^SMTP_URL must .*percent-encoded \(# as %23/),
      ])
      expect(problems[0]).not.toContain(url)
    },
  )
})

test.each([
  ['BETTER_AUTH_SECRET', 'changeme', 'The file of BETTER_AUTH_SECRET still holds a placeholder'],
  ['BETTER_AUTH_SECRET', 'a'.repeat(40), 'BETTER_AUTH_SECRET has too few different characters'],
  [
    'BETTER_AUTH_SECRET',
    'too-short-a-secret',
    'BETTER_AUTH_SECRET must have at least 32 characters',
  ],
  [
    'AUTHENTICATOR_PASSWORD',
    '0123456789abcdef',
    'The file of AUTHENTICATOR_PASSWORD must hold postgresql://authenticator',
  ],
  ['RESEND_API_KEY', 'sk_0123456789', 'RESEND_API_KEY must begin with re_'],
  ['SMTP_URL', '<your smtp url>', 'The file of SMTP_URL still holds a placeholder'],
])('the secret %s with the content %s is a problem', (name, value, sentence) => {
  const { problems } = verdict({ secrets: { ...secrets, [name]: value } })
  expect(problems).toContainEqual(expect.stringContaining(sentence))
  expect(problems.join()).not.toContain(value)
})

describe('the address', () => {
  const moved = (url: string, host: string, lines = '') => ({
    env: `PUBLIC_URL=${url}\nSITE_HOST=${host}\nHTTPS_PORT=443\n${lines}`,
  })

  test('the address has the host of SITE_HOST and https', () => {
    expect(verdict(moved('https://money.example.org', 'other.example.org')).problems).toEqual([
      expect.stringContaining('SITE_HOST must be the host of PUBLIC_URL'),
    ])
    for (
      const url of [
        'https://money.example.org/',
        'https://Money.example.org',
        'https://money.example.org:443',
      ]
    ) {
      expect(verdict(moved(url, 'money.example.org')).problems).toEqual([
        expect.stringMatching(
          /^PUBLIC_URL must be https:\/\/money\.example\.org, .*: run infra\/docker\/setup https:\/\/money\.example\.org\.$/,
        ),
      ])
    }
    expect(verdict(moved('http://money.example.org', 'money.example.org')).problems).toEqual([
      expect.stringContaining('PUBLIC_URL must begin with https'),
    ])
  })

  test('the address raises a doubt with another port than the published one, and without a port for certificates', () => {
    const ports = [port(443, '8443'), port(80, '8081')]
    expect(verdict({ ports }).doubts).toEqual([
      expect.stringContaining('PUBLIC_URL has the port 443, and HTTPS_PORT is 8443'),
      expect.stringContaining(
        'An authority certifies money.example.org only over the ports 80 and 443',
      ),
    ])
    expect(
      verdict({ ports: ports.map((one) => ({ ...one, host_ip: '127.0.0.1' })) }).doubts,
      'behind the own proxy',
    ).toEqual([])
    expect(
      verdict({
        ports,
        ...moved('https://nas.local:8443', 'nas.local', 'TLS=internal\n'),
        isPrivate: true,
      }).doubts,
    ).toEqual([])
  })
})

test('a port of another program or container is named with its setting', () => {
  const listening = [{ address: '127.0.0.1', port: 8080 }]
  expect(verdict({ listening }).problems).toEqual([
    'PLAIN_PORT: the port 8080 is taken by another program: stop that, or set PLAIN_PORT in .env to a free port.',
  ])
  const containers = [{
    project: 'other',
    name: 'other-caddy-1',
    ports: '0.0.0.0:443->443/tcp, [::]:443->443/tcp',
  }]
  expect(verdict({ containers, listening: [{ address: '::', port: 443 }] }).problems).toEqual([
    expect.stringContaining('by the container other-caddy-1'),
  ])
})

test('a port of this deployment, or of another address, is free', () => {
  const containers = [{
    project: 'finance',
    name: 'finance-caddy-1',
    ports: '0.0.0.0:443->443/tcp, [::]:443->443/tcp',
  }]
  expect(
    verdict({
      containers,
      listening: [{ address: '0.0.0.0', port: 443 }, { address: '192.0.2.9', port: 8080 }],
    }).problems,
  ).toEqual([])
})

test('a port is given only once', () => {
  expect(verdict({ ports: [port(443, '443'), port(80, '443')] }).problems).toEqual([
    'HTTP_PORT and HTTPS_PORT are both 443: give each its own port.',
  ])
})

test('a subnet must not overlap with another network of Docker', () => {
  const network = (
    name: string,
    project: string,
    subnet: string,
  ) => [{ name, project, subnets: [subnet] }]
  for (const subnet of ['10.229.68.128/25', '10.0.0.0/8'])
    expect(verdict({ networks: network('vpn', 'other', subnet) }).problems).toEqual([
      expect.stringContaining("overlaps with Docker's network vpn"),
    ])
  expect(
    verdict({
      networks: [
        ...network('finance_edge', 'finance', '10.229.68.0/24'),
        ...network('b', '', '172.17.0.0/16'),
        ...network('c', '', 'fd00::/8'),
      ],
    })
      .problems,
  )
    .toEqual([])
  expect(verdict({ subnet: '10.229.68.0' }).problems).toEqual([
    'EDGE_SUBNET must be a range such as 10.229.69.0/24.',
  ])
})

test('the database of another major version than the image is named, because it could not start', () => {
  expect(verdict({ image: 'registry.example.org/postgres:19-bookworm@sha256:00' }).problems)
    .toEqual([
      expect.stringContaining(
        'POSTGRES_TAG: the database is of PostgreSQL 18, and version 19 cannot read its files: write POSTGRES_TAG=18 into .env',
      ),
    ])
  for (const image of ['postgres:18.6', 'example/own-database'])
    expect(verdict({ image }).problems).toEqual([])
  expect(verdict({ image: 'postgres:19', database: undefined }).problems, 'no database runs')
    .toEqual([])
})

test('the database must have enough connections for the processes and their pools', () => {
  const migrate = { PGRST_DB_POOL: '80' }
  const sentence = expect.stringContaining(
    '1 auth service and 1 PostgREST hold up to 101 connections, and PostgreSQL has 97 for them',
  )
  expect(verdict({ migrate }).problems).toEqual([sentence])
  expect(verdict({ migrate, database: undefined }).problems).toEqual([sentence])
  expect(verdict({ migrate, database: { major: 18, max: 200, reserved: 3 } }).problems).toEqual([])
  expect(
    verdict({ migrate, command: ['postgres', '-c', 'max_connections=200'] }).problems,
    'an addition to compose.yaml',
  ).toEqual([])
})

test('the database must have enough connections for realtime, and the machine memory for it, if it is on', () => {
  const migrate = { REALTIME_REPLICAS: '4' }
  expect(verdict({ migrate }).problems).toEqual([
    expect.stringContaining('1 auth service, 4 realtime and 1 PostgREST hold up to 113'),
  ])
  const memory = 2816 * 1024 ** 2
  expect(verdict({ memory }).doubts).toEqual([])
  expect(verdict({ memory, lines: 'REALTIME_REPLICAS=0\n' }).doubts).toEqual([])
  expect(verdict({ memory, lines: 'REALTIME_REPLICAS=1\n' }).doubts).toEqual([
    expect.stringContaining('db, auth, realtime, edge and caddy may use 3200 MiB'),
  ])
  expect(verdict({ lines: 'REALTIME_REPLICAS=1\nREALTIME_HEAP=400\n' }).doubts).toEqual([
    expect.stringContaining('REALTIME_MEMORY is 384 MiB'),
  ])
  expect(verdict({ lines: 'AUTH_SERVES_REALTIME=false\n' }).problems).toEqual([
    expect.stringContaining('AUTH_SERVES_REALTIME on line 6 of .env has no effect'),
  ])
})

test('a memory limit without its unit is a number of bytes, which Docker refuses', () => {
  expect(verdict({ memoryOfDatabase: 2048 })).toEqual({
    problems: ['DB_MEMORY is 2048 bytes: write a unit, such as DB_MEMORY=512m.'],
    doubts: [],
  })
})

test('too little memory of the machine or of a limit raises a doubt', () => {
  expect(verdict({ memory: 1024 ** 3 }).doubts).toEqual([
    expect.stringMatching(/^This machine has 1024 MiB of memory, and .* may use 2816 MiB/),
  ])
  expect(verdict({ memoryOfDatabase: 1024 ** 3 }).doubts).toEqual([
    expect.stringContaining('DB_MEMORY is 1024 MiB'),
  ])
  expect(verdict({ lines: 'AUTH_HEAP=400\n' }).doubts).toEqual([
    expect.stringContaining('AUTH_MEMORY is 384 MiB'),
  ])
})

describe('the program in the container', () => {
  /** Runs it with the facts of a host, as infra/docker/check writes them. */
  const check = async (host: string, facts: Record<string, string>, ...args: string[]) => {
    const url = `https://${host}`
    const services = {
      auth: {
        environment: {
          PUBLIC_URL: url,
          AUTH_DATABASE_URL: 'postgresql://auth_service@db/finance',
          BETTER_AUTH_SECRET_FILE: 'x',
          SMTP_URL_FILE: 'x',
        },
      },
      caddy: { ports: [port(8080, '8080', '127.0.0.1')] },
    }
    const all = {
      env: `PUBLIC_URL=${url}\nSITE_HOST=${host}\n`,
      compose: composeFiles,
      config: JSON.stringify({ name: 'finance', services }),
      'secret BETTER_AUTH_SECRET': `${secrets.BETTER_AUTH_SECRET}\n`,
      ...facts,
    }
    const program = spawn(process.execPath, [
      join(import.meta.dirname, '../../infra/docker/check.ts'),
      ...args,
    ], { stdio: ['pipe', 'pipe', 'inherit'] })
    program.stdin.end(Object.entries(all).map(([name, value]) => `${name}\0${value}\0`).join(''))
    const [output, [code]] = await Promise.all([readText(program.stdout), once(program, 'exit')])
    return { code, sentences: output.split('\n').slice(0, -1) }
  }

  test('the program in the container doubts a name without an address, unless it is to ask nobody', async () => {
    expect(await check('money.invalid', {})).toEqual({
      code: 2,
      sentences: [expect.stringMatching(/^The name money\.invalid .*(DNS record|name server)/)],
    })
    expect(await check('money.invalid', {}, '--local')).toEqual({ code: 0, sentences: [] })
  })

  test('the program in the container reads the sockets of the kernel', async () => {
    const listening = '0100007F:1F90\n00000000000000000000000000000000:0016\n'
    expect(await check('localhost', { listening })).toEqual({
      code: 1,
      sentences: [expect.stringContaining('PLAIN_PORT: the port 8080 is taken')],
    })
    expect(await check('localhost', { listening: '0B00000A:1F90\n' }), 'of another address')
      .toEqual({ code: 0, sentences: [] })
  })

  test('the program in the container signs in at the mail server, and shows no secret', async () => {
    const sink = await smtpSink()
    const login = { 'secret SMTP_URL': `${sink.url.replace('smtp://', 'smtp://ann:s3cret@')}\n` }
    expect(await check('localhost', login)).toEqual({ code: 0, sentences: [] })
    sink.mode = 'wrong-login'
    expect(await check('localhost', login)).toEqual({
      code: 1,
      sentences: [expect.stringContaining('SMTP_URL: the mail server refuses the login (')],
    })
    await sink.close()
    expect(await check('localhost', login)).toEqual({
      code: 2,
      sentences: [expect.stringContaining('SMTP_URL: the mail server cannot be reached (')],
    })
  })
})
