/**
 * Listeners for changes of rows: the stream, its loss and its refusal. The service and the time are
 * those of tests/typed-client/stream-service.ts.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ann, changed, testClient } from './stream-service.ts'

/** A client with a listener for transactions, whose stream is open. */
async function listening() {
  const client = testClient()
  const { notices, stop } = client.listen('transactions')
  await client.clock.pass(0)
  await client.last().write('retry: 1000\n\n')
  await client.last().send('ready', {}, 'c1')
  expect(notices.splice(0)).toEqual([{ event: 'reset' }])
  return { ...client, notices, stop }
}

const change = (changeId: string | null, ids: string[] | null = ['r1']) => ({
  event: 'change',
  table: 'transactions',
  organizationId: null,
  actions: ['create'],
  ids,
  changeId,
})

test('a listener receives a reset when the stream is open, and then the changes of its tables', async () => {
  const client = testClient()
  const { notices } = client.listen('transactions', 'accounts')
  await client.clock.pass(0)
  expect(client.last()).toMatchObject({ tables: ['transactions', 'accounts'], cursor: undefined })
  expect(notices).toEqual([])
  await client.last().send('ready', {}, 'c1')
  await client.last().send('change', changed('transactions'), 'c2')
  await client.last().send('change', changed('tags'), 'c3')
  expect(notices).toEqual([{ event: 'reset' }, change(null)])
})

test('a listener receives one reset after 30 seconds if the service cannot be reached', async () => {
  const { answer, listen, clock } = testClient()
  answer(() => {
    throw new TypeError('Failed to fetch')
  })
  const { notices } = listen('transactions')
  await clock.pass(29)
  expect(notices).toEqual([])
  await clock.pass(1)
  expect(notices).toEqual([{ event: 'reset' }])
})

test('a listener receives changes whose bytes arrive in any parts', async () => {
  const { notices, last } = await listening()
  const text = `: a comment\nid: c2\n\nevent: change\r\nid: c3\r\ndata: ${
    JSON.stringify(changed('transactions', null, ['ä']))
  }\r\n\r\n`
  for (const letter of text) await last().write(letter)
  expect(notices).toEqual([change(null, ['ä'])])
})

test('a listener receives the reset of the service', async () => {
  const { notices, last } = await listening()
  await last().send('reset', {})
  expect(notices).toEqual([{ event: 'reset' }])
})

test('a listener of another table extends the stream, and receives its own reset', async () => {
  const client = await listening()
  const tags = client.listen('tags')
  await client.clock.pass(0)
  expect(client.connections.map(({ tables, signal }) => [tables, signal.aborted])).toEqual([[[
    'transactions',
  ], true], [['transactions', 'tags'], false]])
  expect(client.last().cursor).toBe('c1')
  expect(tags.notices).toEqual([])
  await client.last().send('ready', {}, 'c1')
  expect([tags.notices, client.notices]).toEqual([[{ event: 'reset' }], []])
  const more = client.listen('tags')
  await client.clock.pass(0)
  expect(client.connections).toHaveLength(2)
  expect(more.notices).toEqual([{ event: 'reset' }])
})

test('a listener that is removed receives nothing, and the last one ends the stream with all timers', async () => {
  const client = await listening()
  const other = client.listen('transactions')
  client.stop()
  await client.last().send('change', changed('transactions'), 'c2')
  expect([client.notices, other.notices]).toEqual([[], [{ event: 'reset' }, change(null)]])
  other.stop()
  await client.clock.pass(0)
  expect(client.last().signal.aborted).toBe(true)
  expect(client.clock.timers()).toBe(0)
})

test('a lost connection resumes after the last event, without a reset', async () => {
  const { notices, last, connections, clock } = await listening()
  await last().send('change', changed('transactions'), 'c2')
  await last().write(': heartbeat\nid: c3\n\n')
  await last().end()
  expect(connections).toHaveLength(1)
  await clock.pass(1)
  expect(last().cursor).toBe('c3')
  await last().send('ready', {}, 'c4')
  await last().send('change', changed('transactions', null, ['r2']), 'c5')
  expect(notices).toEqual([change(null), change(null, ['r2'])])
})

