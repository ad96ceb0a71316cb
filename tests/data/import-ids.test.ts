/**
 * Ids that a bank uses again, in another file or for another account: no transaction replaces
 * another.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import {
  all,
  books,
  february,
  hotel,
  january,
  judge,
  march,
  otherTransactions,
  store,
  stored,
  undoLast,
  userOf,
  verdicts,
  type Row,
} from './import-id-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const user = () => userOf(stack)

describe('a bank that counts its ids anew in each file', () => {
  test.each([['2026-03-03', 'in another month'], ['2026-01-25', 'in the same month']])(
    'gives the id of a booked purchase, which it first announced, to one at the same shop (%s, %s)',
    async (transaction_date) => {
      const { caller, giro } = await user()
      const announced = {
        external_id: '7',
        name: 'REWE',
        amount: -20,
        transaction_date: '2026-01-10',
        status: 'pending',
      }
      await store(caller, [announced], giro)
      expect(
        verdicts(
          await store(
            caller,
            [{ ...announced, transaction_date: '2026-01-12', status: 'paid' }],
            giro,
          ),
        ),
      ).toBe('updated')
      expect(
        verdicts(
          await store(
            caller,
            [{ ...announced, amount: -35, transaction_date, status: 'paid' }],
            giro,
          ),
        ),
      ).toBe('new')
      expect(await books(caller)).toEqual(['REWE -20', 'REWE -35'])
    },
  )

  test('a bank that counts its ids anew in each file gives the id of a purchase that it announced and never booked to one at the same shop two months later', async () => {
    const { caller, giro } = await user()
    const announced = {
      external_id: '7',
      name: 'REWE',
      amount: -20,
      transaction_date: '2026-01-10',
      status: 'pending',
    }
    await store(caller, [announced], giro)
    expect(
      verdicts(
        await store(caller, [{
          ...announced,
          amount: -35,
          transaction_date: '2026-03-10',
          status: 'paid',
        }], giro),
      ),
    ).toBe('new')
    expect(await books(caller)).toEqual(['REWE -20', 'REWE -35'])
  })

  test('a bank that counts its ids anew in each file adds to the books, and the category of the earlier transaction stays where it is', async () => {
    const { caller, giro } = await user()
    const [grocer] = await store(caller, january, giro)
    const { id: category_id } = await caller.create('categories', { name: 'Food' })
    await caller.patch(`/transactions?id=eq.${grocer?.['transaction_id']}`, { category_id })
    const rows = await store(caller, february, giro)
    expect(rows.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      [
        'new',
        'the bank also gave the ID "1" to another transaction, so this one is identified by its date, amount and name',
      ],
      [
        'new',
        'the bank also gave the ID "2" to another transaction, so this one is identified by its date, amount and name',
      ],
    ])
    expect(await stored(caller)).toMatchObject([{ name: 'GROCER', category_id }, { name: 'RENT' }, {
      name: 'FUEL',
      category_id: null,
    }, { name: 'SALARY' }])
    expect((await caller.get(`/accounts?id=eq.${giro.p_account_id}&select=current_balance`)).body)
      .toMatchObject([{ current_balance: 2007.9 }])
  })

  test.each([[january, february, march], [march, february, january], [february, march, january]])(
    'has the same books in every order of its files, also of files that come again',
    async (...files) => {
      const { caller, giro } = await user()
      for (const file of files)
        expect(new Set((await store(caller, file, giro)).map(({ verdict }) => verdict))).toEqual(
          new Set(['new']),
        )
      for (const file of [...files, [...january, ...february.slice(1)]])
        expect(new Set((await store(caller, file, giro)).map(({ verdict }) => verdict))).toEqual(
          new Set(['duplicate']),
        )
      expect(await books(caller)).toEqual(all)
    },
  )

  test('a bank that counts its ids anew in each file corrects each of its transactions under the id that they share', async () => {
    const { caller, giro } = await user()
    for (const file of [january, february, march]) await store(caller, file, giro)
    const corrected = [
      { ...march[0]!, amount: -18.5 },
      { ...february[0]!, name: 'FUEL STATION' },
      { ...january[0]!, transaction_date: '2026-01-12' },
    ]
    for (const row of corrected) {
      expect(verdicts(await store(caller, [row], giro))).toBe('updated')
      expect(verdicts(await store(caller, [row], giro))).toBe('duplicate')
    }
    expect(await books(caller)).toEqual([
      'GROCER -52.1',
      'RENT -900',
      'FUEL STATION -40',
      'SALARY 3000',
      'BOOKS -18.5',
    ])
    for (const file of [january, february, march])
      expect(verdicts(await store(caller, file, giro))).not.toMatch(/new|updated/)
  })

  test('a bank that counts its ids anew in each file books what it announced, also of an id that it had used before', async () => {
    const { caller, giro } = await user()
    await store(caller, january, giro)
    const announced = { ...february[0]!, status: 'pending' }
    expect(verdicts(await store(caller, [announced], giro))).toBe('new')
    expect(
      verdicts(
        await store(caller, [{
          ...announced,
          status: 'paid',
          name: 'FUEL STATION 12',
          amount: -41.3,
          transaction_date: '2026-02-17',
        }], giro),
      ),
    )
      .toBe('updated')
    expect(await books(caller)).toEqual(['GROCER -52.1', 'RENT -900', 'FUEL STATION 12 -41.3'])
  })

  test('a bank that counts its ids anew in each file keeps a row that the user has edited, and the transaction that later has its id', async () => {
    const { caller, giro } = await user()
    await store(caller, january, giro)
    await caller.patch('/transactions?name=eq.GROCER', {
      name: 'Food with Bo',
      amount: -26.05,
      transaction_date: '2026-01-20',
    })
    expect(verdicts(await store(caller, january, giro))).toBe('changed duplicate')
    expect(verdicts(await store(caller, february, giro))).toBe('new new')
    await caller.patch('/transactions?name=eq.FUEL', {
      name: 'Petrol',
      amount: -39,
      transaction_date: '2026-02-18',
    })
    for (const file of [january, february])
      expect(verdicts(await store(caller, file, giro))).toBe('changed duplicate')
    expect(await books(caller)).toEqual([
      'RENT -900',
      'Food with Bo -26.05',
      'Petrol -39',
      'SALARY 3000',
    ])
  })

  test('a bank that counts its ids anew in each file gives back what an undo or the deletion of an import takes, in any order', async () => {
    const { caller, giro } = await user()
    await store(caller, january, { ...giro, p_file_name: 'january' })
    await store(caller, february, { ...giro, p_file_name: 'february' })
    expect((await undoLast(caller)).status).toBe(200)
    expect(await books(caller)).toEqual(all.slice(0, 2))
    expect((await undoLast(caller)).status).toBe(200)
    expect(await books(caller)).toEqual(all.slice(0, 4))
    expect((await caller.delete('/imports?file_name=eq.january')).status).toBe(204)
    expect(await books(caller)).toEqual(all.slice(2, 4))
    for (const match of [true, false])
      expect(verdicts(await judge(caller, february, { ...giro, p_match: match }))).toBe(
        'duplicate duplicate',
      )
    expect(verdicts(await store(caller, january, { ...giro, p_file_name: 'january' }))).toBe(
      'new new',
    )
    for (const file of [january, february])
      expect(verdicts(await store(caller, file, giro))).toBe('duplicate duplicate')
    for (const name of ['january', 'february'])
      expect((await caller.delete(`/imports?file_name=eq.${name}`)).status).toBe(204)
    expect(await books(caller)).toEqual([])
  })

  test('a bank that counts its ids anew in each file deletes for good only the transaction that the user deleted', async () => {
    const { caller, giro } = await user()
    await store(caller, january, giro)
    await caller.delete('/transactions?name=eq.GROCER')
    expect(verdicts(await store(caller, february, giro))).toBe('new new')
    expect(verdicts(await store(caller, january, giro))).toBe('deleted duplicate')
    await caller.delete('/transactions?name=eq.FUEL')
    expect(verdicts(await store(caller, february, giro))).toBe('deleted duplicate')
    expect(verdicts(await store(caller, march, giro))).toBe('new')
    for (const expected of ['deleted duplicate', 'duplicate duplicate', 'deleted duplicate']) {
      expect(verdicts(await judge(caller, february, giro))).toBe(expected)
      if (expected.startsWith('deleted'))
        await caller.post('/rpc/undo', {
          p_activity_id:
            (await caller.get('/activity?action=eq.delete&order=id.desc&limit=1')).body[0].id,
        })
      else await caller.delete('/transactions?name=eq.FUEL')
    }
  })

  test('a bank that counts its ids anew in each file does not bring back a row that was announced, booked with other values and then deleted', async () => {
    const { caller, giro } = await user()
    const announced = {
      external_id: '7',
      name: 'INN',
      amount: -20,
      transaction_date: '2026-01-10',
      status: 'pending',
    }
    const booked = {
      ...announced,
      name: 'INN AT THE LAKE',
      amount: -24,
      transaction_date: '2026-01-19',
      status: 'paid',
    }
    await store(caller, [announced], giro)
    expect(verdicts(await store(caller, [booked], giro))).toBe('updated')
    await caller.delete('/transactions')
    expect([
      verdicts(await judge(caller, [announced], giro)),
      verdicts(await judge(caller, [booked], giro)),
    ]).toEqual(['deleted', 'deleted'])
    expect(verdicts(await judge(caller, [{ ...booked, name: 'GARAGE', amount: -80 }], giro))).toBe(
      'new',
    )
  })

  test('a bank that counts its ids anew in each file does not bring back a deleted transaction under a corrected name, and stores another one at the same shop', async () => {
    const { caller, giro } = await user()
    for (const file of [january, february]) await store(caller, file, giro)
    await caller.delete('/transactions?name=in.(GROCER,FUEL)')
    const corrected = [{ ...january[0]!, name: 'Grocer Ltd' }, {
      ...february[0]!,
      name: 'Fuel station',
    }]
    for (const row of corrected) expect(verdicts(await judge(caller, [row], giro))).toBe('deleted')
    expect(
      verdicts(await judge(caller, [{ ...february[0]!, transaction_date: '2026-02-09' }], giro)),
    ).toBe('deleted')
    expect(
      verdicts(await judge(caller, [{ ...corrected[1]!, transaction_date: '2026-02-09' }], giro)),
    ).toBe('new')
    expect(verdicts(await store(caller, corrected, { ...giro, p_again: true }))).toBe('new new')
    for (const row of corrected)
      expect(verdicts(await judge(caller, [row], giro))).toBe('duplicate')
  })

  test('a bank that counts its ids anew in each file gives the id of a deleted purchase, which it first announced, to one at the same shop', async () => {
    const { caller, giro } = await user()
    const announced = {
      external_id: '7',
      name: 'REWE',
      amount: -20,
      transaction_date: '2026-01-10',
      status: 'pending',
    }
    for (const status of ['pending', 'paid']) await store(caller, [{ ...announced, status }], giro)
    await caller.delete('/transactions')
    expect(verdicts(await judge(caller, [{ ...announced, status: 'paid' }], giro))).toBe('deleted')
    expect(
      verdicts(
        await judge(caller, [{
          ...announced,
          amount: -35,
          transaction_date: '2026-01-25',
          status: 'paid',
        }], giro),
      ),
    ).toBe('new')
  })

  test('a bank that counts its ids anew in each file books under another id what it announced, and gives the first id to a purchase at the same shop', async () => {
    const { caller, giro } = await user()
    const announced = {
      external_id: 'p',
      name: 'REWE',
      amount: -20,
      transaction_date: '2026-01-10',
      status: 'pending',
    }
    await store(caller, [announced], giro)
    expect(
      verdicts(await store(caller, [{ ...announced, external_id: 'b', status: 'paid' }], giro)),
    ).toBe('matched')
    expect(verdicts(await judge(caller, [announced], giro))).toBe('duplicate')
    expect(
      verdicts(
        await store(caller, [{
          ...announced,
          amount: -35,
          transaction_date: '2026-01-25',
          status: 'paid',
        }], giro),
      ),
    ).toBe('new')
    expect(await books(caller)).toEqual(['REWE -20', 'REWE -35'])
  })

  test('a bank that counts its ids anew in each file numbers cheques, and uses the numbers again in the next year', async () => {
    const { caller, giro } = await user()
    const cheques = ['2025', '2026'].map((year) => ({
      external_id: '101',
      name: 'CHECK PAID',
      amount: -50,
      transaction_date: `${year}-01-05`,
    }))
    for (const cheque of cheques) expect(verdicts(await store(caller, [cheque], giro))).toBe('new')
    for (const cheque of cheques)
      expect(verdicts(await store(caller, [cheque], giro))).toBe('duplicate')
    expect(
      verdicts(
        await store(caller, [{
          ...cheques[1]!,
          name: 'CHECK RETURNED',
          amount: 50,
          transaction_date: '2026-01-07',
        }], giro),
      ),
    ).toBe('new')
    expect(await books(caller)).toEqual(['CHECK PAID -50', 'CHECK PAID -50', 'CHECK RETURNED 50'])
  })

  test('a bank that counts its ids anew in each file overlaps its next file by whole days, with other ids for the same rows', async () => {
    const { caller, giro } = await user()
    await store(caller, january, giro)
    const overlapping = [{ ...january[1]!, external_id: '1' }, {
      ...february[0]!,
      external_id: '2',
    }]
    expect(verdicts(await store(caller, overlapping, giro))).toBe('duplicate new')
    expect(verdicts(await store(caller, overlapping, giro))).toBe('duplicate duplicate')
    expect(await books(caller)).toEqual(all.slice(0, 3))
  })
})

describe('another transaction has', () => {
  test.each(otherTransactions)('%s', async (_, change) => {
    const other = { ...hotel, ...change }
    for (
      const files of [[[hotel], [other]], [[other], [hotel]], [[hotel, other]], [[other, hotel]]]
    ) {
      const { caller, giro } = await user()
      for (const file of files)
        expect(verdicts(await store(caller, file, giro))).toBe(file.map(() => 'new').join(' '))
      for (const file of [...files, [hotel], [other], [hotel, other]])
        expect(verdicts(await store(caller, file, giro))).toBe(
          file.map(() => 'duplicate').join(' '),
        )
      expect(await books(caller)).toHaveLength(2)
    }
  })

  test.each<[string, Row]>([
    ['another amount', { amount: -210 }],
    ['another name', { name: 'RITZ' }],
    ['another day', { transaction_date: '2026-05-07' }],
    ['another day and amount', { transaction_date: '2026-05-07', amount: -210 }],
    ['a name of other case and punctuation, and another amount', { name: 'Hotel.', amount: -210 }],
  ])('another transaction has not only %s: that is a correction', async (_, change) => {
    const { caller, giro } = await user()
    await store(caller, [hotel], giro)
    expect(verdicts(await store(caller, [{ ...hotel, ...change }], giro))).toBe('updated')
    expect(await stored(caller)).toHaveLength(1)
  })

  test('one id for three rows of a file, and a row of them in the next', async () => {
    const { caller, giro } = await user()
    const three = [hotel, { ...hotel, name: 'FEE', amount: -6 }, {
      ...hotel,
      name: 'REWARD',
      amount: 2,
    }]
    expect(verdicts(await store(caller, three, giro))).toBe('new new new')
    for (const file of [three, three.toReversed(), three.slice(1, 2)])
      expect(new Set((await store(caller, file, giro)).map(({ verdict }) => verdict))).toEqual(
        new Set(['duplicate']),
      )
    expect(verdicts(await store(caller, [{ ...hotel, name: 'TAX', amount: -1 }], giro))).toBe('new')
    expect(await books(caller)).toEqual(['FEE -6', 'HOTEL -200', 'REWARD 2', 'TAX -1'])
    const invalid = await judge(caller, [{ ...hotel, external_id: 'b' }, {
      ...hotel,
      external_id: 'b',
      name: 'FEE',
      amount: -6,
    }, {
      ...hotel,
      external_id: 'b',
      amount: -210,
    }], giro)
    expect(invalid[2]).toMatchObject({
      verdict: 'invalid',
      reason: 'row 1 has the same external_id "b"',
    })
  })

  test('another transaction has its id removed by the reader, because its file has several transactions with it', async () => {
    const fee = { ...hotel, name: 'FEE', amount: -6 }
    const withoutId = ({ external_id, ...row }: Row) => ({
      ...row,
      metadata: { shared_id: external_id },
    })
    const alone = [[hotel], [fee]]
    for (const file of alone) {
      for (
        const files of [[file, [hotel, fee].map(withoutId)], [[hotel, fee].map(withoutId), file]]
      ) {
        const { caller, giro } = await user()
        for (const rows of [...files, ...files]) await store(caller, rows, giro)
        expect(await books(caller)).toEqual(['FEE -6', 'HOTEL -200'])
      }
    }
  })
})

test('two accounts whose bank counts ids per account have rows of their own under one source, which the next files correct', async () => {
  const { caller, giro, savings } = await user()
  const interest = {
    external_id: '1',
    name: 'INTEREST',
    amount: 1.25,
    transaction_date: '2026-01-10',
    status: 'pending',
  }
  expect(await store(caller, january, giro)).toMatchObject([{ verdict: 'new', reason: null }, {
    verdict: 'new',
    reason: null,
  }])
  expect(await store(caller, [interest], savings)).toMatchObject([{ verdict: 'new', reason: null }])
  expect(verdicts(await store(caller, [{ ...interest, status: 'paid', amount: 1.3 }], savings)))
    .toBe('updated')
  expect(verdicts(await store(caller, [{ ...january[0]!, amount: -52 }], giro))).toBe('updated')
  expect(await books(caller)).toEqual(['GROCER -52', 'INTEREST 1.3', 'RENT -900'])
  await caller.delete('/transactions?name=eq.INTEREST')
  expect([
    verdicts(await judge(caller, [interest], savings)),
    verdicts(await judge(caller, [{ ...january[0]!, amount: -52 }], giro)),
  ]).toEqual([
    'deleted',
    'duplicate',
  ])
})

test('two accounts whose bank counts ids per account may have the same row, such as the fee of a month', async () => {
  const { caller, giro, savings } = await user()
  const fee = { external_id: '31', name: 'MONTHLY FEE', amount: -2, transaction_date: '2026-01-31' }
  for (const verdict of ['new', 'duplicate'])
    for (const account of [giro, savings])
      expect(verdicts(await store(caller, [fee], account)))
        .toBe(verdict)
  expect((await caller.get('/accounts?select=current_balance')).body).toEqual([{
    current_balance: -2,
  }, { current_balance: -2 }])
  const [first] = await stored(caller)
  await caller.delete(`/transactions?id=eq.${first?.['id']}`)
  const answers = [
    verdicts(await judge(caller, [fee], giro)),
    verdicts(await judge(caller, [fee], savings)),
  ]
  expect(answers.toSorted()).toEqual(['deleted', 'duplicate'])
})

test('two accounts whose bank counts ids per account and a row that the user moved to the other account is still the row of its bank', async () => {
  const { caller, giro, savings } = await user()
  await store(caller, january, giro)
  await caller.patch('/transactions?name=eq.RENT', { account_id: savings.p_account_id })
  expect(await store(caller, january, giro)).toMatchObject([{ verdict: 'duplicate' }, {
    verdict: 'changed',
    reason: 'saved with different values: account_id',
  }])
  expect(verdicts(await store(caller, february, savings))).toBe('new new')
  expect(await books(caller)).toHaveLength(4)
})

test('two accounts whose bank counts ids per account replay by PostgREST is as before: source and external_id name one row of the context', async () => {
  const { caller, giro, savings } = await user()
  await store(caller, january, giro)
  await store(caller, february, savings)
  const again = await caller.post('/transactions', {
    name: 'x',
    amount: 1,
    source: 'bank',
    external_id: '1',
  }, {
    prefer: 'resolution=ignore-duplicates,return=representation',
  })
  expect(again.body).toEqual([])
  expect(await books(caller)).toHaveLength(4)
})

test(
  'no file of any order, repeated or overlapping, loses or doubles a transaction, whatever its ids',
  async () => {
    const entry = fc.record({
      external_id: fc.constantFrom('1', '2', '3'),
      day: fc.integer({ min: 1, max: 28 }),
      account: fc.integer({ min: 0, max: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 2, maxLength: 12 }),
        fc.array(fc.array(fc.nat(), { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        async (entries, picks) => {
          const { caller, giro, savings } = await user()
          // each transaction has its own name and amount
          const rows = entries.map(({ external_id, day }, at) => ({
            external_id,
            name: `PAYEE${String.fromCodePoint(65 + at)}`,
            amount: -10 - at,
            transaction_date: `2026-01-${String(day).padStart(2, '0')}`,
          }))
          const files = [
            ...picks.map((pick) => [...new Set(pick.map((number) => number % rows.length))]),
            [...rows.keys()],
          ]
          const seen = new Set<number>()
          for (const file of files) {
            for (const account of [0, 1]) {
              const sent = file.filter((at) => entries[at]!.account === account)
              if (sent.length === 0) continue
              const answer = await store(
                caller,
                sent.map((at) => rows[at]!),
                [giro, savings][account],
              )
              expect(verdicts(answer)).toBe(
                sent.map((at) => seen.has(at) ? 'duplicate' : 'new').join(' '),
              )
              for (const at of sent) seen.add(at)
            }
          }
          expect((await books(caller)).toSorted()).toEqual(
            rows.map(({ name, amount }) => `${name} ${amount}`).toSorted(),
          )
        },
      ),
      { numRuns: Number(process.env['BOOKS'] ?? 20), seed: Number(process.env['SEED'] ?? 22) },
    )
  },
  120_000,
)
