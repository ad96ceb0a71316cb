/** A database at an earlier migration, for tests of a migration with existing rows. */
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { migrate, migrationNames } from '../../db/migrate.ts'
import { connection, execute, passwords } from './database.ts'

export type FormerDatabase = { owner: pg.Client, upgrade: () => Promise<unknown>, close: () => Promise<void> }

/** Creates a database with the migrations before this one, such as `0015`. `upgrade` runs all others. */
export async function databaseBefore(migration: string): Promise<FormerDatabase> {
  const database = `former_${randomBytes(5).toString('hex')}`
  const databaseUrl = connection(inject('serverUrl'), { database })
  await execute(inject('serverUrl'), `create database ${database}`)
  const owner = new pg.Client({ connectionString: databaseUrl })
  await owner.connect()
  await owner.query(
    'create schema private; create table private.migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
  )
  for (const name of (await migrationNames()).filter((each) => each < migration)) {
    const sql = await readFile(join(import.meta.dirname, '../../db/migrations', name), 'utf8')
    await owner.query(sql)
    await owner.query('insert into private.migrations values ($1, $2)', [name, createHash('sha256').update(sql).digest('hex')])
  }
  return {
    owner,
    upgrade: () =>
      migrate({ databaseUrl, publicUrl: 'http://localhost:3000', authServicePassword: passwords.authService, authenticatorPassword: passwords.authenticator }),
    close: async () => {
      await owner.end()
      await execute(inject('serverUrl'), `drop database ${database} with (force)`)
    },
  }
}
