/**
 * The library that sorts texts changes under a database, as by another image of PostgreSQL. The
 * operator learns of it.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readDatabaseFigures } from '../../auth/database-figures.ts'
import { connection, execute, passwords, publicUrl } from '../support/database.ts'
import { migrate } from '../../db/migrate.ts'
import { operator } from '../support/operator.ts'

const name = `test_${randomBytes(6).toString('hex')}`
const url = () => connection(inject('serverUrl'), { database: name })
beforeAll(async () => {
  // the provider builtin has one version, and libc has none for C
  await execute(
    inject('serverUrl'),
    `create database ${name} template template0 locale_provider icu icu_locale 'en'`,
  )
  await migrate({
    databaseUrl: url(),
    publicUrl,
    authServicePassword: passwords.authService,
    authenticatorPassword: passwords.authenticator,
  })
})
// without force, which would end a connection that is closing
afterAll(() => execute(inject('serverUrl'), `drop database ${name}`))

const figures = async () => {
  const pool = new pg.Pool({
    connectionString: connection(url(), { user: 'auth_service', password: passwords.authService }),
    max: 1,
  })
  try {
    return await readDatabaseFigures(pool)
  } finally {
    await pool.end()
  }
}

test('the same version is no finding', async () => {
  expect((await operator(url(), 'status')).text).not.toContain('indexes of texts')
  expect(await figures()).toMatchObject({ collationChanged: false })
})

test('another version is a line of `admin status` and a metric, until the indexes are rebuilt', async () => {
  await execute(
    inject('serverUrl'),
    `update pg_database set datcollversion = '1.0' where datname = '${name}'`,
  )
  expect((await operator(url(), 'status')).text).toMatch(
    /^Warning: the indexes of texts were built with version 1\.0 of the library that sorts them, and it is [\d.]+ now/m,
  )
  expect(await figures()).toMatchObject({ collationChanged: true })
  await execute(url(), `alter database ${name} refresh collation version`)
  expect(await figures()).toMatchObject({ collationChanged: false })
})
