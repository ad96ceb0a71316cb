/**
 * Measures inserts and imports through the data surface. The baseline is `pg` with the same
 * settings, check and rows in one transaction.
 */
import pg from 'pg'
import type { Figure } from './figures.ts'
import { person, quantile, type BenchStack } from './stack.ts'

// not a user of the read benchmarks: deleted rows stay in an index until a vacuum
const who = person(500)

type Row = { name: string, amount: number, transaction_date: string }
const rowsOf = (count: number, round: number): Row[] =>
  Array.from(
    { length: count },
    (_, i) => ({
      name: `row ${i} of ${round}`,
      amount: i / 100,
      transaction_date: new Date(Date.now() - i * 60_000).toISOString(),
    }),
  )

/** @param stack a stack with the data of `insertLargeDataset` */
export async function writeFigures(stack: BenchStack): Promise<Figure[]> {
  await using resources = new AsyncDisposableStack()
  const address = new URL(stack.url)
  address.username = 'authenticator'
  address.password = 'authenticator'
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  resources.defer(() => client.end())
  const { rows: settings } = await stack.owner.query<{ name: string, value: string }>(
    `select split_part(setting, '=', 1) as name, split_part(setting, '=', 2) as value from pg_roles, unnest(rolconfig) as setting where rolname = 'authenticated'`,
  )
  const now = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({
    sub: who.user,
    user_id: who.user,
    sid: who.session,
    aud: stack.publicUrl,
    iat: now,
    exp: now + 3_600,
    claims: {},
  })
  // PostgREST sends all of a request's settings as one statement
  const all = [
    ...settings.map(({ name, value }) => [name, value]),
    ['role', 'authenticated'],
    ['request.jwt.claims', claims],
    ['request.method', 'POST'],
    [
      'request.headers',
      '{}',
    ],
  ]
  const prepare = {
    name: 'settings',
    text: `select ${
      all.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`).join(', ')
    }`,
    values: all.flat(),
  }
  const handwritten = async (name: string, text: string, values: unknown[]): Promise<number> => {
    const started = performance.now()
    await client.query('begin')
    await client.query(prepare)
    await client.query({ name: 'check', text: 'select private.pre_request()' })
    await client.query({ name, text, values })
    await client.query('commit')
    return performance.now() - started
  }
  const ask = await (await stack.postgrest())(who)
  const through = async (body: unknown): Promise<number> => {
    const { status, ms } = await ask('/transactions', body, { prefer: 'return=minimal' })
    if (status !== 201) throw new Error(`unexpected ${status}`)
    return ms
  }

  const compared = async (
    rounds: number,
    count: number,
    name: string,
    text: string,
    valuesOf: (rows: Row[]) => unknown[],
  ) => {
    const times: { ours: number, hand: number }[] = []
    for (let round = 0; round < rounds + 3; round++) {
      const rows = rowsOf(count, round)
      const ours = await through(count === 1 ? rows[0] : rows)
      const hand = await handwritten(name, text, valuesOf(rows))
      // the first rounds have cold caches
      if (round >= 3) times.push({ ours, hand })
    }
    await stack.owner.query(
      `delete from api.transactions where user_id = $1 and name like 'row %'`,
      [who.user],
    )
    const median = (of: (time: typeof times[number]) => number) => quantile(times.map(of), 0.5)
    return {
      ratio: median(({ ours, hand }) => hand / ours),
      note: `${median(({ ours }) => ours).toFixed(1)} ms against ${
        median(({ hand }) => hand).toFixed(1)
      }`,
    }
  }

  /** Compares an import of new rows, and a second import of the same rows, with a bulk insert. */
  const imports = async () => {
    const times: { bulk: number, fresh: number, again: number }[] = []
    for (let round = 0; round < 8 + 3; round++) {
      const rows = rowsOf(5_000, round)
      const importRows = async () => {
        const { status, ms } = await ask('/rpc/import_transactions', {
          p_rows: rows.map((row) => ({ ...row, amount: row.amount.toFixed(2) })),
          p_dry_run: false,
        })
        if (status !== 200) throw new Error(`unexpected ${status}`)
        return ms
      }
      const time = {
        bulk: await through(rows),
        fresh: await importRows(),
        again: await importRows(),
      }
      if (round >= 3) times.push(time)
    }
    await stack.owner.query(
      `delete from api.transactions where user_id = $1 and name like 'row %'`,
      [who.user],
    )
    const median = (of: (time: typeof times[number]) => number) => quantile(times.map(of), 0.5)
    const figure = (work: string, ms: (time: typeof times[number]) => number): Figure => ({
      work,
      against: 'a bulk create of the same rows',
      ratio: median((time) => ms(time) / time.bulk),
      aim: 2,
      unit: 'times',
      note: `${median(ms).toFixed(1)} ms against ${median(({ bulk }) => bulk).toFixed(1)}`,
    })
    return [
      figure('5,000 new rows imported', ({ fresh }) => fresh),
      figure('5,000 known rows imported again', ({ again }) => again),
    ]
  }

  const { rows: recorders } = await stack.owner.query<{ name: string }>(
    `select tgname as name from pg_trigger t join pg_proc f on f.oid = t.tgfoid where tgrelid = 'api.transactions'::regclass and f.proname = 'record_creation'`,
  )
  const record = async (isOn: boolean) => {
    for (const { name } of recorders)
      await stack.owner.query(
        `alter table api.transactions ${isOn ? 'enable' : 'disable'} trigger "${name}"`,
      )
  }
  /** Measures the activity trigger: the same request with it and without it, in turn. */
  const recorded = async (rounds: number, count: number) => {
    const times: { on: number, off: number }[] = []
    for (let round = 0; round < rounds + 2; round++) {
      const rows = rowsOf(count, round)
      const timed = async (isOn: boolean) => {
        await record(isOn)
        // the first request after `alter table` has to plan again
        await through(rows[0])
        return through(count === 1 ? rows[0] : rows)
      }
      const first = await timed(round % 2 === 0)
      const second = await timed(round % 2 === 1)
      if (round >= 2)
        times.push(round % 2 === 0 ? { on: first, off: second } : { on: second, off: first })
    }
    await record(true)
    await stack.owner.query(
      `delete from api.transactions where user_id = $1 and name like 'row %'`,
      [who.user],
    )
    return quantile(times.map(({ on, off }) => on / off), 0.5)
  }

  return [
    ...await imports(),
    {
      work: 'one row created',
      against: 'itself without its activity',
      ratio: await recorded(100, 1),
      aim: 1.15,
      unit: 'times',
    },
    {
      work: '5,000 rows created at once',
      against: 'itself without their activity',
      ratio: await recorded(12, 5_000),
      aim: 1.15,
      unit: 'times',
    },
    {
      work: 'one row created',
      against: 'the same insert by pg in a transaction with the same settings',
      ...await compared(
        200,
        1,
        'one',
        'insert into api.transactions (name, amount, transaction_date) values ($1, $2, $3)',
        ([row]) => Object.values(row ?? {}),
      ),
      aim: 0.8,
      unit: 'throughputs',
    },
    {
      work: '5,000 rows created at once',
      against: 'insert … select of the same JSON by pg in such a transaction',
      ...await compared(
        8,
        5_000,
        'many',
        'insert into api.transactions (name, amount, transaction_date) select name, amount, transaction_date from json_populate_recordset(null::api.transactions, $1)',
        (rows) => [JSON.stringify(rows)],
      ),
      aim: 0.7,
      unit: 'throughputs',
    },
  ]
}
