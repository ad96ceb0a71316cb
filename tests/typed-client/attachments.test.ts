/** Files of transactions with the client in Node. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrap } from '../../client/index.ts'
import { type Person, signedIn } from '../support/person.ts'
import { newPdf, sha256Of } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { clientOf, type PersonClient } from './person-client.ts'

let stack: Stack
let ann: Person
let client: PersonClient
beforeAll(async () => {
  stack = await startStack({ data: true })
  ann = await signedIn(stack, 'Ann')
  client = clientOf(stack, ann)
})
afterAll(() => stack.close())

const newTransaction = async ({ data }: Pick<PersonClient, 'data'> = client): Promise<string> =>
  (await unwrap(data.from('transactions').insert({ name: 'Shopping', amount: -20 }).select('id').single())).id

const pdfFile = (bytes: Uint8Array, name = 'Rechnung März.pdf') => new File([new Uint8Array(bytes)], name, { type: 'application/pdf' })

const attachmentsOf = (transaction: string, { data }: Pick<PersonClient, 'data'> = client) =>
  unwrap(data.from('attachments').select().eq('transaction_id', transaction))

describe('Ann', () => {
  test('attaches a file, gets its ready row, and reads the same bytes by the client and by an address', async () => {
    const bytes = newPdf(700_000)
    const transaction = await newTransaction()
    const progress: [number, number][] = []
    const row = await client.attach(transaction, pdfFile(bytes), { note: 'tax', onProgress: (...now) => progress.push(now) })
    expect(row).toMatchObject({
      transaction_id: transaction,
      name: 'Rechnung März.pdf',
      note: 'tax',
      content_type: 'application/pdf',
      size: 700_000,
      sha256: sha256Of(bytes),
      status: 'ready',
    })
    expect(await attachmentsOf(transaction)).toEqual([row])
    expect(progress.at(-1)).toEqual([700_000, 700_000])
    const file = await client.readFile(row.id)
    expect({ type: file.type, isSame: bytes.equals(Buffer.from(await file.arrayBuffer())) }).toEqual({ type: 'application/pdf', isSame: true })
    const { url, expiresAt } = await client.fileUrl(row.id)
    expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(0)
    expect(bytes.equals(Buffer.from(await (await fetch(url)).arrayBuffer()))).toBe(true)
  })
})
