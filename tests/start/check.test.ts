/** `npm run check:db`, as an operator runs it. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { execute, freshDatabase } from '../support/database.ts'
import { floorsOf } from './support.ts'

const run = (databaseUrl: string): Promise<{ code: number, stdout: string, stderr: string }> =>
  promisify(execFile)(process.execPath, ['start/check.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
    .then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number, stdout: string, stderr: string }) => error,
    )

test('the command passes on a migrated database, reports old versions, and fails on a table without row level security', async () => {
  const { ownerUrl, drop } = await freshDatabase()
  expect(await run(ownerUrl)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+ rules, 0 broken\nFiles: 0 of 0 bytes, 0 damaged\n$/),
    stderr: await floorsOf(ownerUrl),
  })
  await execute(ownerUrl, 'alter table api.transactions disable row level security')
  expect(await run(ownerUrl)).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^\d+ rules, 1 broken\n/),
    stderr: expect.stringMatching(
      /^tables_without_row_security: transactions\n +Every exposed table/,
    ),
  })
  await drop()
})

test('the command compares the bytes of each file with its SHA-256, and names the damaged ones', async () => {
  const { ownerUrl, drop } = await freshDatabase()
  const ids = [1, 2, 3, 4].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
  // two chunks: "ab" and "c"
  const hash = createHash('sha256').update('abc').digest('hex')
  await execute(
    ownerUrl,
    `insert into auth.users (id, name, email, email_verified) values ('ann', 'Ann', 'ann@example.org', true);
    with t as (insert into api.transactions (name, amount, user_id) select 'Shopping', -n, 'ann' from generate_series(1, 4) n returning id, -amount as n)
    insert into api.attachments (id, transaction_id, name, size, sha256, status, content_type)
      select ('00000000-0000-4000-8000-00000000000' || n::integer)::uuid, id, 'receipt.txt', 3, '${hash}', 'ready', 'text/plain' from t;
    insert into private.files (id, attachment_id, user_id, tenant, size, stored_at) select id, id, 'ann', 'u:ann', 3, now() from api.attachments where id <> '${
      ids[3]
    }';
    insert into private.file_chunks select id, n, case n when 0 then 'ab'::bytea else 'c' end, tenant from private.files, generate_series(0, 1) n;
    update private.file_chunks set bytes = 'x' where file_id = '${ids[1]}' and number = 1;
    delete from private.file_chunks where file_id = '${ids[2]}' and number = 0`,
  )
  const { code, stdout, stderr } = await run(ownerUrl)
  expect({ code, files: stdout.split('\n')[1] }).toEqual({
    code: 1,
    files: 'Files: 3 of 9 bytes, 3 damaged',
  })
  expect(stderr.match(/(?<=The file of the attachment )\S+(?= is damaged)/g)).toEqual(ids.slice(1))
  await drop()
})

test.each([
  [
    'not migrated',
    'drop schema api cascade',
    /lacks tables: run `npm run migrate` first\.\n$/,
  ],
  [
    'of an older version',
    `delete from private.migrations where name = 'tables'`,
    /lacks tables: run `npm run migrate` first\.\n$/,
  ],
])(
  'a database that is %s causes one line instead of many broken rules',
  async (_state, statement, line) => {
    const { ownerUrl, drop } = await freshDatabase()
    await execute(ownerUrl, statement)
    expect(await run(ownerUrl)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(line),
    })
    await drop()
  },
)
