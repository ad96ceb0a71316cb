/**
 * Writes db/schema.sql, the present shape of the database in one page: tables, constraints, indexes, policies, grants and
 * triggers, as PostgreSQL itself describes them. Functions and comments are left out, because db/functions and the
 * migrations are their home. Needs `pg_dump` of version 15 and DATABASE_URL, a migrated database; `.ci/run` checks that
 * the page is current.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const databaseUrl = process.env['DATABASE_URL']
if (databaseUrl === undefined) throw new Error('DATABASE_URL must be set.')

const { stdout } = await promisify(execFile)(process.env['PG_DUMP'] ?? 'pg_dump',
  ['--schema-only', '--no-owner', '--exclude-schema=graphile_worker', databaseUrl], { maxBuffer: 64 * 1024 * 1024 })

const leftOut = new Set(['FUNCTION', 'AGGREGATE', 'COMMENT', 'DOMAIN'])
const objects = stdout.split(/^--\n(?=-- Name: )/m).slice(1).map((part) => {
  const [, name = '', type = ''] = /^-- Name: (.*?); Type: (.*?);/.exec(part) ?? []
  return { name, type, sql: part.split('\n').filter((line) => !line.startsWith('--') && !/^(SET|SELECT pg_catalog|\\)/.test(line)).join('\n').trim() }
})
const present = objects
  .filter(({ name, type, sql }) => !leftOut.has(type) && !/^(FUNCTION|AGGREGATE|DOMAIN) /.test(name) && sql !== '')
  .map(({ sql }) => sql)

await writeFile(process.argv[2] ?? `${import.meta.dirname}/schema.sql`, `-- The present, written by \`npm run schema\` from a migrated database. Change it in db/migrations.\n\n${present.join('\n\n')}\n`)
