/**
 * An operator moves a team from one database to another while its members write, with the real
 * command, PostgREST and streams.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, onTestFinished } from 'vitest'
import { openLive } from '../support/live.ts'
import { storeAccounts, storeOrganization } from '../support/accounts.ts'
import { publicUrl } from '../support/database.ts'
import { tokenSigner, type Signer } from '../support/signer.ts'
import {
  furnish,
  longestGap,
  send,
  shareKeys,
  startCell,
  startMove,
  startWriter,
  type Cell,
} from './cells.ts'

let source: Cell
let target: Cell
let signer: Signer
const stops = new AsyncDisposableStack()
beforeAll(async () => {
  source = stops.use(await startCell({ wal_level: 'logical' }))
  target = stops.use(await startCell())
  signer = await tokenSigner(source.sql, publicUrl)
  await shareKeys(source, target)
})
afterAll(() => stops.disposeAsync())

/** A team with an owner, and tokens of the owner. */
type Team = { id: string, tenant: string, userId: string, token: string, personalToken: string }

/** Stores a team with rows in every table. */
async function newTeam(name: string): Promise<Team> {
  const [id, userId, sessionId] = [`${name}-team`, `${name}-user`, randomUUID()]
  const account = { id: userId, email: `${userId}@example.org`, sessionId }
  await storeAccounts(source.sql, [account])
  await storeOrganization(source.sql, id, new Map([[userId, 'owner']]))
  const token = await signer.sign({ ...account, organization: { id, role: 'owner' } })
  await expect.poll(async () => (await send(source, token, 'GET', '/accounts')).status).toBe(200)
  await furnish(source, token, id)
  return { id, tenant: `o:${id}`, userId, token, personalToken: await signer.sign(account) }
}

