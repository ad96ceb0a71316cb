import { expect, test } from 'vitest'
import { readSettings } from '../../common/settings.ts'
import {
  authDatabaseUrl,
  authEnvironment,
  postgrestConnection,
  postgrestEnvironment,
} from '../../start/environment.ts'

const password = `p@ss w:o/r%d'"\\$&=x`
const secrets = {
  betterAuthSecret: 'b'.repeat(32),
  ownerPassword: 'o'.repeat(32),
  logins: { authService: password, authenticator: password },
}

test('the auth service’s connection is the owner’s with another user, and keeps its parameters', () => {
  const url = new URL(
    authDatabaseUrl(
      'postgresql://owner:secret@db.example.org:6432/ledger?sslmode=verify-full',
      password,
    ),
  )
  expect(url).toMatchObject({
    username: 'auth_service',
    host: 'db.example.org:6432',
    pathname: '/ledger',
    search: '?sslmode=verify-full',
  })
  expect(decodeURIComponent(url.password)).toBe(password)
})

test('the auth service’s connection names the database if the owner’s URL omits it', () => {
  expect(new URL(authDatabaseUrl('postgresql://owner@db', 'x')).pathname).toBe('/owner')
})

test('the auth service’s connection uses a socket if the owner’s does', () => {
  expect(authDatabaseUrl('postgresql:///ledger?host=/run/postgresql', 'x'))
    .toBe('postgresql://auth_service:x@localhost/ledger?host=/run/postgresql')
})

test('PostgREST’s connection is passed in variables of libpq, with the password unchanged', () => {
  expect(
    postgrestConnection(
      'postgresql://owner:secret@db.example.org/my%20ledger?sslmode=verify-full&sslrootcert=/ca.pem&application_name=x',
      password,
    ),
  )
    .toEqual({
      PGHOST: 'db.example.org',
      PGPORT: '5432',
      PGDATABASE: 'my ledger',
      PGUSER: 'authenticator',
      PGPASSWORD: password,
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: '/ca.pem',
    })
})

test.each([
  ['postgresql://owner@[::1]:6432/x', { PGHOST: '::1', PGPORT: '6432' }],
  ['postgresql:///x?host=/run/postgresql', { PGHOST: '/run/postgresql' }],
  ['postgresql://owner@db/x?sslmode=no-verify', { PGSSLMODE: 'require' }],
])('PostgREST’s connection is parsed from %s', (url, expected) => {
  expect(postgrestConnection(url, 'x')).toMatchObject(expected)
})

test('no service gets the owner’s connection', () => {
  const inherited = {
    DATABASE_URL: 'postgresql://owner:secret@db/x',
    AUTHENTICATOR_PASSWORD: 'of PostgREST',
    PGHOST: 'stray',
    PGRST_DB_POOL: '3',
  }
  const settings = readSettings(inherited)
  const auth = authEnvironment(settings, secrets, inherited.DATABASE_URL, inherited)
  expect(auth).toMatchObject({
    DATABASE_URL: undefined,
    AUTHENTICATOR_PASSWORD: undefined,
    BETTER_AUTH_SECRET: secrets.betterAuthSecret,
  })
  const postgrest = postgrestEnvironment(settings, secrets, inherited.DATABASE_URL, inherited)
  expect(postgrest).toMatchObject({
    PGHOST: 'db',
    PGRST_DB_POOL: '3',
    PGRST_OPENAPI_SERVER_PROXY_URI: 'http://localhost:3001',
  })
  expect(JSON.stringify([auth, postgrest])).not.toContain('owner:secret')
})
