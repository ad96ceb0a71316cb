/**
 * `npm run bench:shares`: measures the limit on the connections that one user can hold. First the throughput of fifty fast callers with one
 * token, with and without the limit, in turn. Then the response times of another user while one user sends forty of the slowest requests
 * at a time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { benchStack, people, person, quantile, type Ask, type Timed } from './stack.ts'

const callers = 50
const rounds = 12
const roundMs = 1_000
const floodMs = 12_000

await using stack = await benchStack(people(1_000))
await stack.owner.query(`
  insert into api.transactions (user_id, organization_id, name, amount, description) select 'user-' || 1 + i % 900, null, 'row ' || i, i, null from generate_series(1, 50000) i;
  insert into api.categories (id, user_id, organization_id, name) values ('00000000-0000-4000-8000-000000000001', 'user-999', null, 'all of it');
  insert into api.transactions (user_id, organization_id, name, amount, category_id, transaction_date)
    select 'user-999', null, 'row ' || i, i, '00000000-0000-4000-8000-000000000001', timestamptz '2025-01-01' - i * interval '1 minute' from generate_series(1, 150) i;
  insert into api.transactions (user_id, organization_id, name, amount, transaction_date) select 'user-998', null, 'row ' || i, i, timestamptz '2025-01-01' - i * interval '1 minute' from generate_series(1, 100000) i;
  insert into api.transactions (user_id, organization_id, name, amount, description) values ('user-997', null, 'a pattern that goes back and back', 1, repeat('ab', 2000) || 'x');
  analyze`)
const askAs = await stack.postgrest()

/** Sends requests with the given concurrency until the time is over. */
async function flood(ask: () => Promise<Timed>, concurrency: number, milliseconds: number): Promise<Timed[]> {
  const responses: Timed[] = []
  const until = performance.now() + milliseconds
  await Promise.all(Array.from({ length: concurrency }, async () => {
    while (performance.now() < until) responses.push(await ask())
  }))
  return responses
}

const setLimit = (count: number) => stack.owner.query('update private.settings set places_per_person = $1', [count])
const list = '/transactions?limit=1'
await setLimit(4)

{
  const ask = await askAs(person(1))
  const ratios: number[] = []
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const perMode: Record<string, number> = {}
    for (const mode of round % 2 === 0 ? ['limited', 'unlimited'] : ['unlimited', 'limited']) {
      await setLimit(mode === 'limited' ? 4 : 1_000)
      const responses = await flood(() => ask(list), callers, roundMs)
      perMode[mode] = responses.length
      refused += responses.filter(({ status }) => status === 429).length
    }
    ratios.push((perMode['limited'] ?? 0) / (perMode['unlimited'] ?? 1))
  }
  await setLimit(4)
  console.log(
    `${callers} quick callers with one token: ${
      quantile(ratios, 0.5).toFixed(2)
    } of the throughput without the limit (median of ${rounds} pairs), ${refused} refused`,
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
  ['a pattern that goes back and back', 997, `/transactions?select=id&description=match.${encodeURIComponent('^((a|b)*)*\\1\\2\\1x$')}`],
  ['a fan-out of embeddings', 999, '/transactions?select=id,categories(transactions(id,categories(transactions(id))))'],
  ['the largest function call', 998, '/rpc/get_transaction_aggregate', { p_filters: [], p_group_by: 'day' }],
]
const other = await askAs(person(1))
const [p50, p95] = await idle(other).then((times) => [quantile(times, 0.5), quantile(times, 0.95)] as const)
console.log(`another user's ${list}, idle: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`)
for (const [name, user, path, body] of slowRequests) {
  const attacker = await askAs(person(user))
  const attack = flood(() => attacker(path, body), 40, floodMs)
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
    `while one user sends 40 of ${name} at a time: p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms, max ${
      quantile(times, 1).toFixed(0)
    } ms, `
      + `${responses.filter(({ status }) => status !== 200).length} of ${responses.length} failed; the attacker got ${
        [...statuses].map(([status, all]) => `${all.length} × ${status}`).join(', ')
      }`,
  )
}
