import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHashingQueue } from '../../auth/engine/passwords.ts'
import { password, person, signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

describe('the queue in front of hashing', () => {
  test('lets in as many as it has places, and the next in order as they leave', async () => {
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

  test('refuses at once when its queue is full, and later when the wait is too long', async () => {
    const { enter, waiting } = createHashingQueue(1, 1, 50)
    await enter('a')
    const patient = enter('a')
    await expect(enter('a')).rejects.toMatchObject({ code: 'SERVICE_BUSY', retryAfterSeconds: 5 })
    await expect(patient).rejects.toMatchObject({ code: 'SERVICE_BUSY' })
    expect(waiting()).toBe(0)
  })
})

describe('one client floods the queue', () => {
  /** Notes the order in which clients are let in; each gives its place back at once. */
  const turns = (enter: ReturnType<typeof createHashingQueue>['enter']) => {
    const order: string[] = []
    const ask = async (client: string) => {
      const leave = await enter(client).catch(() => undefined)
      order.push(leave === undefined ? `${client} refused` : client)
      leave?.()
    }
    return { order, ask }
  }

  test('and another one is next, however many wait', async () => {
    const { enter } = createHashingQueue(1, 64, 1_000)
    const { order, ask } = turns(enter)
    const leave = await enter('flood')
    const all = [...Array.from({ length: 20 }, () => ask('flood')), ask('ann'), ask('bob'), ask('ann')]
    leave()
    await Promise.all(all)
    expect(order.slice(0, 6)).toEqual(['flood', 'ann', 'bob', 'flood', 'ann', 'flood'])
  })

  test('and holds at most half of the queue', async () => {
    const { enter, waiting } = createHashingQueue(1, 10, 1_000)
    const { order, ask } = turns(enter)
    const leave = await enter('flood')
    const all = Array.from({ length: 8 }, () => ask('flood'))
    await Promise.all(all.slice(5))
    expect({ order, waiting: waiting() }).toEqual({ order: ['flood refused', 'flood refused', 'flood refused'], waiting: 5 })
    leave()
    await Promise.all(all)
  })

  test('and when the queue is full, a newcomer takes the place of the last of whoever waits most', async () => {
    const { enter, waiting } = createHashingQueue(1, 4, 1_000)
    const { order, ask } = turns(enter)
    const leave = await enter('flood')
    const all = ['flood', 'flood', 'other', 'other', 'ann', 'bob', 'eve'].map(ask)
    // four clients with one each: there is nobody who has more than the newcomer would
    await all[6]
    expect(order).toEqual(['flood refused', 'other refused', 'eve refused'])
    expect(waiting()).toBe(4)
    leave()
    await Promise.all(all)
    expect(order.slice(3)).toEqual(['flood', 'other', 'ann', 'bob'])
  })

  test('and waits in vain as long as anybody, and leaves nothing behind', async () => {
    const { enter, waiting } = createHashingQueue(1, 10, 20)
    const leave = await enter('flood')
    await Promise.all(['flood', 'flood', 'ann'].map((client) => expect(enter(client)).rejects.toMatchObject({ code: 'SERVICE_BUSY' })))
    expect(waiting()).toBe(0)
    leave()
    expect(await enter('ann')).toBeTypeOf('function')
  })

  test('and the sign-in of another is served as if the queue were not there', async () => {
    await using stack = await startStack({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const ann = await signedIn(stack, 'Ann')
    let served = 0
    // each from an address of its own in one /64, which counts as one
    const flood = Array.from({ length: 30 }, async (_, i) => {
      const { status } = await person(stack, 'Eve').post(
        '/sign-in/email',
        { email: 'nobody@example.org', password: 'wrong password' },
        from(`2001:db8::${i + 1}`),
      )
      if (status === 401) served += 1
    })
    await expect.poll(async () => Number(/^auth_hashing_queue_length (\d+)$/m.exec(await (await fetch(`${stack.url}/metrics`)).text())?.[1]), {
      interval: 5,
      timeout: 20_000,
    }).toBeGreaterThan(15)
    const before = served
    expect((await ann.post('/sign-in/email', { email: ann.email, password }, from('203.0.113.9'))).status).toBe(200)
    // one that is being served, one whose turn it is, and what the network does to the order of answers
    expect(served - before).toBeLessThan(8)
    await Promise.all(flood)
  })
})

describe('thirty people sign up at once', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
  })
  afterAll(() => stack.close())

  test("and nobody's get-session waits for their hashes", async () => {
    const ann = await signedIn(stack, 'Ann')
    const begun = performance.now()
    const crowd = { waiting: 30 }
    const signUps = Promise.all(Array.from({ length: 30 }, () =>
      person(stack, 'New').signUp().finally(() => {
        crowd.waiting -= 1
      })))
    const servedMeanwhile: number[] = []
    while (crowd.waiting > 0) {
      const { waiting } = crowd
      expect((await ann.get('/get-session')).status).toBe(200)
      servedMeanwhile.push(waiting - crowd.waiting)
    }
    const took = performance.now() - begun
    // on a machine so slow that some waited their 20 s, those are refused
    expect((await signUps).map(({ status }) => status).filter((status) => status !== 200 && !(status === 503 && took > 20_000))).toEqual([])
    // counted and not timed, because the machine is shared: with the queue one or two, without it a third of the crowd and more
    expect(Math.max(...servedMeanwhile)).toBeLessThan(8)
  })

  test('and two hundred are served or told 503 with Retry-After, and nothing hangs', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => person(stack, 'Crowd').signUp()))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body, headers } of refused) {
      expect({ status, error: body.error }).toEqual({ status: 503, error: 'SERVICE_BUSY' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await stack.sql.query(`select count(*)::int from auth.users where email like 'crowd-%'`)).rows[0].count).toBe(200 - refused.length)
  })
})
