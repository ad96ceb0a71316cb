/**
 * The notes of a backup identify its database. A restore is refused if the database differs from
 * the notes, so each damage here must be detected. The commands that compare are tested in
 * tests/containers.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDatabase, sumUpRows } from '../../db/describe.ts'
import { ownedDatabase } from '../support/database.ts'
import { damages, type Damage } from './damages.ts'

/** The share of damages that a normal run tries. The proof tries more than a thousand. */
const every = Number(process.env['DAMAGES_EVERY'] ?? '7')

let stop: () => Promise<void>
let db: pg.Client

beforeAll(async () => {
  ;({ db, stop } = await ownedDatabase())
  // All rows have the same time, so that no hash depends on the date.
  await db.query(`
    insert into auth.users (id, name, email, email_verified, created_at, updated_at)
      values ('ann', 'Ann', 'ann@example.org', true, '2026-01-01Z', '2026-01-01Z'), ('ben', 'Ben', 'ben@example.org', false, '2026-01-01Z', '2026-01-01Z');
    insert into api.transactions (id, name, amount, user_id, transaction_date) values ('6c3f0d6e-1d1b-4c8e-9c5e-000000000001', 'Bread', -3.5, 'ann', '2026-01-01Z'),
      ('6c3f0d6e-1d1b-4c8e-9c5e-000000000002', 'Tea', -2, 'ben', '2026-01-02Z');
    insert into api.tags (name, user_id) values ('trip', 'ann');
    insert into api.accounts (name, type, user_id) values ('Wallet', 'cash', 'ann')`)
})
afterAll(() => stop())

const halves = { definitions: describeDatabase, rows: sumUpRows }
type Half = keyof typeof halves
/** One half of the notes of a backup at this moment. */
const half = async (name: Half): Promise<string> =>
  (await halves[name](db)).map((object) => JSON.stringify(object)).join('\n')
/** The notes of a backup at this moment. */
const allNotes = async (): Promise<string> => `${await half('definitions')}\n${await half('rows')}`

/**
 * The kinds of the notes that a damage changes first. They are compared before all others, because
 * all notes take ten times as long.
 */
const likelyKinds: Record<string, string[]> = {
  policy: ['policy'],
  table: ['table', 'owner', 'trigger', 'comment'],
  column: ['table', 'grant', 'comment'],
  constraint: ['table'],
  index: ['index'],
  trigger: ['trigger'],
  function: ['function', 'owner', 'grant'],
  right: ['grant', 'owner', 'default grant', 'grant by PostgreSQL'],
  role: ['role', 'role setting', 'database setting'],
}
const catalogue = await readFile(join(import.meta.dirname, '../../db/catalogue.sql'), 'utf8')
/** The notes of some kinds of definitions at this moment. */
async function definitionsOf(kinds: string[]): Promise<string> {
  const query = catalogue.replace(
    'from objects order by',
    `from objects where kind in (${kinds.map((kind) => pg.escapeLiteral(kind)).join()}) order by`,
  )
  const results: unknown = await db.query(query)
  return JSON.stringify((results as pg.QueryResult[]).at(-1)?.rows)
}

const allDefinitions = () => half('definitions')
const allRows = () => half('rows')
/** The parts of the notes, the likeliest first. */
const partsOf: Record<string, (() => Promise<string>)[]> = {
  row: [allRows, allDefinitions],
  other: [allDefinitions, allRows],
  ...Object.fromEntries(
    Object.entries(likelyKinds).map(([kind, kinds]) => [kind, [
      () => definitionsOf(kinds),
      allDefinitions,
      allRows,
    ]]),
  ),
}
type Before = Map<() => Promise<string>, string>

/**
 * Returns whether PostgreSQL refuses the damaged dump, or the notes differ. A difference in one
 * part is enough.
 */
async function outcomeOf(
  { kind, statement }: Damage,
  before: Before,
): Promise<'refused' | 'seen' | 'not seen'> {
  await db.query('begin')
  try {
    await db.query(statement)
    for (const part of partsOf[kind] ?? []) if (await part() !== before.get(part)) return 'seen'
    return 'not seen'
  } catch (error) {
    if (error instanceof pg.DatabaseError) return 'refused'
    throw error
  } finally {
    await db.query('rollback')
  }
}

