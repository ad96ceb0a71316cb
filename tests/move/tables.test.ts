/** The tables that move with a tenant, from the catalogue. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type pg from 'pg'
import { readTables } from '../../admin/tenant-tables.ts'
import { ownedDatabase } from '../support/database.ts'

let db: pg.Client
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ db, stop } = await ownedDatabase())
})
afterAll(() => stop())

test('each table moves with its tenant, or is of identity or of the deployment', async () => {
  const { moved, ofOrganization, ofUser } = await readTables(db)
  expect(moved.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['api.transactions', 'api.activity', 'private.file_chunks']),
  )
  expect(ofOrganization.toSorted()).toEqual([
    'auth.api_keys',
    'auth.calendars',
    'auth.events',
    'auth.invitations',
    'auth.members',
    'auth.webhooks',
  ])
  expect(ofUser.toSorted()).toEqual([
    'api.app_subscriptions',
    'auth.accounts',
    'auth.passkeys',
    'auth.sessions',
    'auth.two_factor_tokens',
    'auth.two_factors',
  ])
})

test('a table whose owner is unknown stops a move', async () => {
  await db.query('begin; create table private.notes (transaction_id uuid)')
  await expect(readTables(db)).rejects.toThrow('private.notes')
  await db.query('rollback')
})
