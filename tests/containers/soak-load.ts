/**
 * The mixed work of the soak: users who read, write, evaluate and sign in through the edge, and the
 * time of each request.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from '../support/person.ts'
import type { Deployment } from './deployment.ts'

export type Measured = {
  /** The time of each request in milliseconds, by kind. */
  times: Map<string, number[]>
  /** The numbers of responses with another status than expected, by kind and status. */
  unexpected: Record<string, number>
}

/** The transactions of each user before the work begins. */
const storedRows = 2_000

/** Creates signed-in users, each with two thousand transactions of two years. */
export async function soakUsers(deployment: Deployment, count: number): Promise<Person[]> {
  const users = Array.from(
    { length: count },
    (_, number) => deployment.person(`Person ${number}`, `person-${number}@example.org`),
  )
  for (const user of users) {
    const { status } = await user.signUp()
    if (status !== 200) throw new Error(`a sign-up answered ${status}`)
  }
  await deployment.sql('update auth.users set email_verified = true')
  for (const user of users) {
    await user.signIn()
    const row = (_: unknown, number: number) => ({
      name: `Shop ${number % 40}`,
      amount: -(number % 90) - 0.5,
      transaction_date: new Date(Date.UTC(2024, 0, 1 + number % 700)).toISOString().slice(0, 10),
    })
    const { status } = await send(
      deployment,
      await user.token(),
      '/transactions',
      Array.from({ length: storedRows }, row),
    )
    if (status !== 201) throw new Error(`the stored transactions answered ${status}`)
  }
  return users
}

/** Sends a request to the data surface, with `body` as JSON. */
async function send(
  deployment: Deployment,
  token: string,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const json = body === undefined ? null : JSON.stringify(body)
  const response = await fetch(`${deployment.url}/data${path}`, {
    method,
    headers,
    body: json,
    signal: AbortSignal.timeout(30_000),
  })
  await response.arrayBuffer()
  return response
}

/**
 * Lets a user work until a time. A turn is a write, two lists, a change, a report and two requests
 * to the auth surface. Every twentieth turn also signs in and out in another browser.
 * @param turnMs the least time of a turn in milliseconds. With 0 the user never pauses
 */
export async function soakWork(
  deployment: Deployment,
  user: Person,
  until: number,
  turnMs: number,
  { times, unexpected }: Measured,
): Promise<void> {
  const expectStatus = async (
    kind: string,
    wanted: number,
    request: () => Promise<{ status: number }>,
  ) => {
    const started = performance.now()
    const outcome = await request().then(({ status }) => status, (error: Error) => error.name)
    const all = times.get(kind) ?? []
    times.set(kind, all)
    all.push(performance.now() - started)
    if (outcome !== wanted)
      unexpected[`${kind} ${outcome}`] = (unexpected[`${kind} ${outcome}`] ?? 0) + 1
  }
  let token = await user.token()
  for (let turn = 0; Date.now() < until; turn++) {
    const next = Date.now() + turnMs
    const external_id = `soak-${turn}`
    const row = {
      name: `Entry ${turn}`,
      amount: -(turn % 90) - 0.5,
      source: 'soak',
      external_id,
      transaction_date: `2026-0${turn % 9 + 1}-15`,
    }
    await expectStatus(
      'creates a transaction',
      201,
      () => send(deployment, token, '/transactions', row),
    )
    await expectStatus(
      'lists the newest 20',
      200,
      () => send(deployment, token, '/transactions?select=*&order=transaction_date.desc&limit=20'),
    )
    const month = 'transaction_date=gte.2026-03-01&transaction_date=lt.2026-04-01'
    await expectStatus(
      'lists 20 of a month',
      200,
      () => send(deployment, token, `/transactions?${month}&limit=20`),
    )
    await expectStatus(
      'changes a transaction',
      204,
      () =>
        send(deployment, token, `/transactions?external_id=eq.${external_id}`, {
          status: 'pending',
        }, 'PATCH'),
    )
    await expectStatus(
      'reads the cash flow of six months',
      200,
      () => send(deployment, token, '/rpc/get_cash_flow?grouping=monthly&periods=6'),
    )
    await expectStatus('reads the session', 200, () => user.get('/get-session'))
    await expectStatus('gets a token', 200, async () => {
      const response = await user.post('/token')
      if (response.status === 200) token = response.body.token
      return response
    })
    if (turn % 20 === 0) {
      const elsewhere = deployment.person(user.name, user.email)
      await expectStatus('signs in', 200, () => elsewhere.signIn())
      await expectStatus('signs out', 200, () => elsewhere.post('/sign-out'))
    }
    await sleep(Math.max(0, next - Date.now()))
  }
}
