/**
 * Live streams that miss no change: for clients that resume, for transactions that commit late, and
 * after a restore or a failover.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openLive, type Live } from '../support/live.ts'
import { signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { bookIn, change, cookieOf } from './change-streams.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const opened: Live[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})
/** Opens a stream and reads `ready`. */
async function live(headers: Record<string, string>, query = '', url = stack.url): Promise<Live> {
  const stream = await openLive(url, headers, query)
  opened.push(stream)
  expect(await stream.next()).toMatchObject({ event: 'ready', data: {} })
  return stream
}
const ofUser = (user: Person, query?: string) => live({ cookie: cookieOf(user) }, query)
const book = (token: string, name?: string, more?: object) => bookIn(stack, token, name, more)

test('a client that resumes gets what it has missed, also from another process', async () => {
  const ann = await signedIn(stack)
  const token = await ann.token()
  const first = await ofUser(ann, '?tables=transactions')
  await book(token)
  await first.next('change')
  const cursor = first.lastId()!
  await first.close()
  const { id } = await book(token, 'Missed')
  const another = await stack.startAnotherAuth()
  for (const url of [stack.url, another]) {
    const stream = await live(
      { cookie: cookieOf(ann), 'last-event-id': cursor },
      '?tables=transactions',
      url,
    )
    const received = async (row: string) => {
      // earlier changes may be repeated
      while (!(await stream.next('change')).data.ids.includes(row));
    }
    await received(id)
    await received((await book(token, 'Next')).id)
  }
})

test('a client that resumes with a cursor that is too old, or none of this service, is told to read everything', async () => {
  const ann = await signedIn(stack)
  const first = await ofUser(ann)
  const cursor = first.lastId()!
  await first.close()
  await book(await ann.token())
  await stack.sql.query(
    'update private.changes set happened_at = happened_at - interval $$61 minutes$$',
  )
  await stack.sql.query('select private.forget_changes(100000, 1000)')
  for (const id of [cursor, 'A'.repeat(22), 'A'.repeat(70), 'nonsense\u00e9']) {
    const stream = await live({ cookie: cookieOf(ann), 'last-event-id': id })
    expect(await stream.next()).toMatchObject({
      event: 'reset',
      id: expect.stringMatching(/^[\w-]{70,102}$/),
      data: {},
    })
  }
})

test('a client that resumes with a cursor of which one character was changed is told to read everything', async () => {
  const ann = await signedIn(stack)
  const cursor = (await ofUser(ann)).lastId()!
  for (const at of [0, 20, 47, cursor.length - 1]) {
    const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
    expect(await (await live({ cookie: cookieOf(ann), 'last-event-id': changed })).next())
      .toMatchObject({ event: 'reset' })
  }
})

test('a client that resumes with a cursor of another user or team is told to read everything', async () => {
  const { owner, editor } = await team(stack, ['editor'])
  const ofTeam = (await ofUser(editor)).lastId()!
  const resumed = async (user: Person) =>
    (await live({ cookie: cookieOf(user), 'last-event-id': ofTeam })).next()
  expect(await resumed(owner)).toMatchObject({ event: 'reset' })
  await editor.post('/organization/set-active', { organizationId: null })
  expect(await resumed(editor)).toMatchObject({ event: 'reset' })
})

test('a client that resumes after a new membership or role is told to read everything', async () => {
  const { id: organizationId, owner, editor } = await team(stack, ['editor'])
  const member = { organizationId, userId: await editor.id() }
  const cursor = (await ofUser(editor)).lastId()!
  const resumed = async () =>
    (await live({ cookie: cookieOf(editor), 'last-event-id': cursor })).next()
  await owner.patch('/organization/update-member-role', { ...member, role: 'admin' })
  expect(await resumed()).toMatchObject({ event: 'reset' })
  await owner.post('/organization/remove-member', member)
  const { body } = await owner.post('/organization/invite-member', {
    organizationId,
    email: editor.email,
    role: 'editor',
  })
  await editor.post('/organization/accept-invitation', { invitationId: body.id })
  await editor.post('/organization/set-active', { organizationId })
  expect(await resumed()).toMatchObject({ event: 'reset' })
})

