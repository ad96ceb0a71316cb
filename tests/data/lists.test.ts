/**
 * A list of transactions, newest first, reads only its page (plans-of-lists.test.ts), so it uses
 * another query plan than other lists. Each list here has many transactions at the same moment, and
 * requests what that plan could get wrong.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
const callers: Record<string, Caller> = {}
type Row = {
  id: string
  name: string
  amount: number
  transaction_date: string
  organization_id: string | null
}
/** All rows that each caller sees. */
const seen: Record<string, Row[]> = {}

beforeAll(async () => {
  stack = await dataStack()
  const [ann, bob] = [await stack.person('ann'), await stack.person('bob')]
  const team = await stack.organization({ owner: ann, viewer: bob })
  callers['a person'] = stack.as(ann)
  callers['an owner with a team active'] = stack.as(ann, team)
  callers['a viewer without rows of their own'] = stack.as(bob, team)
  for (const [context, from] of [['a person', 0], ['an owner with a team active', 5]] as const) {
    const caller = callers[context]!
    const [category, account, tag] = [
      await caller.create('categories', { name: 'Food' }),
      await caller.create('accounts', { name: 'Cash', type: 'cash', balance: 100 }),
      await caller.create('tags', { name: 'trip' }),
    ]
    // Four rows a day, for ten days.
    const rows = Array.from({ length: 40 }, (_, n) => ({
      name: n % 3 === 0 ? 'Coffee' : 'Rent',
      amount: -(1 + (n * 7) % 40),
      currency: 'usd',
      transaction_date: `2026-03-${String(1 + from + n % 10).padStart(2, '0')}`,
      category_id: n % 2 === 0 ? category.id : null,
      account_id: account.id,
    }))
    const stored: Row[] = await caller.create('transactions', rows)
    await caller.create(
      'line_items',
      stored.map(({ id }) => ({ transaction_id: id, name: 'item', amount: 0 })),
    )
    await caller.create(
      'transaction_tags',
      stored.filter((_, n) => n % 3 === 0).map(({ id }) => ({
        transaction_id: id,
        tag_id: tag.id,
      })),
    )
  }
  for (const [name, caller] of Object.entries(callers))
    seen[name] =
      (await caller.get('/transactions?select=id,name,amount,transaction_date,organization_id'))
        .body
}, 60_000)
afterAll(() => stack.stop())

const newestFirst = (a: Row, b: Row) =>
  Date.parse(b.transaction_date) - Date.parse(a.transaction_date)
const byId = (a: Row, b: Row) => a.id < b.id ? -1 : 1
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
const newest = 'order=transaction_date.desc,id'
const pages = [[1, 0], [7, 0], [7, 7], [50, 30], [10, 79], [10, 80], [0, 0]] as const

