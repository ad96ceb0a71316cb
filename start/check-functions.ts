/**
 * `npm run check:functions`: checks the functions in PL/pgSQL with the extension plpgsql_check, in
 * a new database on a server of its own. The embedded PostgreSQL has no such extension, so this
 * needs a server of Debian with the package postgresql-<version>-plpgsql-check.
 */
import { globSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { oneLine } from '../common/errors.ts'
import { migrate } from '../db/migrate.ts'
import { findPostgres } from './find-postgres.ts'
import { startPostgres } from './postgres.ts'

const password = 'owner-of-the-check'

/** Findings that are no faults, as conditions on a finding, with the reasons. */
const excluded = {
  'private.reject() is immutable, so the check evaluates a refusal with constant texts':
    `f.sqlstate = 'PGRST'`,
  'the result of a dynamic statement is known only when it runs':
    `f.detail = 'cannot to determine result of dynamic SQL'`,
  'db/core/named_arguments.sql creates functions that refuse any JSON':
    `f.functionid::regprocedure::text ~ '^api[.][a-z_]+[(]json[)]$'`,
}

/**
 * Checks each function once, but that of a trigger for each table, with the names of all its
 * transition tables.
 */
const findings = `
  with checked as (
    select p.oid, coalesce(t.tgrelid, 0) as relation,
      coalesce(max(t.tgoldtable) filter (where t.tgnewtable is not null), max(t.tgoldtable)) as old_table,
      coalesce(max(t.tgnewtable) filter (where t.tgoldtable is not null), max(t.tgnewtable)) as new_table
    from pg_proc p
    join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
    left join pg_trigger t on t.tgfoid = p.oid
    where p.pronamespace::regnamespace::text in ('api', 'private', 'public', 'auth')
      and (p.prorettype <> 'trigger'::regtype or t.oid is not null)
    group by p.oid, t.tgrelid
  )
  select concat(c.oid::regprocedure, ' on ' || nullif(c.relation, 0)::regclass::text, ', line ' || f.lineno) as place,
    concat_ws(' ', f.level || ':', f.message, f.detail, f.hint, 'in: ' || regexp_replace(f.query, '\\s+', ' ', 'g')) as finding
  from checked c
  cross join lateral plpgsql_check_function_tb(
    c.oid, c.relation, fatal_errors => false, oldtable => c.old_table, newtable => c.new_table) f
  where (${Object.values(excluded).join(' or ')}) is not true
  order by 1, 2`

async function check(url: string): Promise<{ place: string, finding: string }[]> {
  await migrate({
    databaseUrl: url,
    publicUrl: 'http://localhost',
    authServicePassword: password,
    authenticatorPassword: password,
  })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('create extension plpgsql_check')
    return (await client.query<{ place: string, finding: string }>(findings)).rows
  } finally {
    await client.end()
  }
}

/** Returns the folder with the programs of the newest installed server that has the extension. */
const folderOfServer = (): string | undefined =>
  globSync('/usr/lib/postgresql/*/lib/plpgsql_check.so').toSorted().map((file) =>
    join(file, '../../bin')
  ).at(-1)

try {
  const folder = folderOfServer()
  if (folder === undefined) {
    console.log(
      'The functions were not checked: no installed PostgreSQL has plpgsql_check. On Debian, install postgresql-15-plpgsql-check.',
    )
  } else {
    const directory = await mkdtemp(join(tmpdir(), 'finance-functions-'))
    await chmod(directory, 0o755)
    const programs = await findPostgres({ POSTGRES_BIN: folder }, directory)
    const server = await startPostgres({
      directory,
      password,
      programs,
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
    })
    try {
      const found = await check(server.url)
      for (const { place, finding } of found) console.error(`${place}\n  ${finding}`)
      console.log(`plpgsql_check of PostgreSQL ${programs.version}: ${found.length} findings`)
      if (found.length > 0) process.exitCode = 1
    } finally {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    }
  }
} catch (error) {
  console.error(`Cannot check the functions: ${oneLine(error)}`)
  process.exitCode = 1
}
