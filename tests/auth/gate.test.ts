import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gate } from '../../auth/gate.ts'
import { person, signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

describe('the gate in front of hashing', () => {
  test('lets in as many as it has places, and the next in order as they leave', async () => {
    const { enter, waiting } = gate(2, 10, 1_000)
    const [first, second] = [await enter(), await enter()]
    const order: number[] = []
    const third = enter().then((leave) => { order.push(3); return leave })
    const fourth = enter().then((leave) => { order.push(4); return leave })
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
    const { enter, waiting } = gate(1, 1, 50)
    await enter()
    const patient = enter()
    await expect(enter()).rejects.toMatchObject({ code: 'SERVICE_BUSY', retryAfterSeconds: 5 })
    await expect(patient).rejects.toMatchObject({ code: 'SERVICE_BUSY' })
    expect(waiting()).toBe(0)
  })
})

describe('thirty people sign up at once', () => {
  let stack: Stack
  beforeAll(async () => { stack = await startStack() })
  afterAll(() => stack.close())

  test('and get-session stays near its idle latency for everybody else', async () => {
    const ann = await signedIn(stack, 'Ann')
    const once = async () => {
      const started = performance.now()
      expect((await ann.get('/get-session')).status).toBe(200)
      return performance.now() - started
    }
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
    for (let i = 0; i < 20; i++) await once()
    const idle: number[] = []
    for (let i = 0; i < 50; i++) idle.push(await once())
    const signUpsLeft = { count: 30 }
    const signUps = Promise.all(Array.from({ length: 30 }, () => person(stack, 'New').signUp().finally(() => { signUpsLeft.count -= 1 })))
    const busy: number[] = []
    while (signUpsLeft.count > 0) busy.push(await once())
    expect((await signUps).map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200))
    // ungated it was a hundred times its idle latency; the bound is wide because the machine is shared
    expect(busy.length).toBeGreaterThan(20)
    expect(median(busy)).toBeLessThan(Math.max(50, 8 * median(idle)))
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