describe.each(['a person', 'an owner with a team active', 'a viewer without rows of their own'])(
  '%s',
  (name) => {
    const rows = () => seen[name] ?? []
    const get = async (path: string, headers?: Record<string, string>) => {
      const answer = await callers[name]!.get(path, headers)
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer
    }

    test.each<[string, string, (row: Row) => boolean, (a: Row, b: Row) => number]>([
      ['the newest', newest, () => true, (a, b) => newestFirst(a, b) || byId(a, b)],
      [
        'the newest, then the smallest',
        'order=transaction_date.desc.nullslast,amount,id',
        () => true,
        (a, b) => newestFirst(a, b) || a.amount - b.amount || byId(a, b),
      ],
      [
        'the oldest',
        'order=transaction_date,id',
        () => true,
        (a, b) => newestFirst(b, a) || byId(a, b),
      ],
      [
        'the smallest, then the newest',
        'order=amount,transaction_date.desc,id',
        () => true,
        (a, b) => a.amount - b.amount || newestFirst(a, b) || byId(a, b),
      ],
      [
        'the newest of personal ones',
        `organization_id=is.null&${newest}`,
        (row) => row.organization_id === null,
        (a, b) => newestFirst(a, b) || byId(a, b),
      ],
      [
        'the newest of a team',
        `organization_id=not.is.null&${newest}`,
        (row) => row.organization_id !== null,
        (a, b) => newestFirst(a, b) || byId(a, b),
      ],
      [
        'the newest of a name',
        `name=eq.Coffee&${newest}`,
        (row) => row.name === 'Coffee',
        (a, b) => newestFirst(a, b) || byId(a, b),
      ],
      [
        'the newest of either',
        `or=(name.eq.Coffee,organization_id.is.null)&${newest}`,
        (row) => row.name === 'Coffee' || row.organization_id === null,
        (a, b) => newestFirst(a, b) || byId(a, b),
      ],
    ])('reads each page of %s', async (__, query, passes, order) => {
      const all = ids(rows().filter(passes).toSorted(order))
      for (const [limit, offset] of pages) {
        for (const select of ['id', '*,category:categories(id,name),line_items(*),tags(*)'])
          expect(
            ids(
              (await get(`/transactions?select=${select}&${query}&limit=${limit}&offset=${offset}`))
                .body,
            ),
          ).toEqual(all.slice(offset, offset + limit))
      }
    })

    test('gets the count of the whole list with a page', async () => {
      const { body, headers } = await get(
        `/transactions?select=id,tags(*)&${newest}&limit=3&offset=2`,
        { prefer: 'count=exact' },
      )
      expect(ids(body)).toEqual(ids(
        rows().toSorted((a, b) => newestFirst(a, b) || byId(a, b)).slice(2, 5),
      ))
      expect(headers.get('content-range')).toBe(`2-4/${rows().length}`)
    })

    test('gets the balance of an account from all of its transactions', async () => {
      const { body: accounts } = await get('/accounts?select=id,current_balance')
      const balances = new Map(
        accounts.map((
          account: { id: string, current_balance: number },
        ) => [account.id, account.current_balance]),
      )
      const { body } = await get(
        `/transactions?select=id,account:accounts(id,current_balance)&${newest}&limit=2`,
      )
      expect(body).toHaveLength(2)
      for (const { account } of body) {
        expect(account.current_balance).toBe(balances.get(account.id))
        // 820 spent of 100.
        expect(account.current_balance).toBe(-720)
      }
    })

    test('gets all transactions of a category, tag or account that a page embeds', async () => {
      const of = (path: string) => `/transactions?select=id,${path}&${newest}&limit=8`
      for (const { category } of (await get(of('category:categories(transactions(id))'))).body)
        if (category !== null)
          expect(category.transactions).toHaveLength(20)
      for (const { account } of (await get(of('account:accounts(transactions(id))'))).body)
        expect(account.transactions).toHaveLength(40)
      const { body: tagged } = await get(of('tags(name,transactions(id))'))
      expect(tagged.flatMap(({ tags }: { tags: unknown[] }) => tags)).not.toEqual([])
      for (const { tags } of tagged)
        for (const { transactions } of tags)
          expect(transactions).toHaveLength(14)
    })

    test('finds rows by embedded columns', async () => {
      for (
        const path of [
          `tags!inner(name)&tags.name=eq.trip`,
          `tags(name)&tags=not.is.null`,
        ]
      ) {
        const { body } = await get(`/transactions?select=id,${path}&${newest}&limit=6`)
        expect(body).toHaveLength(6)
        for (const { tags } of body)
          expect(tags).toMatchObject([{ name: 'trip' }])
      }
      // A filter on an embedded table does not filter the list, even if its value looks like a
      // limit.
      const { body } = await get(
        `/transactions?select=id,line_items(name)&line_items.name=eq.${
          encodeURIComponent(`', $7 = '1', $8 = '0`)
        }&${newest}&limit=5`,
      )
      expect(ids(body)).toEqual(ids(
        rows().toSorted((a, b) => newestFirst(a, b) || byId(a, b)).slice(0, 5),
      ))
      expect(body[0].line_items).toEqual([])
    })

    test('gets each page of get_filtered_transactions in an explicit order', async () => {
      const coffee = [{ field: 'name', operation: 'eq', value: 'Coffee' }]
      for (const [limit, offset] of pages) {
        for (
          const [filters, order, passes, compare] of [
            [[], newest, () => true, (a, b) => newestFirst(a, b) || byId(a, b)],
            [
              [],
              'order=transaction_date.desc,amount',
              () => true,
              (a, b) => newestFirst(a, b) || a.amount - b.amount,
            ],
            [
              coffee,
              newest,
              (row) => row.name === 'Coffee',
              (a, b) => newestFirst(a, b) || byId(a, b),
            ],
            [[], 'order=amount,id', () => true, (a, b) => a.amount - b.amount || byId(a, b)],
          ] as [unknown[], string, (row: Row) => boolean, (a: Row, b: Row) => number][]
        ) {
          const all = rows().filter(passes).toSorted(compare).slice(offset, offset + limit)
          const { status, body } = await callers[name]!.post(
            `/rpc/get_filtered_transactions?select=*,tags(*)&${order}&limit=${limit}&offset=${offset}`,
            {
              filters,
            },
          )
          expect(status).toBe(200)
          expect(body.map(({ amount, transaction_date: date }: Row) => [amount, date])).toEqual(
            all.map(({ amount, transaction_date: date }) => [amount, date]),
          )
        }
      }
      const tagged = await callers[name]!.post(
        `/rpc/get_filtered_transactions?select=*,tags!inner(name)&${newest}&limit=6`,
        { filters: [] },
      )
      expect(tagged.body).toHaveLength(6)
    })
  },
)
