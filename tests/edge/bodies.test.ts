/** A user sends a file of Excel or PowerShell. The edge removes a byte order mark, and refuses other encodings than UTF-8. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, returning, type Caller, type DataStack } from '../support/data.ts'
import { startEdge } from './support.ts'

let stack: DataStack
let edge: Awaited<ReturnType<typeof startEdge>>
let mine: Caller
beforeAll(async () => {
  stack = await dataStack()
  edge = await startEdge(stack.url)
  mine = stack.as(await stack.person(), undefined, `${edge.url}/data`)
})
afterAll(async () => {
  edge.close()
  await stack.stop()
})

const mark = '\ufeff'
const csv = { 'content-type': 'text/csv', ...returning }

test.each([
  ['CSV', csv, `${mark}name,amount\nRent,-900\n`],
  ['CSV with a charset', { ...csv, 'content-type': 'text/csv; charset=utf-8' }, `${mark}name,amount\r\nRent,-900\r\n`],
  ['CSV without a mark', csv, 'name,amount\nRent,-900\n'],
  ['JSON', returning, `${mark}{"name":"Rent","amount":-900}`],
  ['JSON of several rows', returning, `${mark}[{"name":"Rent","amount":-900}]`],
])('%s is stored', async (_, headers, body) => {
  expect(await mine.post('/transactions?select=name,amount', body, headers)).toMatchObject({ status: 201, body: [{ name: 'Rent', amount: -900 }] })
})

test('a mark in another place stays', async () => {
  expect((await mine.post('/transactions?select=name', `name,amount\n${mark}Rent,-900\n`, csv)).body).toEqual([{ name: `${mark}Rent` }])
})

test('a mark whose bytes arrive one by one is removed', async () => {
  const authorization = `Bearer ${await mine.token()}`
  const bytes = Buffer.from(`${mark}name,amount\nRent,-900\n`)
  const sent = request(`${edge.url}/data/transactions?select=name`, { method: 'POST', headers: { ...csv, authorization, 'content-length': bytes.length } })
  const answer = new Promise<string>((resolve, reject) => sent.once('response', (response) => resolve(text(response))).once('error', reject))
  for (const byte of bytes.subarray(0, 4)) {
    sent.write(Buffer.of(byte))
    await sleep(20)
  }
  sent.end(bytes.subarray(4))
  expect(JSON.parse(await answer)).toEqual([{ name: 'Rent' }])
})

test.each([
  ['CSV of Western Windows', Buffer.from('name,amount\nMüller,-3\n', 'latin1'), csv],
  ['CSV that ends within a letter', Buffer.from('name,amount\nRent,-900\nMü').subarray(0, -1), csv],
  ['CSV of Excel’s “Unicode text”', Buffer.from(`${mark}name,amount\nRent,-900\n`, 'utf16le'), csv],
])('%s is refused and stores nothing', async (_, bytes, headers) => {
  const rows = async () => (await mine.get('/transactions?select=id')).body.length
  const before = await rows()
  const response = await fetch(`${edge.url}/data/transactions`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${await mine.token()}` },
    body: bytes,
  })
  expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 400, body: { code: 'INVALID_ENCODING', details: null } })
  expect(await rows()).toBe(before)
})

test('the type of a body may have capital letters, and no charset but UTF-8', async () => {
  const send = (type: string, body: string) => mine.post('/transactions', body, { 'content-type': type })
  expect((await send('Application/JSON; Charset="UTF-8"', '{"name":"Rent","amount":-900}')).status).toBe(201)
  expect((await send('TEXT/CSV', 'name,amount\nRent,-900\n')).status).toBe(201)
  for (const type of ['application/json; charset=utf-16', 'text/csv; charset=iso-8859-1', 'text/csv;charset="windows-1252"'])
    expect(await send(type, '{"name":"Rent","amount":-900}')).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
})

test('a body of a mark only, or of less, is no row', async () => {
  for (const body of [mark, 'a', '']) expect((await mine.post('/transactions', body, csv)).status).toBeGreaterThanOrEqual(400)
  expect(await mine.post('/transactions', mark)).toMatchObject({ status: 400, body: { code: 'PGRST102' } })
})