test('a lost connection is noticed by the missing heartbeat', async () => {
  const { last, connections, clock } = await listening()
  for (let heartbeat = 0; heartbeat < 6; heartbeat += 1) {
    await clock.pass(20)
    await last().write(': heartbeat\nid: c2\n\n')
  }
  expect(connections).toHaveLength(1)
  await clock.pass(44)
  expect(last().signal.aborted).toBe(false)
  await clock.pass(2)
  expect(connections).toHaveLength(2)
  expect(last().cursor).toBe('c2')
})

test('a lost connection is tried again at growing intervals, with resets every 30 seconds, until the service is back', async () => {
  const { notices, connections, last, answer, clock } = await listening()
  answer(() => {
    throw new TypeError('Failed to fetch')
  })
  await last().end()
  await clock.pass(29)
  expect(notices).toEqual([])
  // after 1, 2, 4, 8 and 16 seconds
  await clock.pass(3)
  expect(connections).toHaveLength(6)
  await clock.pass(60)
  expect(notices).toEqual([{ event: 'reset' }, { event: 'reset' }, { event: 'reset' }])
  expect(connections).toHaveLength(8)
  answer(undefined)
  await clock.pass(30)
  await last().send('ready', {}, 'c1')
  notices.length = 0
  await last().send('change', changed('transactions'), 'c2')
  expect(notices).toEqual([change(null)])
})

test.each<[string, () => Response | Promise<Response>]>([
  ['too many streams', () => Response.json({}, { status: 429 })],
  ['a busy service', () => Response.json({}, { status: 503, headers: { 'retry-after': '30' } })],
  ['an older service', () => Response.json({}, { status: 404 })],
  ['a page instead of a stream', () => new Response('<!doctype html>')],
])('a refused stream by %s is replaced by a reset every 30 seconds', async (_, response) => {
  const { answer, listen, clock, connections, last } = testClient()
  answer(response)
  const { notices } = listen('transactions')
  await clock.pass(0)
  expect(notices).toEqual([{ event: 'reset' }])
  await clock.pass(60)
  expect(notices).toHaveLength(3)
  expect(connections).toHaveLength(2)
  answer(undefined)
  while (connections.length < 3) await clock.pass(1)
  notices.length = 0
  await last().send('ready', {}, 'c1')
  await clock.pass(40)
  // a change between the last reset and the stream would be unknown
  expect(notices).toEqual([{ event: 'reset' }])
})

test('a refused stream by a proxy that buffers is given up after 10 seconds', async () => {
  const { answer, listen, clock, last } = testClient()
  answer(() => new Promise<Response>(() => {}))
  const { notices } = listen('transactions')
  await clock.pass(9)
  expect(notices).toEqual([])
  await clock.pass(1)
  expect([notices, last().signal.aborted]).toEqual([[{ event: 'reset' }], true])
})

test('a refused stream is not requested before the time in Retry-After, also by a page that comes to the front', async () => {
  const { answer, listen, clock, connections } = testClient()
  answer(() => Response.json({}, { status: 429, headers: { 'retry-after': '600' } }))
  listen('transactions')
  await clock.pass(599)
  expect(connections).toHaveLength(1)
  await clock.pass(200)
  expect(connections).toHaveLength(2)
})

test('a session that ends elsewhere ends the stream, and the next sign-in of the user resumes it', async () => {
  const client = await listening()
  client.onRecheck(() => client.setSession(null))
  await client.last().send('end', { reason: 'session' })
  expect(client.rechecks()).toBe(1)
  await client.clock.pass(100)
  expect([client.connections.length, client.notices, client.clock.timers()]).toEqual([1, [], 0])
  await client.setSession({ ...ann, id: 's2' })
  expect(client.last().cursor).toBe('c1')
})

test('a session of another user begins without a cursor and with a reset', async () => {
  const client = await listening()
  await client.setSession(null)
  await client.setSession({ ...ann, user_id: 'ben' })
  expect(client.connections).toHaveLength(2)
  expect(client.last().cursor).toBe(undefined)
  await client.last().send('ready', {}, 'c9')
  expect(client.notices).toEqual([{ event: 'reset' }])
})

