/**
 * `npm run bench:shares`: measures the share of the connections that one user's requests use. First
 * the throughput of fifty fast callers with one token, through the edge and directly, in turn. Then
 * the response times of another user while one user sends two hundred of the slowest requests at a
 * time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { benchStack, people, person, quantile, type Ask, type Timed } from './stack.ts'

const callers = 50
const rounds = 12
const roundMs = 1_000
const floodMs = 12_000
const floodCallers = 200

await using stack = await benchStack(people(1_000))
await stack.owner.query(`
  insert into api.transactions (user_id, organization_id, name, amount, description) select 'user-' || 1 + i % 900, null, 'row ' || i, i, null from generate_series(1, 50000) i;
  insert into api.categories (id, user_id, organization_id, name) values ('00000000-0000-4000-8000-000000000001', 'user-999', null, 'all of it');
  insert into api.transactions (user_id, organization_id, name, amount, category_id, transaction_date)
    select 'user-999', null, 'row ' || i, i, '00000000-0000-4000-8000-000000000001', timestamptz '2025-01-01' - i * interval '1 minute' from generate_series(1, 150) i;
  insert into api.transactions (user_id, organization_id, name, amount, transaction_date) select 'user-998', null, 'row ' || i, i, timestamptz '2025-01-01' - i * interval '1 minute' from generate_series(1, 200000) i;
  insert into api.transactions (user_id, organization_id, name, amount, description) values ('user-997', null, 'a pattern that goes back and back', 1, repeat('ab', 2000) || 'x');
  analyze`)
const postgrest = await stack.dataSurface()
const directly = stack.askAt(postgrest.port)
const askAs = stack.askAt(await stack.edge(postgrest), '/data')

/** Sends requests with the given concurrency until the time is over. */
async function flood(
  ask: () => Promise<Timed>,
  concurrency: number,
  milliseconds: number,
): Promise<Timed[]> {
  const responses: Timed[] = []
  const until = performance.now() + milliseconds
  await Promise.all(Array.from({ length: concurrency }, async () => {
    while (performance.now() < until) responses.push(await ask())
  }))
  return responses
}

const list = '/transactions?limit=1'
{
  const asks = { edge: await askAs(person(1)), directly: await directly(person(1)) }
  const ratios: number[] = []
  let failed = 0
  for (let round = 0; round < rounds; round++) {
    const perWay: Record<string, number> = {}
    for (
      const way of round % 2 === 0
        ? ['edge', 'directly'] as const
        : ['directly', 'edge'] as const
    ) {
      const responses = await flood(() => asks[way](list), callers, roundMs)
      perWay[way] = responses.length
      failed += responses.filter(({ status }) => status !== 200).length
    }
    ratios.push((perWay['edge'] ?? 0) / (perWay['directly'] ?? 1))
  }
  console.log(
    `${callers} quick callers with one token: ${
      quantile(ratios, 0.5).toFixed(2)
    } of the throughput of PostgREST itself (median of ${rounds} pairs), ${failed} failed`,
  )
}

const idle = async (ask: Ask): Promise<number[]> => {
  const times: number[] = []
  for (let i = 0; i < 300; i++) {
    times.push((await ask(list)).ms)
    await sleep(5)
  }
  return times
}

const slowRequests: [string, number, string, unknown?][] = [
  [
    'a pattern that goes back and back',
    997,
    `/transactions?select=id&description=match.${encodeURIComponent('^((a|b)*)*\\1\\2\\1x$')}`,
  ],
  [
    'a fan-out of embeddings',
    999,
    '/transactions?select=id,categories(transactions(id,categories(transactions(id))))',
  ],
  ['the largest function call', 998, '/rpc/get_transaction_aggregate', {
    p_filters: [],
    p_group_by: 'day',
  }],
]
const other = await askAs(person(1))
const [p50, p95] = await idle(other).then((times) =>
  [quantile(times, 0.5), quantile(times, 0.95)] as const
)
console.log(`another user's ${list}, idle: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`)
for (const [name, user, path, body] of slowRequests) {
  const attacker = await askAs(person(user))
  const attack = flood(() => attacker(path, body), floodCallers, floodMs)
  const responses: Timed[] = []
  const until = performance.now() + floodMs
  await sleep(200)
  while (performance.now() < until) {
    responses.push(await other(list))
    await sleep(5)
  }
  const statuses = Map.groupBy(await attack, ({ status }) => status)
  const times = responses.map(({ ms }) => ms)
  console.log(
    `while one user sends ${floodCallers} of ${name} at a time: p50 ${
      quantile(times, 0.5).toFixed(0)
    } ms, p95 ${quantile(times, 0.95).toFixed(0)} ms, max ${quantile(times, 1).toFixed(0)} ms, `
      + `${
        responses.filter(({ status }) => status !== 200).length
      } of ${responses.length} failed; the attacker got ${
        [...statuses].map(([status, all]) => `${all.length} × ${status}`).join(', ')
      }`,
  )
}
