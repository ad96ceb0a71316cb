/** The lint of db/migrations. Each statement that would make users wait is refused. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { lintMigrations } from '../../db/lints/migrations.ts'

/** Lints files in the order in which they are given. @returns the findings of each file */
async function lint(files: string[]): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  try {
    const names = files.map((_, at) => `${String(at + 1).padStart(4, '0')}_sample`)
    for (const [at, sql] of files.entries())
      await writeFile(join(folder, `${names[at]}.sql`), `${sql}\n`)
    const found = await lintMigrations(folder, '1.1.0')
    return names.map((name) =>
      found.filter(({ file }) => file === `db/migrations/${name}.sql`).map(({ what }) => what)
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

const backfill =
  `-- backfill\nupdate api.t set a = 1 where id in (select id from api.t where tenant = $1 and a is null limit $2);`
const check = 'alter table api.t add constraint t_a check (a is not null) not valid;'
const validate = 'alter table api.t validate constraint t_a;'

test('the lint accepts what lets users write, and words in comments and texts', async () => {
  const accepted = [
    backfill,
    'alter table api.t add column a text;',
    `alter table api.t add column a text not null default 'b';`,
    'create table api.t (id uuid primary key, a text check (char_length(a) < 9));',
    '-- no transaction\ncreate index concurrently if not exists t_a on api.t (a);',
    '-- no transaction\ndrop index concurrently if exists api.t_a;',
    `-- needs: 0001_sample\n${check}`,
    `-- needs: 0001_sample\n${validate}`,
    'alter table api.t alter column a set not null, drop constraint t_a;',
    '-- contract: 1.1.0\nalter table api.t drop column a;',
    `-- lock table\ncomment on table api.t is 'update all; do it';`,
  ]
  expect(await lint(accepted)).toEqual(accepted.map(() => []))
})

const refused: [sql: string, what: RegExp][] = [
  ['create index t_a on api.t (a);', /Use `concurrently`/],
  ['drop index api.t_a;', /Drop the index `CONCURRENTLY`/],
  ['create index concurrently if not exists t_a on api.t (a);', /is `-- no transaction`/],
  ['-- no transaction\ncreate index concurrently t_a on api.t (a);', /write `if not exists`/],
  [`-- no transaction\nselect 1; select 2;`, /has one statement: write a file for each/],
  ['reindex table api.t;', /Use `concurrently`/],
  ['alter table api.t add constraint t_a check (a > 0);', /Use `NOT VALID` with a later/],
  ['alter table api.t add constraint t_b foreign key (b) references api.b;', /Add `NOT VALID`/],
  ['alter table api.t add constraint t_a unique (a);', /create the constraint using the index/],
  [`${check} ${validate}`.replaceAll(/\ba\b|t_a/g, 'c'), /in a separate transaction/],
  ['alter table api.t alter column a set not null;', /in two earlier files add constraint/],
  ['alter table api.t add column a text check (a > 0);', /validate it in the next file/],
  [
    'alter table api.t alter column a type text;',
    /backfill it, and drop the old one a release later/,
  ],
  ['alter table api.t add column a uuid default gen_random_uuid();', /backfill existing rows/],
  ['alter table api.t add column a text not null;', /non-VOLATILE DEFAULT/],
  ['update api.t set a = 1;', /a file with the first line `-- backfill`/],
  ['with b as (select 1) delete from api.t using b;', /a file with the first line `-- backfill`/],
  ['-- backfill\nupdate api.t set a = 1;', /has `tenant = \$1`, and a subquery `limit \$2`/],
  ['do $$ begin update api.t set a = 1; end $$;', /write its statements out/],
  ['alter table api.t drop column a;', /a first line such as `-- contract: 1\.1\.0`/],
  ['alter table api.t drop a, drop constraint b;', /a first line such as `-- contract: 1\.1\.0`/],
  ['drop table api.t;', /a first line such as `-- contract: 1\.1\.0`/],
  ['-- contract: 1.2.0\ndrop table api.t;', /1\.2\.0 is not a release up to 1\.1\.0/],
  ['-- contract: the last\ndrop table api.t;', /the last is not a release/],
  ['alter table api.t rename column a to b;', /drop the old one a release later/],
  ['alter table api.t rename to b;', /drop the old one a release later/],
  ['lock table api.t;', /leave it out, and write statements that need none/],
  ['vacuum full api.t;', /leave it out, because autovacuum runs/],
  ['cluster api.t using t_a;', /leave it out, or create an index concurrently/],
  ['refresh materialized view api.t;', /use a table, and fill it by a backfill/],
  ['truncate api.t;', /delete the rows by a backfill/],
  ['alter table api.t set unlogged;', /create a new one, backfill it/],
  ['-- needs: 0001_other\nselect 1;', /not an earlier file with the first line `-- backfill`/],
  [`-- contract: 1.1.0\n${backfill}`, /`-- backfill` has no such other line/],
]

let found: string[][]
beforeAll(async () => {
  found = await lint(refused.map(([sql]) => sql))
})

test.each(refused.map(([sql, what], at) => ({ sql, what, at })))(
  'the lint refuses: $sql',
  ({ what, at }) => {
    expect(found[at]?.join('\n')).toMatch(what)
  },
)

test('the lint refuses not null if the check of it is not validated, or is of another column', async () => {
  const notNull = 'alter table api.t alter column a set not null;'
  for (const files of [[check, notNull], [check.replace('(a ', '(b '), validate, notNull]])
    expect((await lint(files)).join()).toMatch(/set not null reads the whole table/)
})
