/** Export of a user's data as one file, and its import. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../client/export/format.ts'
import { type ExportFileError, exportMine, restoreMine } from '../../client/export/index.ts'
import { type FinanceError, unwrap } from '../../client/index.ts'
import { type Person, signedIn, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { archiveOf, blobOf, filesOf, rowsIn } from './archives.ts'
import { keepBooks, sameWherever } from './export-books.ts'
import { clientOf, type PersonClient } from './person-client.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const failed = (work: Promise<unknown>): Promise<FinanceError | ExportFileError> =>
  work.then(() => {
    throw new Error('It did not fail.')
  }, (error: FinanceError) => error)

const someone = async (name: string): Promise<PersonClient> =>
  clientOf(stack, await signedIn(stack, name))

const exported = async (client: PersonClient) => {
  const file = await blobOf(await exportMine(client))
  return { file, files: await filesOf(file) }
}

test('an export has every table that the data surface describes, and nothing else', async () => {
  const ann = await someone('Ann')
  const { data } = ann
  const description = JSON.parse(
    await (await data.fetch!(`${data.url}/`, { headers: { accept: 'application/openapi+json' } }))
      .text(),
  ) as {
    paths: Record<string, { get?: object }>
  }
  const described = Object.keys(description.paths).filter((path) => /^\/[a-z_]+$/.test(path))
    .map((path) => path.slice(1))
  expect(Object.keys(tables).toSorted()).toEqual(described.toSorted())
})

test('an export has the account and its rows, exactly as stored, and a list of the files', async () => {
  const ann = await someone('Ann')
  await keepBooks(ann)
  const { files } = await exported(ann)
  const { user } = await ann.auth.getSession()

  const manifest = JSON.parse(files.get('manifest.json')!)
  expect(manifest).toMatchObject({
    format: 'finance-export',
    version: 1,
    user: { id: user.id, email: user.email },
    organization: null,
  })
  expect([...files.keys()].at(-1)).toBe('manifest.json')
  for (const { path, rows, size, sha256 } of manifest.files) {
    if (path.startsWith('files/'))
      expect({ path, size }).toEqual({ path: `files/${sha256}`, size: 'A receipt of 20.00'.length })
    expect(sha256).toBe(createHash('sha256').update(files.get(path)!).digest('hex'))
    if (path.endsWith('.jsonl')) expect(rowsIn(files, path)).toHaveLength(rows)
  }
  expect(rowsIn(files, 'account/user.jsonl')).toEqual([user])
  expect(rowsIn(files, 'account/sessions.jsonl')).toEqual(await ann.auth.listSessions())
  for (const table of Object.keys(tables).filter((name) => name !== 'app_subscriptions')) {
    expect(rowsIn(files, `personal/${table}.jsonl`), table).not.toEqual([])
  }
  expect(files.get('personal/exchange_rates.jsonl')).toContain('"rate":123456789012.123456789012,')
  expect(files.get('personal/transactions.jsonl')).toContain('0.12345678901234567890123456789')
  const [, ...lines] = files.get('personal/transactions.csv')!.split('\r\n')
  expect(lines.find((line) => line.includes('HYPERLINK'))).toMatch(
    /^"2025-01-31T10:11:12.123456\+00:00","'=HYPERLINK\(""https:\/\/example.org""\)",-20.00,"eur","paid","Food","Giro",,"two\nlines, ""quoted""",/,
  )
  const { rows: [secret] } = await stack.sql.query<{ token: string, password: string }>(
    'select token, password from auth.sessions join auth.accounts using (user_id) where user_id = $1',
    [user.id],
  )
  for (const text of files.values()) {
    for (const value of Object.values(secret!)) expect(text).not.toContain(value)
  }
})

test('an export separates the rows of a team from personal ones, and has those that the role may list', async () => {
  const { id, owner, viewer } = await team(stack, ['viewer'])
  const [ownerClient, viewerClient] = [clientOf(stack, owner), clientOf(stack, viewer)]
  await keepBooks(ownerClient)
  await unwrap(
    ownerClient.data.from('dashboards').insert({
      name: 'Hidden',
      layout: { widgets: [] },
      visibility: 'private',
    }),
  )
  await unwrap(ownerClient.data.from('tags').insert({ name: 'my own', organization_id: null }))
  await unwrap(
    viewerClient.data.from('tags').insert({ name: 'the viewer’s own', organization_id: null }),
  )

  const { files } = await exported(viewerClient)
  expect(JSON.parse(files.get('manifest.json')!).organization).toMatchObject({
    id,
    name: 'The Team',
  })
  expect(rowsIn(files, 'personal/tags.jsonl')).toMatchObject([{ name: 'the viewer’s own' }])
  expect(rowsIn(files, 'organization/tags.jsonl')).toMatchObject([{
    name: 'trip',
    organization_id: id,
  }])
  expect(rowsIn(files, 'organization/dashboards.jsonl')).toEqual([])
  expect(rowsIn(files, 'organization/activity.jsonl')).toEqual([])
  expect(rowsIn(files, 'account/organizations.jsonl')).toMatchObject([{ id, role: 'viewer' }])
  expect([...files.keys()]).not.toContain('organization/app_subscriptions.jsonl')

  expect(rowsIn((await exported(ownerClient)).files, 'organization/activity.jsonl')).not.toEqual([])
})

test('an export keeps its monthly rollovers after an import, also if it comes from a version before budgets had a start', async () => {
  const ann = await someone('Ann')
  const { food } = await keepBooks(ann)
  const figures = async ({ data }: PersonClient, range: object) =>
    unwrap(
      data.rpc('get_budget_comparison', range, { get: true }).select(
        'name,currency,budget,actual,difference',
      ).order('currency'),
    )
  const ranges = [{}, { preset: 'last_month' }, {
    start_date: '2024-12-01',
    end_date: '2024-12-31',
  }, { start_date: '2025-06-01', end_date: '2025-06-30' }]
  const all = (client: PersonClient) => Promise.all(ranges.map((range) => figures(client, range)))
  const books = await all(ann)
  expect(books[3]).toMatchObject([{ currency: 'usd', budget: 600 }])
  const bob = await someone('Bob')
  expect((await restoreMine(bob, (await exported(ann)).file)).problems).toEqual([])
  expect(await all(bob)).toEqual(books)

  // In a file of the older version the start is the month of the row's creation.
  await unwrap(ann.data.from('past_budgets').delete().eq('category_id', food))
  const { files } = await exported(ann)
  const path = 'personal/budgets.jsonl'
  const older = files.get(path)!.replace(/"starts_on":(?:null|"[^"]*"),/g, '').replace(
    /"created_at":"[^"]*"/g,
    '"created_at":"2025-01-15T10:00:00+00:00"',
  )
  const manifest = JSON.parse(files.get('manifest.json')!)
  manifest.files.find((one: { path: string }) => one.path === path).sha256 = createHash('sha256')
    .update(older).digest('hex')
  const cleo = await someone('Cleo')
  await restoreMine(
    cleo,
    await archiveOf(files.set(path, older).set('manifest.json', `${JSON.stringify(manifest)}\n`)),
  )
  expect(await all(cleo)).toEqual(await all(ann))
})

test('an export is written while it is read: the first bytes arrive before the last page is requested', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(
    `insert into api.transactions (name, amount, user_id, organization_id, description)
        select 'Row ' || n, -n, (select id from auth.users where email = $1), null, md5(n::text) from generate_series(1, 24500) n`,
    [ann.email],
  )
  const client = clientOf(stack, ann)
  const reader = (await exportMine(client)).getReader()
  const seen: { pages: number, bytes: number }[] = []
  for (let bytes = 0;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    seen.push({ pages: client.count('/transactions?'), bytes })
  }
  // 25 pages and an empty one, once for JSON lines and once for CSV.
  const last = seen.at(-1)!
  expect(last.pages).toBe(52)
  expect(seen.find(({ pages, bytes }) => pages > 0 && bytes > 10_000)?.pages).toBeLessThan(15)
  // Only a few pages are read ahead, whatever their number.
  expect(Math.max(...seen.map(({ pages, bytes }) => pages - 52 * bytes / last.bytes))).toBeLessThan(
    15,
  )
})

test.each([
  [
    'a page fails',
    (
      path: string,
    ) => (path.includes('/accounts?')
      ? Response.json({ code: '57014', message: 'canceled' }, { status: 500 })
      : undefined),
    '57014',
  ],
  [
    'a response is not JSON',
    (
      path: string,
    ) => (path.includes('/tags?') ? new Response('<html>', { status: 502 }) : undefined),
    'HTTP_502',
  ],
])('an export stops if %s, and the file cannot be opened', async (_what, answer, code) => {
  const client = clientOf(stack, await signedIn(stack, 'Ann'), answer)
  const reader = (await exportMine(client)).getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  const error = await failed((async () => {
    for (;;) {
      const { value } = await reader.read()
      parts.push(value as Uint8Array<ArrayBuffer>)
    }
  })())
  expect(error).toMatchObject({ code })
  expect(parts.length).toBeGreaterThan(0)
  expect(await failed(restoreMine(await someone('Bob'), new Blob(parts)))).toMatchObject({
    name: 'ExportFileError',
  })
})

test('an export stops if the user switches the organization meanwhile', async () => {
  const { owner } = await team(stack, [])
  const client = clientOf(stack, owner)
  const stream = await exportMine(client)
  await client.auth.organization.setActive({ organizationId: null })
  expect(await failed(blobOf(stream))).toMatchObject({ code: 'CONTEXT_CHANGED' })
})

test('an export needs a session', async () => {
  expect(await failed(exportMine(clientOf(stack, { cookies: new Map() })))).toMatchObject({
    status: 401,
  })
})

test('a user who imports has all rows in a new account, and a second import changes nothing', async () => {
  const ann = await someone('Ann')
  await keepBooks(ann)
  const { file, files } = await exported(ann)
  await using elsewhere = await startStack({ data: true })
  const bob = clientOf(elsewhere, await signedIn(elsewhere, 'Bob'))
  const progress: number[] = []

  const first = await restoreMine(bob, file, {
    onProgress: (done, rows) => progress.push(done / rows),
  })
  expect(first.problems).toEqual([])
  expect(first.tables).toMatchObject({
    transactions: { stored: 9, present: 0 },
    line_items: { stored: 2 },
    accounts: { stored: 4 },
  })
  expect(progress.at(-1)).toBe(1)
  const { files: again } = await exported(bob)
  expect(sameWherever(again)).toEqual(sameWherever(files))
  expect(again.get('personal/exchange_rates.jsonl')).toContain('"rate":123456789012.123456789012,')
  expect(await unwrap(bob.data.from('accounts').select('name,current_balance').order('name')))
    .toEqual(await unwrap(ann.data.from('accounts').select('name,current_balance').order('name')))

  const { data: [food] } = await bob.data.from('categories').select('id').eq('name', 'Food')
    .throwOnError()
  expect(
    await unwrap(
      bob.data.from('rules').select('name,conditions,set_category_id').is('mark_as_transfer', false)
        .order('created_at'),
    ),
  ).toEqual(
    ['first', 'second'].map((name) => ({
      name,
      conditions: [{ field: 'category_id', operation: 'eq', value: food?.id }],
      set_category_id: food?.id,
    })),
  )

  await unwrap(bob.data.from('categories').update({ name: 'Groceries' }).eq('name', 'Food'))
  const second = await restoreMine(bob, file)
  expect(second.problems).toEqual([])
  expect(Object.values(second.tables).every(({ stored }) => stored === 0)).toBe(true)
  const { files: last } = await exported(bob)
  expect(rowsIn(last, 'personal/transactions.jsonl')).toHaveLength(9)
  expect(rowsIn(last, 'personal/categories.jsonl')).toMatchObject([{ name: 'Groceries' }])
})

test('a user who imports restores deleted rows with their former ids', async () => {
  const ann = await someone('Ann')
  const { shopping } = await keepBooks(ann)
  const { file, files } = await exported(ann)
  await unwrap(ann.data.from('transactions').delete().in('id', [shopping]))
  await unwrap(ann.data.from('transactions').delete().eq('name', 'Transfer'))

  const { tables: restored, problems } = await restoreMine(ann, file)
  expect(problems).toEqual([])
  expect(restored).toMatchObject({
    transactions: { stored: 5, present: 4 },
    line_items: { stored: 2 },
    transaction_tags: { stored: 1 },
    accounts: { stored: 0, present: 4 },
  })
  const ids = (of: Map<string, string>) =>
    rowsIn(of, 'personal/transactions.jsonl').map(({ id }) => id as string)
  expect(ids((await exported(ann)).files)).toEqual(ids(files))
})

test('a user who imports can import personal rows into a team, if their role may write there', async () => {
  const ann = await someone('Ann')
  await keepBooks(ann)
  const { file, files } = await exported(ann)
  const { editor, viewer } = await team(stack, ['editor', 'viewer'])
  const client = clientOf(stack, editor)

  expect(await failed(restoreMine(client, file))).toMatchObject({
    message: 'This export has no team data.',
  })
  expect(await failed(restoreMine(clientOf(stack, viewer), file, { from: 'personal' })))
    .toMatchObject({ code: '42501', status: 403 })
  expect((await restoreMine(client, file, { from: 'personal' })).problems).toEqual([])
  const { files: again } = await exported(client)
  expect(sameWherever(again, 'organization')).toEqual(sameWherever(files))
  expect(rowsIn(again, 'personal/transactions.jsonl')).toEqual([])
})

test('a user who imports keeps a transaction that the same bank file has imported already, and reads which parts were skipped', async () => {
  const [ann, bob] = [await someone('Ann'), await someone('Bob')]
  const bank = { name: 'Tram', amount: -2.9, source: 'bank', external_id: 'b-1' }
  const { id } = await unwrap(ann.data.from('transactions').insert(bank).select('id').single())
  const [item] = await unwrap(
    ann.data.from('line_items').insert({ transaction_id: id, name: 'Ticket', amount: -2.9 }).select(
      'id',
    ),
  )
  await unwrap(bob.data.from('transactions').insert(bank))
  const { tables: restored, problems } = await restoreMine(bob, (await exported(ann)).file)
  expect(restored.transactions).toEqual({ stored: 0, present: 1 })
  expect(problems).toMatchObject([{ table: 'line_items', id: item!.id }])
})

test('a user who imports keeps a transfer with a deleted account', async () => {
  const [ann, bob] = [await someone('Ann'), await someone('Bob')]
  const { giro } = await keepBooks(ann)
  await unwrap(ann.data.from('accounts').delete().eq('id', giro))
  const { file, files } = await exported(ann)
  expect((await restoreMine(bob, file)).problems).toEqual([])
  const transfers = (of: Map<string, string>) =>
    new Set(
      rowsIn(of, 'personal/transactions.jsonl').map(({ transfer_id: transfer }) =>
        transfer as string
      ),
    ).size
  expect(transfers((await exported(bob)).files)).toBe(transfers(files))
})

describe('a file that was changed', () => {
  let files: Map<string, string>
  let file: Blob
  let bob: PersonClient
  let mallory: Person

  beforeAll(async () => {
    const ann = await someone('Ann')
    await keepBooks(ann)
    ;({ file, files } = await exported(ann))
    mallory = await signedIn(stack, 'Mallory')
    bob = clientOf(stack, mallory)
  })

  const changed = (change: (files: Map<string, string>) => void) => {
    const copy = new Map(files)
    change(copy)
    return archiveOf(copy)
  }
  /** Adds a matching list of files, as an attacker who knows the format would. */
  const forged = (path: string, text: string) =>
    changed((copy) => {
      const manifest = JSON.parse(copy.get('manifest.json')!)
      const sum = createHash('sha256').update(text).digest('hex')
      Object.assign(manifest.files.find((one: { path: string }) => one.path === path), {
        rows: text.split('\n').length - 1,
        sha256: sum,
      })
      copy.set(path, text).set('manifest.json', JSON.stringify(manifest) + '\n')
    })
  const receiptPath = (copy: Map<string, string>) =>
    [...copy.keys()].find((path) => path.startsWith('files/'))!
  const manifestWith = (change: object) =>
    changed((copy) =>
      copy.set(
        'manifest.json',
        `${JSON.stringify({ ...JSON.parse(copy.get('manifest.json')!), ...change })}\n`,
      )
    )

  test.each<[string, () => Promise<Blob> | Blob, RegExp]>([
    ['a text file', () => new Blob(['Date,Amount']), /not a ZIP archive/],
    ['an empty file', () => new Blob([]), /not a ZIP archive/],
    ['the first half', () => file.slice(0, file.size / 2), /not a ZIP archive/],
    [
      'another archive',
      () => archiveOf([['readme.txt', 'x\n']]),
      /"readme.txt" is not part of an export/,
    ],
    [
      'without its manifest',
      () => changed((copy) => copy.delete('manifest.json')),
      /is not an export/,
    ],
    ['of another format', () => manifestWith({ format: 'x' }), /is not an export/],
    ['of a later version', () => manifestWith({ version: 2 }), /version 2, but only version 1/],
    ['with an empty manifest', () => manifestWith({ files: [] }), /match manifest.json/],
    [
      'with an invalid manifest',
      () => manifestWith({ files: [null] }),
      /is invalid|incomplete or was modified/,
    ],
    [
      'without a table',
      () => changed((copy) => copy.delete('personal/tags.jsonl')),
      /match manifest.json/,
    ],
    [
      'with a changed row',
      () =>
        changed((copy) =>
          copy.set('personal/tags.jsonl', copy.get('personal/tags.jsonl')!.replace('trip', 'trap'))
        ),
      /tags.jsonl was changed/,
    ],
    [
      'with a path outside of its folder',
      () => changed((copy) => copy.set('../../etc/passwd', 'x\n')),
      /incomplete or was modified|is not part in an export/,
    ],
    [
      'with an additional file',
      () => changed((copy) => copy.set('personal/evil.sh', 'x\n')),
      /is not part of an export/,
    ],
    [
      'with a row that is no object',
      () => forged('personal/tags.jsonl', '[]\n'),
      /Line 1 of personal\/tags.jsonl is not a row/,
    ],
    [
      'with a changed file of an attachment',
      () => changed((copy) => copy.set(receiptPath(copy), 'A receipt of 90.00')),
      /files\/[0-9a-f]{64} was changed/,
    ],
    [
      'without the file of an attachment',
      () => changed((copy) => copy.delete(receiptPath(copy))),
      /match manifest.json/,
    ],
    [
      'with a file that is not in its list',
      () => changed((copy) => copy.set(`files/${'0'.repeat(64)}`, 'x')),
      /match manifest.json/,
    ],
    [
      'with a file that is larger than its list says',
      () => changed((copy) => copy.set(receiptPath(copy), 'A receipt of 20.00 and more')),
      /contains more data/,
    ],
    [
      'with a file that is larger than any attachment',
      () =>
        manifestWith({
          files: [{ path: `files/${'0'.repeat(64)}`, size: 104_857_601, sha256: '0'.repeat(64) }],
        }),
      /manifest.json is invalid/,
    ],
    [
      'with a file under another name',
      () => manifestWith({ files: [{ path: 'files/x', size: 1, sha256: 'x' }] }),
      /manifest.json is invalid/,
    ],
    [
      'with an incomplete line',
      () => forged('personal/tags.jsonl', '{"id":1}'),
      /ends in the middle of a line/,
    ],
    [
      'with a huge line',
      () => forged('personal/tags.jsonl', `{"name":"${'x'.repeat(2_000_000)}"}\n`),
      /line that is too long/,
    ],
    [
      'with a decompression bomb',
      () => forged('personal/tags.jsonl', `{"name":"${'x'.repeat(900_000)}"}\n`.repeat(40)),
      /contains more data/,
    ],
    [
      'with an invalid id',
      () => forged('personal/tags.jsonl', '{"id":"x"}\n'),
      /an invalid id/,
    ],
    [
      'with an unknown column',
      () =>
        forged(
          'personal/tags.jsonl',
          '{"id":"00000000-0000-4000-8000-000000000000","role":"owner"}\n',
        ),
      /role/,
    ],
  ])(
    'a file that was changed is refused with a sentence, and nothing of it is stored: %s',
    async (_what, make, sentence) => {
      const error = await failed(restoreMine(bob, await make(), { from: 'personal' }))
      expect(error.message).toMatch(sentence)
      expect(await unwrap(bob.data.from('tags').select('id'))).toEqual([])
    },
  )

  test("a file that was changed to name another user's rows as its own stores nothing in that user's account", async () => {
    const ann = await someone('Ann')
    const { food } = await keepBooks(ann)
    const { user } = await bob.auth.getSession()
    const { user: { id: victim } } = await ann.auth.getSession()
    // The owner is Bob, so that the ids stay.
    const stolen = await changed((copy) => {
      const text = `{"id":"${food}","name":"Taken","user_id":"${victim}"}\n`
      const manifest = JSON.parse(copy.get('manifest.json')!)
      manifest.user.id = user.id
      Object.assign(
        manifest.files.find(({ path }: { path: string }) => path === 'personal/categories.jsonl'),
        {
          rows: 1,
          sha256: createHash('sha256').update(text).digest('hex'),
        },
      )
      copy.set('personal/categories.jsonl', text).set(
        'manifest.json',
        `${JSON.stringify(manifest)}\n`,
      )
    })
    expect(await failed(restoreMine(bob, stolen))).toMatchObject({ status: 403, code: '42501' })
    expect(await unwrap(ann.data.from('categories').select('name'))).toEqual([{ name: 'Food' }])
  })
})