/** Returns the tables with a column tenant. */
async function ownedTables(cell: Cell): Promise<string[]> {
  const { rows } = await cell.sql.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and a.attname = 'tenant' and c.relname <> 'tenants' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Counts the rows of each tenant in each table. */
async function rowsOf(cell: Cell): Promise<Record<string, Record<string, number>>> {
  const counts: Record<string, Record<string, number>> = {}
  for (const name of await ownedTables(cell)) {
    const { rows } = await cell.sql.query<{ tenant: string, count: number }>(
      `select tenant, count(*)::integer as count from ${name} group by 1`,
    )
    counts[name] = Object.fromEntries(rows.map(({ tenant, count }) => [tenant, count]))
  }
  return counts
}

/** Nothing of a move is left: no publication, slot, subscription or changed replica identity. */
async function expectNothingLeft(): Promise<void> {
  for (const cell of [source, target]) {
    const { rows } = await cell.sql.query(
      `select pubname::text as left from pg_publication union all select slot_name from pg_replication_slots
      union all select subname from pg_subscription
      union all select oid::regclass::text from pg_class where relreplident = 'f'`,
    )
    expect(rows).toEqual([])
  }
}

const sumOf = (amounts: Iterable<number>) => [...amounts].reduce((sum, amount) => sum + amount, 0)

test('a team that writes 20 times a second moves without a lost or doubled write, and others notice nothing', async () => {
  const team = await newTeam('moving')
  const other = await newTeam('staying')
  const before = await rowsOf(source)
  const live = await openLive(source.realtimeUrl, { authorization: `Bearer ${team.token}` })
  await live.next('ready')
  const writer = startWriter(source, team.token, 50, target)
  const others = startWriter(source, other.token, 100)
  await expect.poll(() => writer.acknowledged).toBeGreaterThan(40)

  const { code, text } = await startMove(source, target, team.tenant).ended
  expect([code, text]).toEqual([0, expect.stringMatching(/rows, equal in both\. Writes waited/)])
  const atSwitch = writer.acknowledged
  await expect.poll(() => writer.acknowledged).toBeGreaterThan(atSwitch + 40)
  await Promise.all([writer.stop(), others.stop()])

  // writes: all at the target, once, with sums that are equal to those of the client
  expect(writer.cell).toBe(target)
  expect(new Set(writer.refusals.map(({ status, code: refusal }) => `${status} ${refusal}`)))
    .toEqual(new Set(['503 TENANT_MOVED']))
  expect(writer.switchedMs).toBeLessThan(3_000)
  const { rows: stored } = await target.sql.query<{ id: string, amount: string }>(
    `select id, amount from api.transactions where tenant = $1 and name like 'Row %'`,
    [team.tenant],
  )
  expect(new Map(stored.map(({ id, amount }) => [id, Number(amount)]))).toEqual(writer.rows)
  expect(sumOf(stored.map(({ amount }) => Number(amount)))).toBe(sumOf(writer.rows.values()))
  const { rows: [position] } = await target.sql.query(
    `select t.position = max(c.position) as "isLast",
      count(distinct c.position) = max(c.position) - min(c.position) + 1 as "hasNoGap"
    from private.tenants t join private.changes c using (tenant) where tenant = $1 group by t.position`,
    [team.tenant],
  )
  expect(position).toEqual({ isLast: true, hasNoGap: true })

  // the other team: nothing refused, no row at the target
  expect(others.refusals).toEqual([])
  const after = await rowsOf(target)
  expect(new Set(Object.values(after).flatMap((counts) => Object.keys(counts)))).toEqual(
    new Set([team.tenant]),
  )
  // a table without a row of the team would prove nothing
  for (const [name, counts] of Object.entries(before))
    expect(counts[team.tenant], name).toBeGreaterThan(0)
  for (const [name, counts] of Object.entries(before))
    expect(after[name]?.[team.tenant], name).toBeGreaterThanOrEqual(counts[team.tenant]!)

  // the stream: ends at the source, and resumes at the target
  expect(await live.next('end')).toMatchObject({ data: { reason: 'ended' } })
  const resumed = await openLive(target.realtimeUrl, {
    authorization: `Bearer ${team.token}`,
    'last-event-id': live.lastId()!,
  })
  const seen = () =>
    new Set(
      [...live.events, ...resumed.events].filter(({ event }) => event === 'change')
        .flatMap(({ data }) => (data.table === 'transactions' ? data.ids as string[] : [])),
    )
  await expect.poll(() => [...writer.touched].filter((id) => !seen().has(id))).toEqual([])
  expect(resumed.events.map(({ event }) => event)).not.toContain('reset')
  await resumed.close()

  // the source refuses the team, and still has the personal rows of its members
  for (const [method, path] of [['GET', '/transactions'], ['POST', '/tags']] as const)
    expect(
      await send(source, team.token, method, path, method === 'GET' ? undefined : { name: 'x' }),
    )
      .toMatchObject({ status: 503, code: 'TENANT_MOVED' })
  expect(await send(source, team.personalToken, 'POST', '/tags', { name: 'Mine' })).toMatchObject({
    status: 201,
  })
  expect(await send(target, team.personalToken, 'GET', '/tags')).toMatchObject({ status: 503 })
  expect(
    await send(target, team.token, 'POST', '/tags', { name: 'Mine', organization_id: null }),
  ).toMatchObject({ status: 503, code: 'TENANT_MOVED' })
  await expectNothingLeft()

  // the former rows go, and nothing else
  expect(await startMove(source, target, team.tenant, 'forget').ended).toMatchObject({ code: 0 })
  const left = await rowsOf(source)
  expect(Object.values(left).map((counts) => counts[team.tenant])).toEqual(
    Object.values(left).map(() => undefined),
  )
  expect(left['api.transactions']?.[other.tenant]).toBe(
    before['api.transactions']![other.tenant]! + others.rows.size,
  )
  expect(await rowsOf(target)).toEqual(after)
})

/** Waits until the source or the target is in the state of a statement, which returns a row then. */
const until = (cell: Cell, statement: string) =>
  expect.poll(async () => (await cell.sql.query(statement)).rowCount).toBeGreaterThan(0)

/** Begins a transaction that lets the command wait at a step. @returns a function that ends it */
async function hold(cell: Cell, statement: string): Promise<() => Promise<void>> {
  const client = await cell.sql.connect()
  await client.query(`begin; ${statement}`)
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

/** Steps of the command: what makes it wait there, and how the test sees that it does. */
const steps = [
  {
    step: 'the rows are published',
    at: () => source,
    held: 'select pg_current_xact_id()',
    state: `select from pg_replication_slots where slot_name like 'tenant_move%'`,
  },
  {
    step: 'the rows are copied',
    at: () => target,
    held: 'lock table api.accounts in share mode',
    state: 'select from pg_subscription_rel',
  },
  {
    step: 'writes wait, and the target is prepared',
    at: () => target,
    held: 'lock table auth.members in access exclusive mode',
    state:
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%auth.members%'`,
  },
]

test.each(steps)(
  'an operator whose command is killed while $step runs it again: the source serves the team until then',
  async ({ at, held, state }) => {
    const team = await newTeam(`killed-${randomUUID().slice(0, 8)}`)
    const before = (await rowsOf(source))['api.transactions']?.[team.tenant]
    const writer = startWriter(source, team.token, 50)
    const release = await hold(at(), held)
    const killed = startMove(source, target, team.tenant)
    await until(at(), state)
    killed.child.kill('SIGKILL')
    await killed.ended
    const atKill = writer.acknowledged
    await expect.poll(() => writer.acknowledged).toBeGreaterThan(atKill + 10)
    await release()
    await writer.stop()
    expect(writer.refusals).toEqual([])
    expect(longestGap(writer)).toBeLessThan(5_000)

    // the server has noticed the end of the command
    await until(
      source,
      `select where not exists (
        select from pg_stat_activity where application_name = 'tenant move')`,
    )
    expect(await startMove(source, target, team.tenant).ended).toMatchObject({ code: 0 })
    expect((await rowsOf(target))['api.transactions']?.[team.tenant]).toBe(
      before! + writer.rows.size,
    )
    await expectNothingLeft()
  },
)

test('an operator whose command is killed between the two commits runs it again: no database takes writes until then', async () => {
  const team = await newTeam('between')
  // the commit of the target waits
  await target.sql.query(
    `create function public.wait() returns trigger language plpgsql as
      $$ begin perform pg_sleep(60); return null; end $$;
    create constraint trigger wait after update on private.tenants deferrable initially deferred
      for each row when (old.cell is not null and new.cell is null) execute function public.wait();
    alter table private.tenants enable always trigger wait`,
  )
  const killed = startMove(source, target, team.tenant)
  await until(source, `select from private.tenants where tenant = '${team.tenant}' and cell <> ''`)
  killed.child.kill('SIGKILL')
  await killed.ended
  // the server notices the end of a connection only when it writes to it
  await target.sql.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`,
  )
  for (const cell of [source, target])
    expect((await send(cell, team.token, 'POST', '/tags', { name: 'Lost' })).status).toBe(
      cell === source ? 503 : 401,
    )
  await target.sql.query(
    'drop trigger wait on private.tenants; drop function public.wait()',
  )

  expect(await startMove(source, target, team.tenant).ended).toMatchObject({ code: 0 })
  expect(await send(target, team.token, 'POST', '/tags', { name: 'Kept' })).toMatchObject({
    status: 201,
  })
  await expectNothingLeft()
  // once more, it has nothing to do
  expect(await startMove(source, target, team.tenant).ended).toMatchObject({
    code: 0,
    text: expect.stringContaining('is already in'),
  })
})

test('an operator who stops the command leaves nothing of it, and gets the reasons of a refusal', async () => {
  const team = await newTeam('stopped')
  const release = await hold(target, 'lock table api.accounts in share mode')
  const stopped = startMove(source, target, team.tenant)
  await until(target, 'select from pg_subscription_rel')
  stopped.child.kill('SIGINT')
  await release()
  expect(await stopped.ended).toMatchObject({
    code: 1,
    text: expect.stringContaining('Stopped. The source serves the team.'),
  })
  expect((await rowsOf(target))['api.transactions']?.[team.tenant]).toBeUndefined()
  await expectNothingLeft()

  // the other direction: its server has no logical log
  await target.sql.query(`insert into private.tenants (tenant) values ('o:there')`)
  await target.sql.query(
    `insert into private.backfills (name, statement) values ('1.sql', 'select')`,
  )
  onTestFinished(async () => void await target.sql.query('delete from private.backfills'))
  for (
    const [tenant, reason] of [
      ['o:there', 'wal_level=replica'],
      ['o:there', 'still fills in old rows'],
      ['o:nobody', 'does not have'],
    ]
  )
    expect(await startMove(target, source, tenant!).ended).toMatchObject({
      code: 1,
      text: expect.stringContaining(reason!),
    })
})
