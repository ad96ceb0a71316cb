/** `npm run check:db`, as an operator runs it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { execute, freshDatabase } from '../support/database.ts'
import { floorsOf } from './support.ts'

const run = (databaseUrl: string): Promise<{ code: number, stdout: string, stderr: string }> =>
  promisify(execFile)(process.execPath, ['infra/local/check.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
    .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }), (error: { code: number, stdout: string, stderr: string }) => error)

test('the command passes on a migrated database, reports old versions, and fails on a table without row level security', async () => {
  const { ownerUrl, drop } = await freshDatabase()
  expect(await run(ownerUrl)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ rules, 0 broken\n$/), stderr: await floorsOf(ownerUrl) })
  await execute(ownerUrl, 'alter table api.transactions disable row level security')
  expect(await run(ownerUrl)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^\d+ rules, 1 broken\n$/),
    stderr: expect.stringMatching(/^tables_without_row_security: transactions\n +Every exposed table/),
  })
  await drop()
})

test.each([
  ['not migrated', 'drop schema api cascade', /lacks 0001_baseline\.sql, .*: run `npm run migrate` first\.\n$/],
  ['of an older version', `delete from private.migrations where name like '0018_%'`, /lacks 0018_undo\.sql: run `npm run migrate` first\.\n$/],
])('a database that is %s causes one line instead of many broken rules', async (_state, statement, line) => {
  const { ownerUrl, drop } = await freshDatabase()
  await execute(ownerUrl, statement)
  expect(await run(ownerUrl)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
  await drop()
})