test('a client cannot tell from two cursors whether a stranger has changed rows in between', async () => {
  const ann = await signedIn(stack)
  const [one, two] = [await ofUser(ann), await ofUser(ann)]
  expect(one.lastId()).not.toBe(two.lastId())
})

test('a client that was away for hours, in which nothing changed, misses nothing', async () => {
  const ann = await signedIn(stack)
  const token = await ann.token()
  await book(token)
  const first = await ofUser(ann, '?tables=transactions')
  const cursor = first.lastId()!
  await first.close()
  await stack.sql.query(
    'update private.changes set happened_at = happened_at - interval $$5 hours$$',
  )
  await stack.sql.query('select private.forget_changes(100000, 1000)')
  const { id } = await book(token, 'Missed')
  const stream = await live(
    { cookie: cookieOf(ann), 'last-event-id': cursor },
    '?tables=transactions',
  )
  expect(await stream.next()).toMatchObject(change({ ids: [id] }))
})

const insert =
  `insert into api.transactions (name, amount, user_id, organization_id) values ($1, 1, $2, $3) returning id`

test('no change is skipped when a transaction commits after a later one of another context', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const stream = await ofUser(owner, '?tables=transactions')
  const id = await owner.id()
  const [slow, fast] = [await stack.sql.connect(), await stack.sql.connect()]
  await slow.query('begin')
  const { rows: [early] } = await slow.query(insert, ['Early', id, organizationId])
  const { rows: [late] } = await fast.query(insert, ['Late', id, null])
  expect((await stream.next()).data).toMatchObject({ ids: [late.id] })
  await slow.query('commit')
  expect((await stream.next()).data).toMatchObject({ ids: [early.id] })
  slow.release()
  fast.release()
})

test('no change is skipped when a transaction commits a minute after it has changed rows', async () => {
  const ann = await signedIn(stack)
  const stream = await ofUser(ann, '?tables=transactions')
  const slow = await stack.sql.connect()
  await slow.query('begin')
  const { rows: [{ id }] } = await slow.query(insert, ['Slow', await ann.id(), null])
  await slow.query(
    `update private.changes set happened_at = happened_at - interval '1 minute' where $1 = any (ids)`,
    [id],
  )
  await slow.query('commit')
  slow.release()
  expect((await stream.next()).data).toMatchObject({ ids: [id] })
})

test('an open stream is told to read everything after a restore that lost changes, without a later write', async () => {
  const ann = await signedIn(stack)
  const user = await ann.id()
  const { rows: [before] } = await stack.sql.query(
    `select * from private.tenants where tenant = 'u:' || $1`,
    [user],
  )
  const stream = await ofUser(ann, '?tables=transactions')
  await book(await ann.token())
  await stream.next('change')
  await restoreTo(user, before, 0)
  expect(await stream.next()).toMatchObject({ event: 'reset' })
})

test('transactions of one context commit in the order of its positions, without gaps', async () => {
  const ann = await signedIn(stack)
  const [id, token] = [await ann.id(), await ann.token()]
  const seen: { position: string, change: string, after: string }[] = []
  const writing = Promise.all([
    ...Array.from({ length: 10 }, (_, count) => book(token, `by request ${count}`)),
    ...Array.from(
      { length: 10 },
      (_, count) => stack.sql.query(insert, [`by SQL ${count}`, id, null]),
    ),
  ])
  const isSeen = async () => {
    const { rows } = await stack.sql.query(
      `select position, change, after from private.tenants where tenant = 'u:' || $1`,
      [id],
    )
    seen.push(...rows)
    return rows[0].position
  }
  await expect.poll(isSeen, { interval: 1 }).toBe('20')
  await writing
  const { rows: changes } = await stack.sql.query(
    `select position, change, after from private.changes where tenant = 'u:' || $1 and table_name = 'transactions' order by position`,
    [id],
  )
  expect(changes.map(({ position }) => position)).toEqual(
    Array.from({ length: 20 }, (_, at) => String(at + 1)),
  )
  expect(changes.slice(1).map(({ after }) => after)).toEqual(
    changes.slice(0, -1).map(({ change: before }) => before),
  )
  for (const { position, change: of } of seen)
    if (position !== '0') expect(changes[Number(position) - 1].change).toBe(of)
})