test('a session that is not loaded yet has no stream', async () => {
  const client = testClient({ session: undefined })
  client.listen('transactions')
  await client.clock.pass(100)
  expect(client.connections).toEqual([])
  await client.setSession(ann)
  expect(client.connections).toHaveLength(1)
  await client.setSession(null)
  expect([client.last().signal.aborted, client.clock.timers()]).toEqual([true, 0])
})

test('a session with a new role gets a new stream, and one reset from the service, because other rows may be visible', async () => {
  const client = await listening()
  await client.last().send('end', { reason: 'role' })
  await client.clock.pass(1)
  expect(client.rechecks()).toBe(1)
  expect(client.last().cursor).toBe('c1')
  await client.last().send('ready', {})
  await client.last().send('reset', {}, 'c2')
  expect(client.notices).toEqual([{ event: 'reset' }])
})

test('a session that switches the context gets a new stream at once, and one reset from the service', async () => {
  const client = await listening()
  await client.setSession({ ...ann, active_organization_id: 'team' })
  expect(client.connections).toHaveLength(2)
  expect([client.connections[0]?.signal.aborted, client.last().cursor]).toEqual([true, 'c1'])
  client.onRecheck(() => client.setSession(ann))
  await client.last().send('ready', {})
  await client.last().send('reset', {}, 'c2')
  expect(client.notices.splice(0)).toEqual([{ event: 'reset' }])
  await client.last().send('end', { reason: 'organization' })
  await client.clock.pass(0)
  expect(client.connections).toHaveLength(3)
  await client.last().send('ready', {})
  await client.last().send('reset', {}, 'c3')
  expect(client.notices).toEqual([{ event: 'reset' }])
})

test('a session that the service refuses with 401 is requested again', async () => {
  const client = testClient()
  client.answer(() => Response.json({}, { status: 401 }))
  client.onRecheck(() => client.setSession(null))
  const { notices } = client.listen('transactions')
  await client.clock.pass(100)
  expect([client.rechecks(), client.connections.length, notices, client.clock.timers()]).toEqual([
    1,
    1,
    [],
    0,
  ])
})

describe('a change of this client', () => {
  const response = (changeId?: string) =>
    new Response(null, { headers: changeId === undefined ? {} : { 'x-change-id': changeId } })

  test('a change of this client is not reported to it', async () => {
    const { notices, last, watch } = await listening()
    await watch(Promise.resolve(response('mine')))
    await last().send('change', changed('transactions', 'mine'), 'c2')
    await last().send('change', changed('transactions', 'other'), 'c3')
    expect(notices).toEqual([change('other')])
  })

  test('a change of this client is not reported to it if the stream is faster than the response', async () => {
    const { notices, last, watch, clock } = await listening()
    let respond: (response: Response) => void = () => {}
    const sent = watch(new Promise<Response>((resolve) => (respond = resolve)))
    await last().send('change', changed('transactions', 'mine'), 'c2')
    await last().send('change', changed('transactions', 'other'), 'c3')
    expect(notices).toEqual([])
    respond(response('mine'))
    await sent
    await clock.pass(0)
    expect(notices).toEqual([change('other')])
  })

  test('a change of this client does not delay changes of others for more than a second', async () => {
    const { notices, last, watch, clock } = await listening()
    const never = watch(new Promise<Response>(() => {}))
    expect(never).toBeInstanceOf(Promise)
    await last().send('change', changed('transactions', 'other'), 'c2')
    await clock.pass(0.9)
    expect(notices).toEqual([])
    await clock.pass(0.2)
    expect(notices).toEqual([change('other')])
  })

  test('a change of this client and a notice are followed by five seconds of reads from the primary', async () => {
    const { last, watch, isSettling, clock } = await listening()
    await clock.pass(5)
    expect(isSettling()).toBe(false)
    await watch(Promise.resolve(response()))
    expect(isSettling()).toBe(false)
    await watch(Promise.resolve(response('mine')))
    expect(isSettling()).toBe(true)
    await clock.pass(5)
    expect(isSettling()).toBe(false)
    await last().send('change', changed('transactions', 'other'), 'c2')
    await clock.pass(4.9)
    expect(isSettling()).toBe(true)
  })

  test('a change of this client that failed is the error of its caller only', async () => {
    const { notices, last, watch } = await listening()
    await expect(watch(Promise.reject(new TypeError('Failed to fetch')))).rejects.toThrow(
      'Failed to fetch',
    )
    await last().send('change', changed('transactions', 'other'), 'c2')
    expect(notices).toEqual([change('other')])
  })
})

