/** Requests for one object at any edge, with their responses, for every version of PostgREST. */
import { expect } from 'vitest'

type Sent = { method?: string, headers?: Record<string, string>, body?: string }
/** Sends a request as a signed-in user. @returns status, Content-Type and body */
export type AskObject = (
  path: string,
  accept: string,
  init?: Sent,
) => Promise<{ status: number, type: string | null, body: any }>

const object = 'application/vnd.rest.object+json'
const postgrestObject = 'application/vnd.pgrst.object+json'
const notOne = (rows: number) => ({
  status: 406,
  type: 'application/json; charset=utf-8',
  body: {
    code: 'PGRST116',
    message: expect.stringMatching(
      /^JSON object requested, multiple|^Cannot coerce the result to a single JSON object/,
    ),
    details: `The result contains ${rows} rows`,
    hint: null,
  },
})
const writeRequest = (method: string, body: unknown): Sent => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', prefer: 'return=representation' },
})

export const objectCalls: [asks: string, (ask: AskObject) => Promise<void>][] = [
  ['with and without select= returns one row, and 406 for none or several', async (ask) => {
    await ask('/tags', object, writeRequest('POST', { name: 'Alone' }))
    await ask(
      '/tags',
      'application/json',
      writeRequest('POST', [{ name: 'Twin' }, { name: 'Twin' }]),
    )
    expect(await ask('/tags?name=eq.Alone', object)).toMatchObject({
      status: 200,
      type: object,
      body: { name: 'Alone', organization_id: null },
    })
    expect(await ask('/tags?name=eq.Alone&select=name', object)).toEqual({
      status: 200,
      type: object,
      body: { name: 'Alone' },
    })
    for (const select of ['', '&select=name']) {
      expect(await ask(`/tags?name=eq.Nobody${select}`, object)).toEqual(notOne(0))
      expect(await ask(`/tags?name=eq.Twin${select}`, object)).toEqual(notOne(2))
    }
  }],
  ['returns embedded rows', async (ask) => {
    await ask('/transactions', object, writeRequest('POST', { name: 'Embedding', amount: 1 }))
    expect(
      await ask('/transactions?name=eq.Embedding&select=name,category:categories(name)', object),
    ).toEqual({
      status: 200,
      type: object,
      body: { name: 'Embedding', category: null },
    })
  }],
  ['accepts a charset, capitals, and a list of media types', async (ask) => {
    await ask('/tags', object, writeRequest('POST', { name: 'Spelled' }))
    const path = '/tags?name=eq.Spelled&select=name'
    for (
      const accept of [
        `${object}; charset=utf-8`,
        `${object};charset=UTF-8`,
        'Application/Vnd.Rest.Object+JSON',
        `${object}, application/json;q=0.5`,
        `text/html, ${object}`,
        `text/html;q=0.1, ${object};q=0.9, */*;q=0.05`,
      ]
    )
      expect(await ask(path, accept), accept).toEqual({
        status: 200,
        type: object,
        body: { name: 'Spelled' },
      })
    // Another type with a higher quality is preferred.
    expect(await ask(path, `${object};q=0.5, application/json`)).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: [{ name: 'Spelled' }],
    })
    // PostgREST's own media type keeps its name.
    expect(await ask(path, postgrestObject)).toEqual({
      status: 200,
      type: `${postgrestObject}; charset=utf-8`,
      body: { name: 'Spelled' },
    })
  }],
  [
    'returns a created, changed or deleted row, and changes nothing for several rows',
    async (ask) => {
      expect(await ask('/tags?select=name', object, writeRequest('POST', { name: 'Written' })))
        .toEqual({ status: 201, type: object, body: { name: 'Written' } })
      expect(
        await ask(
          '/tags?name=eq.Written&select=name',
          object,
          writeRequest('PATCH', { name: 'Rewritten' }),
        ),
      ).toEqual({
        status: 200,
        type: object,
        body: { name: 'Rewritten' },
      })
      expect(
        await ask(
          '/tags?select=name',
          object,
          writeRequest('POST', [{ name: 'Pair' }, { name: 'Pair' }]),
        ),
      ).toEqual(notOne(2))
      expect(await ask('/tags?name=eq.Pair', 'application/json')).toMatchObject({ body: [] })
      const deleted = await ask('/tags?name=eq.Rewritten&select=name', object, {
        method: 'DELETE',
        headers: { prefer: 'return=representation' },
      })
      expect(deleted).toEqual({ status: 200, type: object, body: { name: 'Rewritten' } })
    },
  ],
  ['returns the row, number or columns of a function', async (ask) => {
    await ask('/transactions', object, writeRequest('POST', { name: 'Found', amount: -12 }))
    const filters = [{ field: 'name', operation: 'eq', value: 'Found' }]
    const rows = await ask(
      '/rpc/get_filtered_transactions?select=name',
      object,
      writeRequest('POST', { filters }),
    )
    expect(rows).toEqual({ status: 200, type: object, body: { name: 'Found' } })
    expect(
      await ask('/rpc/get_transaction_stat', object, writeRequest('POST', { p_filters: filters })),
    ).toEqual({ status: 200, type: object, body: -12 })
    expect(await ask('/rpc/get_cash_flow?periods=1', object)).toMatchObject({
      status: 200,
      type: object,
      body: { net: expect.any(Number) },
    })
  }],
  ['returns errors like other requests', async (ask) => {
    expect(await ask('/tags?select=colour', object)).toMatchObject({
      status: 400,
      type: 'application/json; charset=utf-8',
      body: { code: '42703' },
    })
  }],
]