test('no change is skipped when the connections of the auth service are cut', async () => {
  const ann = await signedIn(stack)
  const token = await ann.token()
  const stream = await ofUser(ann, '?tables=transactions')
  await stack.sql.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'auth' and datname = current_database()`,
  )
  const { id } = await book(token)
  expect((await stream.next()).data).toMatchObject({ ids: [id] })
})

/**
 * Puts a user's rows back to an earlier state, as a restore of a backup or a failover does, and
 * makes other changes there.
 */
async function restoreTo(
  user: string,
  { position, change: of, after }: Record<string, string>,
  changes: number,
): Promise<void> {
  await stack.sql.query(
    `with lost as (delete from private.changes where tenant = 'u:' || $1 and position > $2)
      update private.tenants set position = $2, change = $3, after = $4 where tenant = 'u:' || $1`,
    [user, position, of, after],
  )
  for (let count = 0; count < changes; count += 1)
    await stack.sql.query(insert, [`after the restore ${count}`, user, null])
}

describe.each([['fewer', 1], ['as many', 2], ['more', 3]])(
  'after a restore or a failover that lost two changes, and %s others,',
  (_, changes) => {
    test('an open stream and a resuming client are told to read everything, and then each change', async () => {
      const ann = await signedIn(stack)
      const [user, token] = [await ann.id(), await ann.token()]
      await book(token)
      const { rows: [before] } = await stack.sql.query(
        `select * from private.tenants where tenant = 'u:' || $1`,
        [user],
      )
      const [open, closed] = [
        await ofUser(ann, '?tables=transactions'),
        await ofUser(ann, '?tables=transactions'),
      ]
      for (const name of ['Lost', 'Also lost']) {
        await book(token, name)
        for (const stream of [open, closed]) await stream.next('change')
      }
      const cursor = closed.lastId()!
      await closed.close()
      await restoreTo(user, before, changes)
      expect(await open.next()).toMatchObject({ event: 'reset' })
      const resumed = await live(
        { cookie: cookieOf(ann), 'last-event-id': cursor },
        '?tables=transactions',
      )
      expect(await resumed.next()).toMatchObject({ event: 'reset' })
      const { id } = await book(token, 'Next')
      for (const stream of [open, resumed])
        while (
          !(await stream.next('change')).data.ids.includes(id)
        );
    })
  },
)

test('a restore or a failover that lost nothing of a context resets no stream', async () => {
  const ann = await signedIn(stack)
  const [user, token] = [await ann.id(), await ann.token()]
  await book(token)
  const stream = await ofUser(ann, '?tables=transactions')
  const { rows: [present] } = await stack.sql.query(
    `select * from private.tenants where tenant = 'u:' || $1`,
    [user],
  )
  await restoreTo(user, present, 0)
  const { id } = await book(token, 'Next')
  expect(await stream.next()).toMatchObject(change({ ids: [id] }))
})

test('a transaction that runs for hours makes no reader of another context incomplete', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const id = await owner.id()
  const first = await ofUser(owner, '?tables=transactions')
  const cursor = first.lastId()!
  await first.close()
  const slow = await stack.sql.connect()
  await slow.query('begin')
  const { rows: [early] } = await slow.query(insert, ['Early', id, organizationId])
  const { rows: [late] } = await stack.sql.query(insert, ['Late', id, null])
  await stack.sql.query('select private.forget_changes(100000, 1000)')
  const stream = await live(
    { cookie: cookieOf(owner), 'last-event-id': cursor },
    '?tables=transactions',
  )
  expect(await stream.next()).toMatchObject(change({ ids: [late.id] }))
  await slow.query('commit')
  expect(await stream.next()).toMatchObject(change({ ids: [early.id] }))
  slow.release()
})