test('the notes of a backup are independent of session settings and of the order of rows', async () => {
  const before = await allNotes()
  await db.query('begin')
  await db.query(`
      set local timezone = 'Asia/Tokyo'; set local datestyle = 'German'; set local bytea_output = 'escape'; set local search_path = auth, api, public;
      set local role postgres; set local extra_float_digits = 0;
      create temporary table lying on commit drop as select * from private.role_permissions;
      delete from private.role_permissions;
      insert into private.role_permissions select * from lying order by random()`)
  expect(await allNotes()).toBe(before)
  await db.query('rollback')
})

test('the notes of a backup stay the same if each definition is created again from a dump', async () => {
  const before = (await allNotes()).split('\n')
  const { rows } = await db.query<{ statement: string }>(`
      with ours as (select oid from pg_namespace where nspname in ('api', 'auth', 'private', 'public'))
      select format('drop trigger %I on %s; %s', t.tgname, t.tgrelid::regclass, pg_get_triggerdef(t.oid)) as statement
      from pg_trigger t join pg_class c on c.oid = t.tgrelid where not t.tgisinternal and c.relnamespace in (select oid from ours)
      union all
      select format('alter table %1$s drop constraint %2$I, add constraint %2$I %3$s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
      from pg_constraint k where k.contype = 'c' and k.conrelid <> 0 and k.connamespace in (select oid from ours)
      union all
      select concat(format('alter policy %I on %s', p.polname, p.polrelid::regclass), ' using (' || pg_get_expr(p.polqual, p.polrelid) || ')',
        ' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
      from pg_policy p
      union all
      select format('alter table %s alter column %I set default %s', d.adrelid::regclass, a.attname, pg_get_expr(d.adbin, d.adrelid))
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum join pg_class c on c.oid = d.adrelid
      where a.attgenerated = '' and c.relkind = 'r' and c.relnamespace in (select oid from ours)
      union all
      select format('drop index %s; %s', i.indexrelid::regclass, pg_get_indexdef(i.indexrelid)) from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace in (select oid from ours) and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`)
  expect(rows.length).toBeGreaterThan(200)
  await db.query('begin')
  for (const { statement } of rows) await db.query(statement)
  const after = new Set((await allNotes()).split('\n'))
  await db.query('rollback')
  expect(before.filter((line) => !after.has(line))).toEqual([])
})

test('the notes of a backup ignore the number that PostgreSQL 17.12 stores in each column, and keep the options next to it', async () => {
  const before = await allNotes()
  const options =
    `update pg_attribute set attoptions = $1 where attrelid = 'api.tags'::regclass and attname = 'tenant'`
  const { rows: [{ attoptions }] } = await db.query(
    `select attoptions from pg_attribute where attrelid = 'api.tags'::regclass and attname = 'tenant'`,
  )
  await db.query('begin')
  await db.query(options, [['pg_attver=26950712', ...attoptions]])
  expect(await allNotes()).toBe(before)
  await db.query(options, [['pg_attver=26950712']])
  expect(await allNotes()).not.toBe(before)
  await db.query('rollback')
})

test(`the notes of a backup detect damage to any object and any row: one in ${every} is tried`, async () => {
  const before: Before = new Map()
  for (const part of new Set(Object.values(partsOf).flat())) before.set(part, await part())
  const all = await damages(db)
  // Some of every kind.
  const tried = Object.values(Object.groupBy(all, ({ kind }) => kind)).flatMap((some = []) =>
    some.filter((_, index) => index % every === 0)
  )
  const outcomes = []
  for (const damage of tried) outcomes.push({ ...damage, outcome: await outcomeOf(damage, before) })
  expect(outcomes.filter((one) => one.outcome === 'not seen')).toEqual([])
  const seen = outcomes.filter((one) => one.outcome === 'seen')
  process.stdout.write(
    `  ${all.length} damages; of ${tried.length} tried, ${seen.length} were seen, ${
      tried.length - seen.length
    } refused by PostgreSQL itself\n`,
  )
  expect(new Set(seen.map(({ kind }) => kind))).toEqual(new Set(all.map(({ kind }) => kind)))
  expect(seen.length).toBeGreaterThan(tried.length * 0.8)
  for (const [part, text] of before) expect(await part()).toBe(text)
})
