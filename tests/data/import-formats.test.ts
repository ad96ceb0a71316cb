/**
 * Imports of an account's file in two formats: with the bank's ids and without, before and after
 * changes of the bank and of the user.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import { judge, store, stored, undoLast, userOf, verdicts, type Row } from './import-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const user = () => userOf(stack)

describe("the same account's file in another format", () => {
  const csv = [
    { name: 'Coffee Corner 12', amount: -3.5, transaction_date: '2025-03-01' },
    { name: 'Coffee Corner 12', amount: -3.5, transaction_date: '2025-03-01' },
    { name: 'Rent', amount: -900, transaction_date: '2025-03-03' },
  ]
  const ofx = csv.map((row, at) => ({
    ...row,
    name: row.name.toUpperCase(),
    external_id: `f-${at}`,
  }))

  test("the same account's file in another format is recognized by day, amount and text, one to one", async () => {
    const { caller, more } = await user()
    const first = await store(caller, csv, { ...more, p_source: 'csv' })
    const second = await store(caller, [...ofx, { ...ofx[0], external_id: 'f-9' }], {
      ...more,
      p_source: 'ofx',
    })
    expect(verdicts(second)).toBe('duplicate duplicate duplicate new')
    expect(second[2]).toMatchObject({
      reason: 'imported from csv as "Rent"',
      transaction_id: first[2]?.['transaction_id'],
    })
    expect(new Set(second.map(({ transaction_id }) => transaction_id)).size).toBe(4)
    expect(await stored(caller)).toHaveLength(4)
    expect(verdicts(await store(caller, csv, { ...more, p_source: 'csv' }))).toBe(
      'duplicate duplicate duplicate',
    )
  })

  test("the same account's file in another format is new on another day, with another text, without an account, in another account, and if matching is off", async () => {
    const { caller, savings, more } = await user()
    await store(caller, csv, { ...more, p_source: 'csv' })
    const rent = { ...ofx[2], external_id: 'f-2' }
    expect(
      verdicts(
        await judge(caller, [{ ...rent, transaction_date: '2025-03-04' }, {
          ...rent,
          name: 'Bakery',
          external_id: 'x',
        }], { ...more, p_source: 'ofx' }),
      ),
    ).toBe('new new')
    for (
      const other of [{ p_account_id: savings }, { p_account_id: null }, {
        ...more,
        p_match: false,
      }]
    )
      expect(verdicts(await judge(caller, [rent], { p_source: 'ofx', ...other }))).toBe('new')
  })

  test("the same account's file in another format of a file without ids is recognized in an account that it got later, and in that of a restore", async () => {
    const { caller, giro, savings, more } = await user()
    const rows = [...csv, { ...csv[2]!, name: 'Garage', amount: -90, status: 'pending' }]
    await store(caller, rows.map((row) => ({ ...row, currency: 'eur' })), { p_source: 'csv' })
    await caller.patch('/transactions?account_id=is.null', { account_id: giro })
    const again = [...rows, csv[0]!]
    const file = { ...more, p_source: 'csv' }
    expect(verdicts(await judge(caller, again, file))).toBe(
      'duplicate duplicate duplicate matched new',
    )
    expect(
      verdicts(
        await judge(caller, [{ ...csv[2]!, name: 'Rent of a flat' }, {
          ...csv[2]!,
          transaction_date: '2025-03-04',
        }], file),
      ),
    ).toBe('new new')
    expect(verdicts(await store(caller, again, file))).toBe(
      'duplicate duplicate duplicate matched new',
    )
    expect(verdicts(await store(caller, again, file))).toBe(
      'duplicate duplicate duplicate duplicate duplicate',
    )
    // the restore of an export stores the rows with their keys in accounts with other ids
    await caller.patch(`/transactions?account_id=eq.${giro}`, { account_id: savings })
    expect(verdicts(await judge(caller, again, { p_source: 'csv', p_account_id: savings }))).toBe(
      'duplicate duplicate duplicate matched duplicate',
    )
  })

  /** A purchase that the bank tells in two formats, by the amount that it says. */
  const byOfx = (amount: number, row: Row = {}): Row => ({
    name: 'REWE MARKT',
    amount,
    transaction_date: '2025-03-03',
    external_id: 'o-1',
    ...row,
  })
  const byCsv = (amount: number, row: Row = {}): Row => ({
    name: 'REWE MARKT BERLIN',
    amount,
    transaction_date: '2025-03-03',
    ...row,
  })

  test.each<
    [
      string,
      (
        ada: Awaited<ReturnType<typeof user>>,
        imported: (...rows: Row[]) => Promise<string>,
      ) => Promise<unknown>,
    ]
  >([
    ['the bank has corrected the amount', (_, imported) => imported(byOfx(-31))],
    [
      'the bank has corrected the name',
      (_, imported) => imported(byOfx(-30, { name: 'CARD 4711' })),
    ],
    [
      'the bank has corrected the day',
      (_, imported) => imported(byOfx(-30, { transaction_date: '2025-03-04' })),
    ],
    [
      'the user has edited the amount',
      ({ caller }) => caller.patch('/transactions', { amount: -20 }),
    ],
    ['the user has edited the name, twice', async ({ caller }) => {
      await caller.patch('/transactions', { name: 'Food' })
      await caller.patch('/transactions', { name: 'Groceries' })
    }],
    [
      'the user has edited the day',
      ({ caller }) => caller.patch('/transactions', { transaction_date: '2025-05-01' }),
    ],
    [
      'the user has edited the status',
      ({ caller }) => caller.patch('/transactions', { status: 'failed' }),
    ],
    [
      'the user has moved it to another account',
      ({ caller, savings }) => caller.patch('/transactions', { account_id: savings }),
    ],
    ['the user has closed its day after a correction', async ({ caller }, imported) => {
      await imported(byOfx(-31))
      await caller.create('closings', { closed_until: '2025-03-03' })
    }],
    [
      'the user has edited the amount and the bank has corrected it',
      async ({ caller }, imported) => {
        await caller.patch('/transactions', { amount: -20 })
        expect(await imported(byOfx(-31))).toBe('changed')
        expect(await imported(byCsv(-31))).toBe('duplicate')
      },
    ],
    [
      'the user has split it and the bank has corrected the amount',
      async ({ caller }, imported) => {
        const [{ id }] = (await caller.get('/transactions')).body
        await caller.create('line_items', { transaction_id: id, name: 'Bread', amount: -30 })
        expect(await imported(byOfx(-20))).toBe('changed')
        expect(await imported(byCsv(-20))).toBe('duplicate')
      },
    ],
    [
      'the bank has corrected the amount, and the user has deleted it and undone that',
      async ({ caller }, imported) => {
        await imported(byOfx(-31))
        await caller.delete('/transactions')
        await undoLast(caller)
      },
    ],
  ])(
    "the same account's file in another format is recognized by what the bank said before: after %s",
    async (_, change) => {
      const ada = await user()
      const imported = async (...rows: Row[]) =>
        verdicts(
          await store(ada.caller, rows, {
            ...ada.more,
            p_source: rows[0]?.['external_id'] === undefined ? 'csv' : 'ofx',
          }),
        )
      expect([await imported(byOfx(-30)), await imported(byCsv(-30))]).toEqual(['new', 'duplicate'])
      await change(ada, imported)
      expect(await imported(byCsv(-30))).toBe('duplicate')
      expect(await stored(ada.caller)).toHaveLength(1)
    },
  )

  test("the same account's file in another format is recognized by what the bank said before of a transaction that the user entered", async () => {
    const { caller, more, entered } = await user()
    await entered({ amount: -30 })
    const imported = async (row: Row) =>
      verdicts(
        await store(caller, [row], {
          ...more,
          p_source: row['external_id'] === undefined ? 'csv' : 'ofx',
        }),
      )
    expect([await imported(byOfx(-30)), await imported(byOfx(-31)), await imported(byCsv(-30))])
      .toEqual(['matched', 'updated', 'duplicate'])
    await caller.patch('/transactions', { amount: -20 })
    expect([await imported(byCsv(-31)), await imported(byCsv(-30))]).toEqual([
      'duplicate',
      'duplicate',
    ])
    // the day that the user had entered is not the bank's
    expect(await imported(byCsv(-30, { name: 'Lunch with Bo', transaction_date: '2025-03-01' })))
      .toBe('new')
  })

  test("the same account's file in another format announces a row that is pending already, and the other format books it with another amount", async () => {
    const { caller, more } = await user()
    const pending = { status: 'pending' }
    const imported = async (row: Row) =>
      verdicts(
        await store(caller, [row], {
          ...more,
          p_source: row['external_id'] === undefined ? 'csv' : 'ofx',
        }),
      )
    expect([await imported(byOfx(-50, pending)), await imported(byCsv(-50, pending))]).toEqual([
      'new',
      'duplicate',
    ])
    expect([
      await imported(byOfx(-58)),
      await imported(byCsv(-50, pending)),
      await imported(byCsv(-58)),
    ]).toEqual(['updated', 'duplicate', 'duplicate'])
    expect(await stored(caller)).toMatchObject([{ amount: -58, status: 'paid' }])
  })

  test("the same account's file in another format with the former and the present amount of a transaction has two purchases", async () => {
    const { caller, more } = await user()
    for (const amount of [-30, -31])
      await store(caller, [byOfx(amount)], { ...more, p_source: 'ofx' })
    for (const expected of ['new duplicate', 'duplicate duplicate'])
      expect(verdicts(await store(caller, [byCsv(-30), byCsv(-31)], { ...more, p_source: 'csv' })))
        .toBe(expected)
    expect((await stored(caller)).map(({ amount }) => amount)).toEqual([-31, -30])
  })

  test("the same account's file in another format with equal purchases, one of them with a former day, finds both", async () => {
    // whichever of the two has the lower id
    for (const moved of ['o-1', 'o-2', 'o-1', 'o-2', 'o-1', 'o-2']) {
      const { caller, more } = await user()
      const days = (formerly: string): Row[] =>
        ['o-1', 'o-2'].map((external_id) =>
          byOfx(-30, {
            external_id,
            transaction_date: external_id === moved ? formerly : '2025-03-05',
          })
        )
      for (const formerly of ['2025-03-04', '2025-03-05'])
        await store(caller, days(formerly), { ...more, p_source: 'ofx' })
      const older = ['2025-03-05', '2025-03-04'].map((transaction_date) =>
        byCsv(-30, { transaction_date })
      )
      expect(verdicts(await judge(caller, older, { ...more, p_source: 'csv' }))).toBe(
        'duplicate duplicate',
      )
    }
  })

  test("the same account's file in another format has a correction under its own id: a row that only the file without ids brought before is stored again", async () => {
    const { caller, more } = await user()
    await store(caller, [byCsv(-30)], { ...more, p_source: 'csv' })
    for (const [amount, verdict] of [[-30, 'duplicate'], [-31, 'new']] as const)
      expect(verdicts(await store(caller, [byOfx(amount)], { ...more, p_source: 'ofx' }))).toBe(
        verdict,
      )
  })

  test(
    "the same account's file in another format never stores a transaction twice, in any order of files, repeats and corrections",
    async () => {
      const purchase = fc.record({
        name: fc.constantFrom('REWE MARKT', 'ALDI SUED'),
        amount: fc.constantFrom(-30, -31),
        day: fc.integer({ min: 3, max: 5 }),
      })
      // a file has whole days, so it begins on a day
      const file = fc.record({
        p_source: fc.constantFrom('ofx', 'csv'),
        from: fc.integer({ min: 1, max: 5 }),
      })
      const step = fc.oneof(
        fc.record({ purchased: purchase }),
        fc.record({ at: fc.nat(9), correct: fc.constantFrom('amount', 'name', 'day') }),
        fc.record({ file }),
        fc.record({ again: fc.nat(9) }),
      )
      await fc.assert(
        fc.asyncProperty(
          purchase,
          fc.array(step, { minLength: 4, maxLength: 10 }),
          async (first, steps) => {
            const { caller, more } = await user()
            const bank: { name: string, amount: number, day: number, isCorrected?: boolean }[] = []
            const files: { p_source: string, rows: Row[] }[] = []
            const imported = async ({ p_source, rows }: (typeof files)[number]) => {
              if (rows.length > 0)
                await judge(caller, rows, { ...more, p_source, p_dry_run: false })
            }
            const exported = async (p_source: string, from = 1) => {
              const rows = bank.map(({ name, amount, day }, id): Row =>
                p_source === 'ofx'
                  ? { name, amount, transaction_date: `2025-03-0${day}`, external_id: `o-${id}` }
                  : { name: `${name} BERLIN`, amount, transaction_date: `2025-03-0${day}` }
              ).filter((_, id) => bank[id]!.day >= from)
              files.push({ p_source, rows })
              await imported({ p_source, rows })
            }
            for (const one of [{ purchased: first }, ...steps]) {
              if ('purchased' in one) bank.push({ ...one.purchased })
              if ('correct' in one) {
                const existing = bank[one.at % bank.length]!
                if (existing.isCorrected !== true)
                  Object.assign(
                    existing,
                    { isCorrected: true },
                    {
                      amount: { amount: existing.amount - 1 },
                      name: { name: `${existing.name} 4711` },
                      day: { day: existing.day + 1 },
                    }[one.correct],
                  )
              }
              // the file with ids tells a change first, because the other one cannot tell it from a
              // second purchase
              if ('purchased' in one || 'correct' in one) await exported('ofx')
              if ('file' in one) await exported(one.file.p_source, one.file.from)
              if ('again' in one) await imported(files[one.again % files.length]!)
            }
            await exported('csv')
            for (const again of files) await imported(again)
            const inOrder = (amounts: number[]) => amounts.toSorted((a, b) => a - b)
            expect(inOrder((await stored(caller)).map(({ amount }) => amount))).toEqual(
              inOrder(bank.map(({ amount }) => amount)),
            )
          },
        ),
        { numRuns: Number(process.env['BOOKS'] ?? 25), seed: Number(process.env['SEED'] ?? 4) },
      )
    },
    120_000,
  )
})

