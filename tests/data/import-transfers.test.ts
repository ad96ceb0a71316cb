/** Transfers that an import links: the statements of two own accounts have one half each. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import {
  account,
  accounts,
  enter,
  expenses,
  incoming,
  judge,
  link,
  outgoing,
  store,
  stored,
  undoLast,
  verdicts,
  withoutTimes,
  type Row,
} from './transfer-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

async function user() {
  const person = await stack.person()
  const caller = stack.as(person)
  return { person, caller, ...(await accounts(caller)) }
}

describe('the statements of two own accounts', () => {
  test('the statements of two own accounts make one transfer of its two rows, each with the name, day and id of its bank, and no expense', async () => {
    const { caller, giro, savings } = await user()
    const [first] = await store(caller, giro, [outgoing])
    expect(await expenses(caller)).toBe(-500)
    const [second] = await store(caller, savings, [incoming])
    expect(second).toMatchObject({
      verdict: 'transfer',
      transaction_id: first?.['transaction_id'],
      reason: 'transfer with "To savings" on 2025-03-31 in account "Giro"',
    })
    const [out, into] = await stored(caller)
    expect(out).toMatchObject({
      name: 'To savings',
      booked_on: '2025-03-31',
      external_id: 'g-1',
      transfer_id: into?.['transfer_id'],
    })
    expect(into).toMatchObject({
      name: 'From giro',
      booked_on: '2025-04-02',
      external_id: 's-1',
      transfer_id: expect.any(String),
    })
    expect(await expenses(caller)).toBe(0)
    expect([
      verdicts(await judge(caller, giro, [outgoing])),
      verdicts(await judge(caller, savings, [incoming])),
    ]).toEqual(['duplicate', 'duplicate'])
  })

  test('the statements of two own accounts also if one half was entered by hand; and not if linking is off', async () => {
    const { caller, giro, savings } = await user()
    const entered = await enter(caller, giro, -500, '2025-03-30')
    expect(verdicts(await judge(caller, savings, [incoming], { p_link_transfers: false }))).toBe(
      'new',
    )
    expect(await store(caller, savings, [incoming])).toMatchObject([{
      verdict: 'transfer',
      transaction_id: entered['id'],
    }])
  })

  test('the statements of two own accounts and a transfer that the user entered: each half gets its own day', async () => {
    const { caller, giro, savings } = await user()
    await caller.post('/rpc/create_transfer', {
      from_account_id: giro,
      to_account_id: savings,
      amount: 500,
      transfer_date: '2025-04-01',
    })
    expect(verdicts(await store(caller, giro, [outgoing]))).toBe('matched')
    expect(verdicts(await store(caller, savings, [incoming]))).toBe('matched')
    expect(await stored(caller)).toMatchObject([{
      amount: -500,
      booked_on: '2025-03-31',
      name: 'Transfer',
    }, { amount: 500, booked_on: '2025-04-02' }])
    expect(await expenses(caller)).toBe(0)
  })

  test.each<[string, Row]>([
    ['six days away', { transaction_date: '2025-03-27' }],
    ['of another amount', { amount: -499.99 }],
    ['that failed', { status: 'failed' }],
  ])('the statements of two own accounts are not linked to a row %s', async (_, change) => {
    const { caller, giro, savings } = await user()
    await store(caller, giro, [{ ...outgoing, ...change }])
    expect(verdicts(await store(caller, savings, [incoming]))).toBe('new')
  })

  test('the statements of two own accounts are not linked to rows of another currency, of the same account, without an account, with categorized items, or of another context', async () => {
    const { caller, savings, giro } = await user()
    const dollars = await account(caller, { currency: 'usd' })
    await enter(caller, dollars, -500, '2025-04-02')
    await enter(caller, savings, -500, '2025-04-02')
    await enter(caller, null, -500, '2025-04-02', { currency: 'eur' })
    const split = await enter(caller, giro, -500, '2025-04-02')
    await caller.create('line_items', {
      transaction_id: split['id'],
      name: 'x',
      amount: -1,
      category_id: (await caller.create('categories', { name: 'Food' })).id,
    })
    const other = await user()
    await enter(other.caller, other.giro, -500, '2025-04-02')
    expect(await store(caller, savings, [incoming])).toMatchObject([{
      verdict: 'new',
      reason: null,
    }])
  })

  test('the statements of two own accounts are not linked by guess: two halves equally near, or two rows for one half', async () => {
    const { caller, giro, savings, card } = await user()
    const transfer = { ...incoming, name: 'Transfer' }
    await enter(caller, giro, -500, '2025-04-01', { name: 'Transfer' })
    await enter(caller, card, -500, '2025-04-03', { name: 'Transfer' })
    const ambiguous =
      'possible transfer: several matches are equally likely, so link two transactions with /rpc/link_transfer'
    expect(await judge(caller, savings, [transfer])).toEqual([{
      row_number: 1,
      verdict: 'new',
      reason: ambiguous,
      transaction_id: null,
    }])
    const near = await enter(caller, card, -500, '2025-04-02', { name: 'Transfer' })
    expect(await judge(caller, savings, [transfer])).toMatchObject([{
      verdict: 'transfer',
      transaction_id: near['id'],
    }])
    const two = [transfer, { ...transfer, external_id: 's-2' }]
    expect((await store(caller, savings, two)).map(({ verdict, reason }) => [verdict, reason]))
      .toEqual([['new', ambiguous], ['new', ambiguous]])
    expect((await stored(caller)).every(({ transfer_id }) => transfer_id === null)).toBe(true)
  })

  const perhaps = (name: string) =>
    `possible transfer with "${name}" on 2025-04-01 in account "Giro": link the two with /rpc/link_transfer`

  test.each<[string, string, string, string]>([
    ['salary and rent', 'LANDLORD RENT FEB', 'ACME PAYROLL', '2025-04-02'],
    ['a purchase and the refund of another', 'GROCER', 'REFUND SHOES', '2025-04-04'],
    [
      'a purchase by card and its refund',
      'CARD PAYMENT SHOE SHOP',
      'REFUND SHOE SHOP',
      '2025-04-04',
    ],
    ['a dinner and the share of a friend', 'RESTAURANT LUIGI', 'Dan for dinner', '2025-04-02'],
    [
      'a payment to the landlord and a salary by transfer',
      'Überweisung Miete',
      'Überweisung Gehalt',
      '2025-04-02',
    ],
    ['a bank transfer to a payee, and a payment', 'Virement M. Dupont', 'Musée', '2025-04-02'],
    [
      'words that every statement has',
      'SEPA card payment April',
      'SEPA direct credit April',
      '2025-04-02',
    ],
    ['the word for any payment in both', 'Überweisung', 'Überweisung', '2025-04-02'],
    [
      'the word for any payment in both, with payees',
      'Virement Dupont',
      'Virement Acme',
      '2025-04-02',
    ],
    [
      "comdirect's word for any payment",
      'Übertrag / Überweisung',
      'Übertrag / Überweisung',
      '2025-04-02',
    ],
    [
      'a transfer to a payee and another from one',
      'Transfer to John',
      'Transfer from Mary',
      '2025-04-02',
    ],
    ['a transfer to a payee and a deposit', 'Transfer to John', 'Deposit', '2025-04-02'],
    [
      'a transfer and the salary of an employer that only its name shows',
      'Transfer',
      'ACME CORP',
      '2025-04-02',
    ],
    ['two payments by Zelle', 'Zelle transfer to Jo', 'Zelle transfer from Al', '2025-04-01'],
    ['two automatic payments', 'AUTOPAY POWER CO', 'AUTOPAY THANK YOU', '2025-04-02'],
    ['two automatic payments without a payee', 'AUTOPAY', 'AUTOPAY', '2025-04-02'],
    ['two payments by one service', 'PAYPAL INST XFER', 'PAYPAL', '2025-04-02'],
    ['two shops of one town', 'REWE BERLIN', 'LIDL BERLIN', '2025-04-02'],
    [
      'two shops of one town with short names',
      'BP STATION BERLIN',
      'DM STATION BERLIN',
      '2025-04-02',
    ],
    ['the number of an account that is not here', 'Transfer to xx9999', 'Deposit', '2025-04-02'],
    [
      'money that arrives three days before it leaves',
      'Transfer to savings',
      'Transfer from giro',
      '2025-03-29',
    ],
  ])(
    'the statements of two own accounts are not linked without a proof: %s',
    async (_, out, into, day) => {
      const { caller, giro, savings } = await user()
      const left = await enter(caller, giro, -500, '2025-04-01', { name: out })
      const [row] = await store(caller, savings, [{
        ...incoming,
        name: into,
        transaction_date: day,
      }])
      expect(row).toMatchObject({ verdict: 'new', reason: perhaps(out) })
      expect(await expenses(caller)).toBe(-500)
      // the user proves it
      expect((await link(caller, left['id'], row?.['transaction_id'])).status).toBe(200)
    },
  )

  test.each<[string, Row, Row, string]>([
    ['the name of the other account', { name: 'An Savings' }, { name: 'Eingang' }, '2025-04-02'],
    ['the last digits of its number', { name: 'To ...4711' }, { name: 'Deposit' }, '2025-04-02'],
    ['its masked number', { name: 'Online payment xx4711' }, { name: 'Deposit' }, '2025-04-02'],
    [
      'its IBAN in the text',
      { name: 'DE89 3704 0044 0532 0147 11 Ada' },
      { name: 'Eingang' },
      '2025-04-02',
    ],
    ['its IBAN beside the text', { name: 'Ada', metadata: { iban: 'DE89370400440532014711' } }, {
      name: 'Eingang',
    }, '2025-04-02'],
    [
      'a word for a transfer on one side',
      { name: 'Umbuchung' },
      { name: 'Gutschrift' },
      '2025-04-02',
    ],
    ['a word for a transfer in both, in other languages', { name: 'Virement interne' }, {
      name: 'Överföring',
    }, '2025-04-02'],
    [
      'the code of the bank',
      { name: 'Online', metadata: { type: 'XFER' } },
      { name: 'Deposit' },
      '2025-04-02',
    ],
    ['its own kind of transaction', { name: 'Online', metadata: { type: 'ACCT_XFER' } }, {
      name: 'Deposit',
    }, '2025-04-01'],
    ['a word in common', { name: 'Holiday fund' }, { name: 'HOLIDAY FUND APRIL' }, '2025-04-06'],
    ['a name in common', { name: 'Ada Lovelace' }, { name: 'LOVELACE, ADA' }, '2025-03-31'],
  ])('the statements of two own accounts are linked by a proof: %s', async (_, out, into, day) => {
    const { caller, giro, savings } = await user()
    await caller.patch(`/accounts?id=eq.${savings}`, { account_number: '4711' })
    const first = [{ ...outgoing, ...out, transaction_date: '2025-04-01' }]
    const second = [{ ...incoming, ...into, transaction_date: day }]
    await store(caller, giro, first, { p_file_name: 'giro' })
    expect(verdicts(await store(caller, savings, second, { p_file_name: 'savings' }))).toBe(
      'transfer',
    )
    expect(await expenses(caller)).toBe(0)
    for (const name of ['savings', 'giro']) await caller.delete(`/imports?file_name=eq.${name}`)
    // the order of the files makes no difference
    await store(caller, savings, second)
    expect(verdicts(await store(caller, giro, first))).toBe('transfer')
  })

  test.each([
    [
      'a rent to a payee with the name of the account, and a salary',
      'Anna',
      'ANNA HUBER MIETE MAERZ',
      'GEHALT ACME GMBH',
    ],
    [
      'a purchase at the shop on the card, and the refund of another',
      'Amazon',
      'AMAZON EU SARL',
      'ZALANDO SE',
    ],
    [
      'an instalment to a bank, and a gift',
      'Savings',
      'LOAN INSTALMENT SAVINGS BANK OHIO',
      'Gift Aunt May',
    ],
    ['a purchase by card and a transfer', 'Savings', 'Card payment', 'Transfer'],
    ['cash and a transfer', 'Savings', 'CASH WITHDRAWAL', 'INCOMING TRANSFER'],
    ['a direct debit and a transfer', 'Savings', 'Direct debit', 'Transfer received'],
    ['German cash and a transfer', 'Savings', 'Auszahlung Bargeld', 'Umbuchung'],
  ])(
    'the statements of two own accounts are not linked without a proof in both files: %s',
    async (_, name, out, into) => {
      const { caller, giro, savings } = await user()
      await caller.patch(`/accounts?id=eq.${savings}`, { name })
      await store(caller, giro, [{ ...outgoing, name: out }])
      expect(verdicts(await store(caller, savings, [{ ...incoming, name: into }]))).toBe('new')
    },
  )

  test.each(['type', 'kind'])(
    "the statements of two own accounts are not linked by the bank's %s of both, which every payment has",
    async (key) => {
      const { caller, giro, savings } = await user()
      for (
        const [kind, out, into] of [['Überweisung', 'Miete', 'ACME'], ['XFER', 'JOHN', 'MARY'], [
          'Übertrag / Überweisung',
          'Power Co',
          'Acme GmbH',
        ], [
          'BONIFICO',
          'Rossi',
          'Bianchi',
        ]]
      ) {
        await caller.delete('/transactions')
        await enter(caller, giro, -500, '2025-04-01', { name: out, metadata: { [key]: kind } })
        expect(
          await judge(caller, savings, [{ ...incoming, name: into, metadata: { [key]: kind } }]),
        ).toMatchObject([{ verdict: 'new', reason: perhaps(out!) }])
      }
    },
  )

  test.each([
    ['one side', 'Transfer to depot', 'Deposit'],
    ['the side that receives', 'Transfer', 'Transfer from depot'],
    ['one side, and the other the right one', 'To savings', 'Transfer from depot'],
  ])(
    'the statements of two own accounts are not linked if %s names a third account',
    async (_, out, into) => {
      const { caller, giro, savings } = await user()
      await account(caller, { name: 'Depot' })
      await enter(caller, giro, -500, '2025-04-01', { name: out })
      expect(await judge(caller, savings, [{ ...incoming, name: into }])).toMatchObject([{
        verdict: 'new',
        reason: perhaps(out),
      }])
    },
  )

  test('the statements of two own accounts are not linked by the name of the bank that both accounts have', async () => {
    const { caller, giro, savings } = await user()
    await caller.patch('/accounts', { institution: 'Sparkasse' })
    await enter(caller, giro, -500, '2025-04-01', { name: 'SPARKASSE ATM 12' })
    expect(await judge(caller, savings, [{ ...incoming, name: 'Dan for dinner' }])).toMatchObject([{
      verdict: 'new',
      reason: perhaps('SPARKASSE ATM 12'),
    }])
    await caller.patch(`/accounts?id=eq.${savings}`, { institution: 'Tagesgeldbank' })
    expect(verdicts(await judge(caller, savings, [{ ...incoming, name: 'Dan for dinner' }]))).toBe(
      'new',
    )
    await caller.patch('/transactions', { name: 'Tagesgeldbank' })
    expect(verdicts(await judge(caller, savings, [{ ...incoming, name: 'Eingang' }]))).toBe(
      'transfer',
    )
  })

  test('the statements of two own accounts are not linked by the mark of a rule or of a user to a salary or a refund', async () => {
    const { caller, giro, savings } = await user()
    const half = await enter(caller, giro, -500, '2025-04-01', { name: 'Depot' })
    await caller.patch('/transactions', { transfer_id: half['id'] })
    expect(verdicts(await judge(caller, savings, [{ ...incoming, name: 'ACME PAYROLL' }]))).toBe(
      'new',
    )
    expect(verdicts(await judge(caller, savings, [{ ...incoming, name: 'Eingang' }]))).toBe(
      'transfer',
    )
    await caller.create('rules', {
      name: 'r',
      conditions: [{ field: 'name', operation: 'ilike', value: 'depot*' }],
      mark_as_transfer: true,
    })
    await enter(caller, savings, 70, '2025-04-01', { name: 'REFUND SHOES' })
    expect(verdicts(await judge(caller, giro, [{ ...outgoing, name: 'DEPOT 12', amount: -70 }])))
      .toBe('new')
  })

  test('the statements of two own accounts are linked to the half with the better proof, before a nearer one', async () => {
    const { caller, giro, savings, card } = await user()
    await enter(caller, card, -500, '2025-04-02', { name: 'BIKE SHOP' })
    const half = await enter(caller, giro, -500, '2025-03-31', { name: 'Transfer' })
    expect(await judge(caller, savings, [{ ...incoming, name: 'Transfer' }])).toMatchObject([{
      verdict: 'transfer',
      transaction_id: half['id'],
    }])
  })

  test('the statements of two own accounts are linked by a rule that marks transfers, whichever file comes first', async () => {
    for (const isFirst of [true, false]) {
      const { caller, giro, savings } = await user()
      await caller.create('rules', {
        name: 'r',
        conditions: [{ field: 'name', operation: 'ilike', value: '*depot*' }],
        mark_as_transfer: true,
      })
      const files: [string, Row][] = [[giro, { ...outgoing, name: 'DEPOT 12' }], [savings, {
        ...incoming,
        name: 'EINGANG',
      }]]
      const [one, other] = isFirst ? files : files.toReversed()
      expect(verdicts(await store(caller, one![0], [one![1]]))).toBe('new')
      expect(verdicts(await store(caller, other![0], [other![1]]))).toBe('transfer')
      expect(await expenses(caller)).toBe(0)
    }
  })

  test('the statements of two own accounts are not linked to a half of a closed day, and the reason names it', async () => {
    const { caller, giro, savings } = await user()
    await enter(caller, giro, -500, '2025-03-31', { name: 'Transfer to savings' })
    await caller.patch(`/accounts?id=eq.${giro}`, { closed_until: '2025-03-31' })
    expect(await store(caller, savings, [incoming])).toMatchObject([
      {
        verdict: 'new',
        reason: 'possible transfer with "Transfer to savings", which is in a closed period',
      },
    ])
  })

  test('the statements of two own accounts are linked if as many rows as halves are interchangeable', async () => {
    const { caller, giro, savings } = await user()
    await store(caller, giro, [outgoing, { ...outgoing, external_id: 'g-2' }])
    expect(verdicts(await store(caller, savings, [incoming, { ...incoming, external_id: 's-2' }])))
      .toBe('transfer transfer')
    expect(new Set((await stored(caller)).map(({ transfer_id }) => transfer_id)).size).toBe(2)
  })

  test('the statements of two own accounts are apart again after the import is deleted or undone', async () => {
    const { caller, giro, savings } = await user()
    await store(caller, giro, [outgoing], { p_file_name: 'giro' })
    const before = (await stored(caller)).map(withoutTimes)
    for (
      const revert of [() => caller.delete('/imports?file_name=eq.savings'), () => undoLast(caller)]
    ) {
      await store(caller, savings, [incoming], { p_file_name: 'savings' })
      const after = (await stored(caller)).map(withoutTimes)
      expect(await caller.delete('/imports?file_name=eq.giro')).toMatchObject({
        status: 409,
        body: { code: 'PT409' },
      })
      expect((await revert()).status).toBeLessThan(300)
      expect((await stored(caller)).map(withoutTimes)).toEqual(before)
      expect((await undoLast(caller)).status).toBe(200)
      expect((await stored(caller)).map(withoutTimes)).toEqual(after)
      expect((await undoLast(caller)).status).toBe(200)
    }
  })

  test('the statements of two own accounts can be taken back one after the other, the later import first', async () => {
    const { caller, giro, savings } = await user()
    await store(caller, giro, [outgoing], { p_file_name: 'giro' })
    await store(caller, savings, [incoming], { p_file_name: 'savings' })
    for (const name of ['savings', 'giro'])
      expect((await caller.delete(`/imports?file_name=eq.${name}`)).status, name).toBe(204)
    expect(await stored(caller)).toEqual([])
  })

  test('the statements of two own accounts keep their transfer if the bank corrects the day of one half, and report another amount', async () => {
    const { caller, giro, savings } = await user()
    await store(caller, giro, [outgoing])
    await store(caller, savings, [incoming])
    expect(
      verdicts(await store(caller, savings, [{ ...incoming, transaction_date: '2025-04-03' }])),
    ).toBe('updated')
    expect(await stored(caller)).toMatchObject([{ booked_on: '2025-03-31' }, {
      booked_on: '2025-04-03',
    }])
    const changed = { ...incoming, transaction_date: '2025-04-03', amount: 510 }
    expect(await store(caller, savings, [changed])).toMatchObject([
      {
        verdict: 'changed',
        reason: 'saved with different values: amount; it is part of a transfer',
      },
    ])
  })

  test('the statements of two own accounts change no half of the other account: each bank says when its own half was booked', async () => {
    const { caller, giro, savings } = await user()
    await store(caller, giro, [{ ...outgoing, status: 'pending' }])
    await store(caller, savings, [{
      ...incoming,
      transaction_date: '2025-03-31',
      status: 'pending',
    }])
    expect(
      verdicts(
        await store(caller, giro, [{
          ...outgoing,
          transaction_date: '2025-04-01',
          status: 'paid',
        }]),
      ),
    ).toBe('updated')
    expect(await stored(caller)).toMatchObject([
      { amount: 500, booked_on: '2025-03-31', status: 'pending' },
      { amount: -500, booked_on: '2025-04-01', status: 'paid' },
    ])
    expect(
      verdicts(
        await judge(caller, savings, [{
          ...incoming,
          transaction_date: '2025-03-31',
          status: 'pending',
        }]),
      ),
    ).toBe('duplicate')
    await undoLast(caller)
    expect(await stored(caller)).toMatchObject([{ booked_on: '2025-03-31', status: 'pending' }, {
      booked_on: '2025-03-31',
      status: 'pending',
    }])
  })
})