describe('tabs of a browser', () => {
  const stops: (() => void)[] = []
  beforeEach(() => {
    const page = new EventTarget()
    vi.stubGlobal('document', Object.assign(page, { visibilityState: 'visible' }))
    // a page listens for the return of the network
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
    vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  })
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
    vi.unstubAllGlobals()
  })

  /** Opens a tab that listens to a table. */
  const openTab = async (table: 'transactions' | 'accounts') => {
    const client = testClient()
    const { notices, stop } = client.listen(table)
    stops.push(stop)
    await client.clock.pass(0)
    return { ...client, notices, stop }
  }
  /**
   * Holds the lock of the leader, as a tab does that is asleep. @returns a function that closes
   * this tab
   */
  const sleepingLeader = async () => {
    const sleep = Promise.withResolvers<void>()
    await new Promise<void>((resolve) => {
      const hold = () => {
        resolve()
        return sleep.promise
      }
      // another tab steals the lock
      navigator.locks.request('test rows', hold).catch(() => {})
    })
    stops.push(sleep.resolve)
    return sleep.resolve
  }

  test('tabs of a browser that opens while the leader sleeps gets its reset from the tab that takes over', async () => {
    await sleepingLeader()
    const one = await openTab('transactions')
    const other = await openTab('accounts')
    await one.clock.pass(115)
    expect(one.connections.map(({ tables }) => tables)).toEqual([['transactions', 'accounts']])
    await one.last().send('ready', {}, 'c1')
    await one.last().send('change', changed('accounts'), 'c2')
    await other.clock.pass(0)
    expect(other.notices.map(({ event }) => event)).toEqual(['reset', 'change'])
  })

  test('tabs of a browser that opens before the first leader has the lock, or while it passes to another tab, is covered by its stream', async () => {
    const close = await sleepingLeader()
    const one = await openTab('transactions')
    const other = await openTab('accounts')
    close()
    await one.clock.pass(0)
    expect(one.connections.map(({ tables }) => tables)).toEqual([['transactions', 'accounts']])
    await one.last().send('ready', {}, 'c1')
    await other.clock.pass(0)
    expect(other.notices).toEqual([{ event: 'reset' }])
  })

  test('whose tables the leader has never received sends them again, and gets its reset from a stream that covers them', async () => {
    await sleepingLeader()
    const other = await openTab('accounts')
    const one = await openTab('transactions')
    await one.clock.pass(115)
    await one.last().send('ready', {}, 'c1')
    await one.clock.pass(0)
    expect(one.connections.map(({ tables }) => tables)).toEqual([['transactions'], [
      'transactions',
      'accounts',
    ]])
    expect([one.notices, other.notices]).toEqual([[{ event: 'reset' }], []])
    await one.last().send('ready', {}, 'c1')
    await other.clock.pass(0)
    expect([one.notices, other.notices]).toEqual([[{ event: 'reset' }], [{ event: 'reset' }]])
  })

  test('tabs of a browser that loses its tables to a leader that lacks them gets the next reset when they are covered again', async () => {
    await sleepingLeader()
    const leader = new BroadcastChannel('test rows')
    const { notices, clock } = await openTab('accounts')
    const send = async (message: object) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin and takes none
      leader.postMessage(message)
      await clock.pass(0)
    }
    await send({ kind: 'state', state: 'open', tables: ['accounts'], cursor: 'c1' })
    expect(notices.splice(0)).toEqual([{ event: 'reset' }])
    await send({ kind: 'state', state: 'open', tables: ['transactions'], cursor: 'c2' })
    await send({ kind: 'reset' })
    expect(notices).toEqual([])
    await send({ kind: 'state', state: 'open', tables: ['transactions', 'accounts'], cursor: 'c3' })
    expect(notices).toEqual([{ event: 'reset' }])
    leader.close()
  })
})
