/** Transfers that tests create between accounts, and their halves. */
import { expect } from 'vitest'
import type { Account, Caller, DataStack } from '../support/data.ts'

export const account = async (caller: Caller, row: object = {}): Promise<string> =>
  (await caller.create('accounts', { name: 'Bank', type: 'checking', ...row })).id

export const between = (from: string, to: string, rest: object = {}) => ({
  from_account_id: from,
  to_account_id: to,
  amount: 200,
  ...rest,
})
export type Half = { id: string, transfer_id: string, amount: number, name: string }
/** The two halves, the outgoing one first. */
export async function transfer(
  caller: Caller,
  from: string,
  to: string,
  rest: object = {},
): Promise<[Half, Half]> {
  const { status, body } = await caller.post('/rpc/create_transfer', between(from, to, rest))
  if (status !== 200) throw new Error(`create_transfer answered ${status} ${JSON.stringify(body)}`)
  return body
}
export const halvesOf = async (caller: Caller, transferId: string, columns: string) =>
  (await caller.get(`/transactions?transfer_id=eq.${transferId}&select=${columns}&order=amount`))
    .body
export const refused = (message: string | RegExp) => ({
  status: 400,
  body: {
    code: '22023',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    hint: expect.any(String),
  },
})

const columns = 'id,name,amount,description'
/**
 * A viewer of a team stores two personal halves with the transfer_id of a deleted transfer of the
 * team. The team then undoes the deletion.
 */
export async function sharedTransfer(stack: DataStack, ada: Account) {
  const eve = await stack.person('eve')
  const editor = await stack.person('editor')
  const theirs = await stack.organization({ owner: ada, editor, viewer: eve })
  const [members, outsider] = [stack.as(editor, theirs), stack.as(eve)]
  const [outgoing, incoming] = await transfer(
    members,
    await account(members),
    await account(members),
    { name: 'Wages' },
  )
  const { transfer_id } =
    (await stack.as(eve, theirs).get(`/transactions?id=eq.${outgoing.id}&select=transfer_id`))
      .body[0]
  const ofTeam = () => halvesOf(members, transfer_id, columns)
  const before = await ofTeam()
  await members.delete(`/transactions?id=eq.${outgoing.id}`)
  const half = {
    organization_id: null,
    transfer_id,
    name: 'Mine',
    transaction_date: '2025-01-01',
  }
  const posted = await outsider.create('transactions', [{ ...half, amount: -1 }, {
    ...half,
    amount: 1,
  }])
  const { body: [{ id }] } = await members.get(
    `/activity?row_id=eq.${outgoing.id}&order=id.desc&limit=1&select=id`,
  )
  expect(await members.post('/rpc/undo', { p_activity_id: id })).toMatchObject({
    status: 200,
    body: { create: 2 },
  })
  expect(await ofTeam()).toEqual(before)
  return {
    eve,
    outsider,
    members,
    outgoing,
    incoming,
    transfer_id,
    ofTeam,
    before,
    posted,
    ofOutsider: () => halvesOf(outsider, transfer_id, columns),
  }
}
