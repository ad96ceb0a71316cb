/** Receipts of a signed-in user: the steps of an upload and a download. */
import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { expect } from 'vitest'
import type { Person } from './person.ts'
import type { Stack } from './stack.ts'

export const sha256Of = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** A new PDF of this size, as far as its first bytes tell. */
export const newPdf = (size = 40_000): Buffer =>
  Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size - 9)])

/**
 * Stores the file of an upload as the auth service does. @returns whether the attachment is ready
 */
export async function storeFile(
  owner: Pick<pg.ClientBase, 'query'>,
  ticket: string,
  file: Uint8Array,
): Promise<boolean> {
  const hash = createHash('sha256').update(ticket).digest()
  const { rows: [begun] } = await owner.query<{ id: string }>(
    'select private.begin_file($1, false) as id',
    [hash],
  )
  await owner.query('select private.write_chunk($1, $2, 0, $3)', [hash, begun?.id, file])
  const { rows } = await owner.query(`select from private.finish_upload($1, $2, 'text/plain')`, [
    hash,
    begun?.id,
  ])
  return rows.length === 1
}

export type Began = {
  attachment_id: string
  ticket: string
  expires_in: number
  status: string
  bytes_left: number
}

/** The steps of a user. `call` sends a request to the data surface. */
export function receiptsOf(stack: Pick<Stack, 'url' | 'dataUrl'>, user: Pick<Person, 'token'>) {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${stack.dataUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await user.token()}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
      headers: response.headers,
    }
  }
  const begin = (transactionId: string, file: Uint8Array, given: object = {}) =>
    call('POST', '/rpc/begin_upload', {
      transaction_id: transactionId,
      name: 'receipt.pdf',
      size: file.length,
      sha256: sha256Of(file),
      ...given,
    })
  const began = async (
    transactionId: string,
    file: Uint8Array,
    given: object = {},
  ): Promise<Began> => {
    const { status, body } = await begin(transactionId, file, given)
    if (status !== 200) throw new Error(JSON.stringify(body))
    expect(status).toBe(200)
    return body as Began
  }
  const fileUrl = (ticket: string) => `${stack.url}/api/auth/files/${ticket}`
  const put = (ticket: string, file: Uint8Array, headers: Record<string, string> = {}) =>
    fetch(fileUrl(ticket), { method: 'PUT', body: file, headers })
  const open = async (id: string): Promise<string> => {
    const { status, body } = await call('POST', '/rpc/open_attachment', { id })
    expect(status).toBe(200)
    return body.ticket as string
  }
  return {
    call,
    begin,
    began,
    put,
    open,
    /** Reads with a ticket. */
    get: (ticket: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(fileUrl(ticket), { method, headers }),
    transaction: async (row: object = {}): Promise<string> => {
      const { status, body } = await call('POST', '/transactions', {
        name: 'Shopping',
        amount: -20,
        ...row,
      }, { prefer: 'return=representation' })
      expect(status).toBe(201)
      return body[0].id as string
    },
    /** Adds a file. @returns the id of the attachment */
    attach: async (
      transactionId: string,
      file: Uint8Array,
      given: object = {},
    ): Promise<string> => {
      const { attachment_id: id, ticket } = await began(transactionId, file, given)
      expect((await put(ticket, file)).status).toBe(200)
      return id
    },
    read: async (id: string): Promise<Buffer> =>
      Buffer.from(await (await fetch(fileUrl(await open(id)))).arrayBuffer()),
    list: async (filter = '') =>
      (await call('GET', `/attachments?order=created_at${filter}`)).body as Record<
        string,
        unknown
      >[],
  }
}
