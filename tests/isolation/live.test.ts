/**
 * Live streams as the eyes of every actor. Each stream tells exactly the changed rows that its
 * actor may see, and its bytes do not depend on the changes of strangers. docs/isolation.md
 * explains the suite.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLive, type Live } from '../support/live.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { sees } from './model.ts'
import { createWorld, type Actor, type StoredRow, type World } from './world.ts'

type Place = { stack: Stack, owner: pg.Client, world: World }

let all: Place
let withoutStrangers: Place
const open = async (): Promise<Place> => {
  const stack = await startStack({ env: { PUBLIC_URL: 'http://isolation.example' } })
  const owner = new pg.Client({ connectionString: stack.ownerUrl })
  await owner.connect()
  return { stack, owner, world: await createWorld(owner) }
}
beforeAll(async () => {
  all = await open()
  withoutStrangers = await open()
})
afterAll(async () => {
  for (const { stack, owner } of [all, withoutStrangers]) {
    await owner.end()
    await stack.close()
  }
})

/** The id of a row in a stream: a tag association has that of its transaction. */
const idOf = ({ table, key }: StoredRow) => `${table}:${key.split('/')[0]}`

/** The tables with noted changes: all but activity, which records the changes of the others. */
const tablesOf = ({ catalogue }: World) =>
  catalogue.tables.map(({ name }) => name).filter((name) => name !== 'activity')

const headersOf = (
  { token }: Actor,
): Record<string, string> => (token === undefined ? {} : { authorization: `Bearer ${token}` })

/**
 * Changes rows of every table, deletes dashboards, and at last creates a tag in each context.
 * @returns the ids of these tags
 */
async function changeRows(
  { owner, world }: Place,
  isChanged: (row: StoredRow) => boolean,
): Promise<Set<string>> {
  const ids = (table: string) =>
    world.rows.filter((row) => row.table === table && isChanged(row)).map(({ key }) =>
      key.split('/')[0]
    )
  for (const table of tablesOf(world)) {
    const column = table === 'transaction_tags' ? 'transaction_id' : 'id'
    await owner.query(`update api.${table} set user_id = user_id where ${column} = any ($1)`, [
      ids(table),
    ])
  }
  await owner.query('delete from api.dashboards where id = any ($1)', [ids('dashboards')])
  const { rows } = await owner.query<{ id: string }>(
    `insert into api.tags (name, user_id, organization_id) select 'last', id, null from auth.users union all select 'last', null, id from auth.organizations returning id`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Reads a stream until it has told the last change of each of its contexts. */
async function readAll(stream: Live, contexts: number, last: Set<string>): Promise<void> {
  for (let ends = 0; ends < contexts;) {
    const { data } = await stream.next('change')
    if ((data.ids as string[]).some((id) => last.has(id))) ends += 1
  }
}

const contextsOf = ({ caller }: Actor): number =>
  caller.kind !== 'user' ? 0 : (caller.organization === null ? 1 : caller.key === undefined ? 2 : 1)

const rowsIn = (stream: Live, last: Set<string>): string[] => {
  const ids = stream.events.filter(({ event }) => event === 'change').flatMap(({ data }) =>
    (data.ids as string[]).filter((id) => !last.has(id)).map((id) => `${data.table}:${id}`)
  )
  return [...new Set(ids)].toSorted()
}

test('a refused or anonymous caller gets no stream', async () => {
  const refused = all.world.actors.filter(({ caller }) => caller.kind !== 'user')
  expect(refused.length).toBeGreaterThan(5)
  for (const actor of refused) {
    const status = await openLive(all.stack.url, headersOf(actor)).then(
      ({ close }) => close().then(() => 200),
      ({ status: code }: Response) => code,
    )
    expect(status, actor.name).toBe(401)
  }
})

test('each other caller is told exactly the changed rows that it may see, and the bytes do not depend on strangers', async () => {
  const actors = all.world.actors.filter(({ caller }) => caller.kind === 'user')
  expect(actors.length).toBeGreaterThan(10)
  const streams = new Map<Actor, Live>()
  for (const actor of actors) streams.set(actor, await openLive(all.stack.url, headersOf(actor)))
  const one = actors.find(({ name }) => name === 'viewer of B') ?? expect.fail('no viewer of B')
  const alone = await openLive(
    withoutStrangers.stack.url,
    headersOf(withoutStrangers.world.actors.find(({ name }) => name === one.name)!),
  )
  const last = await changeRows(all, () => true)
  const lastAlone = await changeRows(withoutStrangers, (row) => sees(one.caller, row))
  await readAll(alone, contextsOf(one), lastAlone)
  for (const [actor, stream] of streams) {
    await readAll(stream, contextsOf(actor), last)
    const existing = all.world.rows.filter(({ table }) => tablesOf(all.world).includes(table))
    const visible = new Set(existing.filter((row) => sees(actor.caller, row)).map(idOf))
    expect(rowsIn(stream, last), actor.name).toEqual([...visible].toSorted())
    const hidden = existing.filter((row) => !visible.has(idOf(row)))
    expect(
      hidden.filter(({ key }) => stream.text().includes(key.split('/')[0]!)).map(idOf),
      actor.name,
    ).toEqual([])
    for (const team of ['team-a', 'team-b'])
      if (actor.caller.kind === 'user' && actor.caller.organization !== team)
        expect(stream.text(), actor.name).not.toContain(team)
  }
  // the ids of events and rows are random, and how many changes one read finds is chance: only the
  // last has an id
  const shape = (stream: Live, ends: Set<string>) =>
    rowsIn(stream, ends).map((row) => row.split(':')[0])
  expect(shape(alone, lastAlone)).toEqual(shape(streams.get(one)!, last))
  const frames = (stream: Live) =>
    new Set(
      stream.text().replace(/^id: .*\n/gm, '').replace(/[\da-f-]{36}/g, 'id').split('\n\n')
        .filter((frame) => !frame.startsWith(':')).map((frame) =>
          frame.replace(/"(?:ids|actions)":\[[^\]]*\]/g, '')
        ),
    )
  expect(frames(alone)).toEqual(frames(streams.get(one)!))
  for (const stream of [...streams.values(), alone]) await stream.close()
})
