import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHashingQueue } from '../../auth/engine/passwords.ts'
import { password, person, signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

test('the hashing queue admits as many requests as it has slots, and the next ones in order', async () => {
  const { enter, waiting } = createHashingQueue(2, 10, 1_000)
  const [first, second] = [await enter('a'), await enter('a')]
  const order: number[] = []
  const third = enter('a').then((leave) => {
    order.push(3)
    return leave
  })
  const fourth = enter('a').then((leave) => {
    order.push(4)
    return leave
  })
  expect(waiting()).toBe(2)
  first()
  first()
  await third
  expect(order).toEqual([3])
  second()
  await fourth
  expect(order).toEqual([3, 4])
})

test('the hashing queue refuses a request at once if it is full, and later if the wait exceeds the limit', async () => {
  const { enter, waiting } = createHashingQueue(1, 1, 50)
  await enter('a')
  const waitingRequest = enter('a')
  await expect(enter('a')).rejects.toMatchObject({ code: 'SERVICE_BUSY', retryAfterSeconds: 5 })
  await expect(waitingRequest).rejects.toMatchObject({ code: 'SERVICE_BUSY' })
  expect(waiting()).toBe(0)
})

describe('a client that floods the queue', () => {
  /** Records the order in which clients are admitted. Each client frees its slot at once. */
  const recordOrder = (enter: ReturnType<typeof createHashingQueue>['enter']) => {
    const order: string[] = []
    const enterAndLeave = async (client: string) => {
      const leave = await enter(client).catch(() => undefined)
      order.push(leave === undefined ? `${client} refused` : client)
      leave?.()
    }
    return { order, enterAndLeave }
  }

  test('a client that floods the queue alternates with other clients, however many of its requests wait', async () => {
    const { enter } = createHashingQueue(1, 64, 1_000)
    const { order, enterAndLeave } = recordOrder(enter)
    const leave = await enter('flood')
    const all = [
      ...Array.from({ length: 20 }, () => enterAndLeave('flood')),
      enterAndLeave('ann'),
      enterAndLeave('bob'),
      enterAndLeave('ann'),
    ]
    leave()
    await Promise.all(all)
    expect(order.slice(0, 6)).toEqual(['flood', 'ann', 'bob', 'flood', 'ann', 'flood'])
  })

  test('a client that floods the queue holds at most half of the queue', async () => {
    const { enter, waiting } = createHashingQueue(1, 10, 1_000)
    const { order, enterAndLeave } = recordOrder(enter)
    const leave = await enter('flood')
    const all = Array.from({ length: 8 }, () => enterAndLeave('flood'))
    await Promise.all(all.slice(5))
    expect({ order, waiting: waiting() }).toEqual({
      order: ['flood refused', 'flood refused', 'flood refused'],
      waiting: 5,
    })
    leave()
    await Promise.all(all)
  })

  test('a client that floods the queue loses its last waiting request to a new client if the queue is full', async () => {
    const { enter, waiting } = createHashingQueue(1, 4, 1_000)
    const { order, enterAndLeave } = recordOrder(enter)
    const leave = await enter('flood')
    const all = ['flood', 'flood', 'other', 'other', 'ann', 'bob', 'eve'].map(enterAndLeave)
    // Each of four clients waits with one request, so none has more than the new client would.
    await all[6]
    expect(order).toEqual(['flood refused', 'other refused', 'eve refused'])
    expect(waiting()).toBe(4)
    leave()
    await Promise.all(all)
    expect(order.slice(3)).toEqual(['flood', 'other', 'ann', 'bob'])
  })

  test('a client that floods the queue times out like other clients, and leaves nothing in the queue', async () => {
    const { enter, waiting } = createHashingQueue(1, 10, 20)
    const leave = await enter('flood')
    await Promise.all(
      ['flood', 'flood', 'ann'].map((client) =>
        expect(enter(client)).rejects.toMatchObject({ code: 'SERVICE_BUSY' })
      ),
    )
    expect(waiting()).toBe(0)
    leave()
    expect(await enter('ann')).toBeTypeOf('function')
  })

  test('a client that floods the queue does not delay the sign-in of another client', async () => {
    await using stack = await startStack({
      hashesOnce: false,
      env: { TRUSTED_PROXIES: '127.0.0.0/8' },
    })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const ann = await signedIn(stack, 'Ann')
    let served = 0
    // All addresses are in one /64 and count as one client.
    const flood = Array.from({ length: 30 }, async (_, i) => {
      const { status } = await person(stack, 'Eve').post(
        '/sign-in/email',
        { email: 'nobody@example.org', password: 'wrong password' },
        from(`2001:db8::${i + 1}`),
      )
      if (status === 401) served += 1
    })
    await expect.poll(
      async () =>
        Number(
          /^auth_hashing_queue_length (\d+)$/m.exec(
            await (await fetch(`${stack.url}/metrics`)).text(),
          )?.[1],
        ),
      {
        interval: 5,
        timeout: 20_000,
      },
    ).toBeGreaterThan(15)
    const before = served
    expect(
      (await ann.post('/sign-in/email', { email: ann.email, password }, from('203.0.113.9')))
        .status,
    ).toBe(200)
    // Allows for the request being hashed, the next one, and responses in a different order.
    expect(served - before).toBeLessThan(8)
    await Promise.all(flood)
  })
})

describe('thirty sign-ups at once', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack({ hashesOnce: false })
  })
  afterAll(() => stack.close())

  test('thirty sign-ups at once do not delay a get-session behind their hashes', async () => {
    const ann = await signedIn(stack, 'Ann')
    const begun = performance.now()
    const pending = { count: 30 }
    const signUps = Promise.all(
      Array.from({ length: 30 }, () =>
        person(stack, 'New').signUp().finally(() => {
          pending.count -= 1
        })),
    )
    const servedMeanwhile: number[] = []
    while (pending.count > 0) {
      const before = pending.count
      expect((await ann.get('/get-session')).status).toBe(200)
      servedMeanwhile.push(before - pending.count)
    }
    const took = performance.now() - begun
    // On a very slow machine, requests that waited 20 s are refused.
    expect(
      (await signUps).map(({ status }) => status).filter((status) =>
        status !== 200 && !(status === 503 && took > 20_000)
      ),
    ).toEqual([])
    // Counts instead of measuring time, because the machine is shared. With the queue one or two
    // requests finish meanwhile, without it a third or more.
    expect(Math.max(...servedMeanwhile)).toBeLessThan(8)
  })

  test('thirty sign-ups at once and two hundred sign-ups all get a response: success, or 503 with Retry-After', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => person(stack, 'Many').signUp()),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body, headers } of refused) {
      expect({ status, error: body.error }).toEqual({ status: 503, error: 'SERVICE_BUSY' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(
      (await stack.sql.query(`select count(*)::int from auth.users where email like 'many-%'`))
        .rows[0].count,
    ).toBe(200 - refused.length)
  })
})