describe('the same name in another spelling', () => {
  const spellings: [string, string][] = [
    ['Caf\u00e9', 'Cafe\u0301'],
    ['Cafe\u0301', 'Caf\u00e9'],
    ['Café', 'CAFE'],
    ['Straße', 'STRASSE'],
    ['Łódź', 'Lodz'],
    ['ＳＨＯＰ', 'SHOP'],
  ]

  test.each(spellings)(
    'the same name in another spelling, %s and then %s, is one purchase, in a file of the same source or of another one',
    async (before, after) => {
      const { caller, more } = await user()
      const row = { amount: -3, transaction_date: '2025-03-01' }
      await store(caller, [{ ...row, name: before }], { ...more, p_source: 'csv' })
      for (const p_source of ['csv', 'mt940'])
        expect(verdicts(await store(caller, [{ ...row, name: after }], { ...more, p_source })))
          .toBe('duplicate')
      expect(await stored(caller)).toMatchObject([{ name: before }])
    },
  )

  test('the same name in another normal form, with the same id, is no change, and two days later a correction', async () => {
    const { caller, more } = await user()
    const row = { amount: -3, transaction_date: '2025-03-01', external_id: 'b1' }
    await store(caller, [{ ...row, name: 'Caf\u00e9' }], more)
    expect(verdicts(await store(caller, [{ ...row, name: 'Cafe\u0301' }], more))).toBe('duplicate')
    expect(
      verdicts(
        await store(caller, [{
          ...row,
          name: 'Cafe\u0301',
          amount: -3.5,
          transaction_date: '2025-03-03',
        }], more),
      ),
    ).toBe('updated')
  })

  test('the name of an account in another normal form proves a transfer', async () => {
    const { caller, more } = await user()
    const p_account_id = (await caller.create('accounts', {
      name: 'Tagesgeldk\u00f6nig',
      type: 'savings',
      currency: 'eur',
    })).id
    const day = { transaction_date: '2025-03-01' }
    await store(caller, [{ ...day, name: 'Eingang', amount: 50 }], { p_account_id })
    expect(
      verdicts(
        await judge(caller, [{ ...day, name: 'Ko\u0308nig: Tagesgeldko\u0308nig', amount: -50 }, {
          ...day,
          name: 'Kiosk',
          amount: -1,
        }], more),
      ),
    )
      .toBe('transfer new')
  })
})
