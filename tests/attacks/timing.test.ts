/** Response times do not reveal whether an account exists. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { person, signedIn, type Answer } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ hashesOnce: false })
})
afterAll(() => stack.close())

const stranger = 'nobody-at-all@example.org'
const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

test.each<[string, number, (email: string) => Promise<Answer>]>([
  ['forget-password', 60, (email) => person(stack).post('/forget-password', { email })],
  [
    'send-verification-email',
    60,
    (email) => person(stack).post('/send-verification-email', { email }),
  ],
  [
    'sign-in with a wrong password',
    20,
    (email) => person(stack).post('/sign-in/email', { email, password: 'not the password' }),
  ],
])('%s returns the same, equally fast, for known and unknown addresses', async (_, pairs, ask) => {
  const { email } = await signedIn(stack, 'Ann')
  const answers = new Set<string>()
  const timeOf = async (address: string) => {
    const started = performance.now()
    const { status, body } = await ask(address)
    answers.add(JSON.stringify([status, body]))
    return performance.now() - started
  }
  // Sends both requests in turn, in alternating order, so that other load on the machine affects
  // both equally.
  const ratios: number[] = []
  for (let i = 0; i < pairs; i++) {
    const [first, second] = i % 2 === 0 ? [email, stranger] : [stranger, email]
    const [before, after] = [await timeOf(first), await timeOf(second)]
    ratios.push(i % 2 === 0 ? before / after : after / before)
  }
  expect(answers.size).toBe(1)
  const ratio = median(ratios)
  expect(ratio).toBeGreaterThan(0.75)
  expect(ratio).toBeLessThan(1.33)
})
