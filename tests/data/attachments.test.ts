/**
 * Attachments as rows: rights, limits, changes, undo, and what happens to their files.
 * tests/auth/files.test.ts sends and reads the files.
 */
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dataStack, type Account, type Caller, type DataStack } from '../support/data.ts'
import { sha256Of, storeFile } from '../support/receipts.ts'

let stack: DataStack
let ann: Account
let mine: Caller
beforeAll(async () => {
  stack = await dataStack()
})
beforeEach(async () => {
  ann = await stack.person('ann')
  mine = stack.as(ann)
})
afterAll(() => stack.stop())

type Limits = {
  file_max_bytes?: number
  files_per_transaction?: number
  files_quota?: number
  files_team_quota?: number
}
const usual: Required<Limits> = {
  file_max_bytes: 10_485_760,
  files_per_transaction: 20,
  files_quota: 1_073_741_824,
  files_team_quota: 5_368_709_120,
}
/** Sets the operator's limits while a function runs. */
async function withLimits<Result>(limits: Limits, run: () => Promise<Result>): Promise<Result> {
  const set = (values: Limits) =>
    stack.owner.query(
      `update private.settings set ${
        Object.entries(values).map(([name, value]) => `${name} = ${value}`).join()
      }`,
    )
  await set(limits)
  try {
    return await run()
  } finally {
    await set(usual)
  }
}

const shopping = async (caller: Caller, row: object = {}): Promise<string> =>
  (await caller.create('transactions', { name: 'Shopping', amount: -20, ...row })).id
const begin = (caller: Caller, transaction: string, file: string, given: object = {}) =>
  caller.post('/rpc/begin_upload', {
    transaction_id: transaction,
    name: 'receipt.pdf',
    size: file.length,
    sha256: sha256Of(Buffer.from(file)),
    ...given,
  })

/** Stores a file as the auth service does. @returns the id of the attachment */
async function attach(
  caller: Caller,
  transaction: string,
  file: string,
  given: object = {},
): Promise<string> {
  const { status, body } = await begin(caller, transaction, file, given)
  expect(status).toBe(200)
  expect(await storeFile(stack.owner, body.ticket, Buffer.from(file))).toBe(true)
  return body.attachment_id
}

const list = async (caller: Caller, filter = '') =>
  (await caller.get(`/attachments?order=name${filter}`)).body as Record<string, unknown>[]
const filesOf = async (attachment: string) =>
  (await stack.owner.query<{ released: boolean }>(
    'select released_at is not null as released from private.files where attachment_id = $1',
    [attachment],
  )).rows
/** Undoes the last request of a caller that changed a row. */
async function undo(caller: Caller, row: string) {
  const { body: [last] } = await caller.get(`/activity?row_id=eq.${row}&order=id.desc&limit=1`)
  return caller.post('/rpc/undo', { p_activity_id: last.id })
}

test('a file is refused above the limit of a file', () =>
  withLimits({ file_max_bytes: 10 }, async () => {
    const transaction = await shopping(mine)
    expect(await begin(mine, transaction, 'eleven byte')).toMatchObject({
      status: 413,
      body: {
        code: 'QUOTA_EXCEEDED',
        message: 'a file can have up to 10 bytes',
        details: '10 left',
        hint: 'Use a smaller file.',
      },
    })
    expect((await begin(mine, transaction, 'ten bytes!')).status).toBe(200)
  }))

test('a file is refused above the number of files of a transaction, whose pending files count too', () =>
  withLimits({ files_per_transaction: 2 }, async () => {
    const transaction = await shopping(mine)
    await begin(mine, transaction, 'first')
    await attach(mine, transaction, 'second')
    expect(await begin(mine, transaction, 'third')).toMatchObject({
      status: 413,
      body: {
        code: 'QUOTA_EXCEEDED',
        message: 'a transaction can have up to 2 files',
        details: '0 left',
      },
    })
    expect((await begin(mine, transaction, 'second')).status).toBe(200)
    expect((await begin(mine, await shopping(mine), 'third')).status).toBe(200)
  }))

test("a file is refused above the space of a user's personal files, and the response says what is left", () =>
  withLimits({ files_quota: 10 }, async () => {
    const transaction = await shopping(mine)
    expect((await begin(mine, transaction, 'seven b')).body).toMatchObject({ bytes_left: 3 })
    expect(await begin(mine, transaction, 'four')).toMatchObject({
      status: 413,
      body: {
        code: 'QUOTA_EXCEEDED',
        message: 'the files in this workspace can use up to 10 bytes',
        details: '3 left',
      },
    })
    expect((await begin(mine, transaction, 'two')).body).toMatchObject({ bytes_left: 0 })
  }))

test("a file is refused above the space of a team, which is not that of its members' personal files", () =>
  withLimits({ files_quota: 5, files_team_quota: 10 }, async () => {
    const team = await stack.organization({ owner: ann, editor: await stack.person('ed') })
    const ours = stack.as(ann, team)
    const transaction = await shopping(ours)
    expect((await begin(ours, transaction, 'seven b')).body).toMatchObject({ bytes_left: 3 })
    expect(await begin(ours, transaction, 'four')).toMatchObject({
      status: 413,
      body: { details: '3 left' },
    })
    expect((await begin(ours, await shopping(ours, { organization_id: null }), 'five!')).body)
      .toMatchObject({ bytes_left: 0 })
    expect((await ours.get('/rpc/get_file_space')).body).toEqual([
      {
        organization_id: null,
        bytes_used: 5,
        bytes_left: 0,
        max_file_bytes: usual.file_max_bytes,
        max_files_per_transaction: 20,
      },
      {
        organization_id: team.id,
        bytes_used: 7,
        bytes_left: 3,
        max_file_bytes: usual.file_max_bytes,
        max_files_per_transaction: 20,
      },
    ])
  }))

test('a file is refused without the right: of a viewer, of another tenant, and of a transaction that the caller cannot see', async () => {
  const vic = await stack.person('vic')
  const team = await stack.organization({ owner: ann, viewer: vic })
  const transaction = await shopping(stack.as(ann, team))
  expect(await begin(stack.as(vic, team), transaction, 'file')).toMatchObject({
    status: 403,
    body: { code: '42501', message: 'permission denied for table attachments' },
  })
  const missing = { status: 404, body: { code: 'PT404', message: 'transaction not found' } }
  expect(await begin(stack.as(await stack.person('bob')), transaction, 'file')).toMatchObject(
    missing,
  )
  expect(await begin(stack.as(vic), transaction, 'file')).toMatchObject(missing)
  expect(await begin(mine, randomUUID(), 'file')).toMatchObject(missing)
  expect(await list(stack.as(ann, team))).toEqual([])
})

test.each([
  ['an empty name', { name: '' }],
  ['a name of 256 characters', { name: 'x'.repeat(256) }],
  ['a name of two lines', { name: 'a\nb.pdf' }],
  ['a name with a character that reverses the direction of the text', { name: 'a\u202efdp.exe' }],
  ['a name with an isolate', { name: 'a\u2067b.pdf' }],
  ['a name with a line separator', { name: 'a\u2028b.pdf' }],
  ['a note of 1001 characters', { note: 'x'.repeat(1001) }],
  ['no size', { size: 0 }],
  ['a hash of another length', { sha256: 'ab' }],
  ['a hash of other characters', { sha256: 'g'.repeat(64) }],
])('a file is refused with %s', async (_what, given) => {
  expect(await begin(mine, await shopping(mine), 'file', given)).toMatchObject({
    status: 400,
    body: { code: '22023' },
  })
  expect(await list(mine)).toEqual([])
})

test('a file is refused with another size than that of the file with the same hash', async () => {
  const transaction = await shopping(mine)
  await attach(mine, transaction, 'file')
  expect(await begin(mine, transaction, 'file', { size: 5 })).toMatchObject({
    status: 400,
    body: { code: '22023' },
  })
})

describe('of an attachment', () => {
  test('the name and the note can change, and an undo reverts it', async () => {
    const id = await attach(mine, await shopping(mine), 'file', { note: 'tax' })
    const change = { name: 'März ≤ 5 €.pdf', note: null }
    expect((await mine.patch(`/attachments?id=eq.${id}`, change)).status).toBe(204)
    expect(await list(mine)).toMatchObject([change])
    expect(await undo(mine, id)).toMatchObject({ status: 200, body: { update: 1 } })
    expect(await list(mine)).toMatchObject([{ name: 'receipt.pdf', note: 'tax' }])
  })

  test('nothing else can change', async () => {
    const id = await attach(mine, await shopping(mine), 'file')
    const before = await list(mine)
    const changes = {
      id: randomUUID(),
      transaction_id: await shopping(mine),
      user_id: 'other',
      organization_id: 'other',
      content_type: 'application/pdf',
      size: 3,
      sha256: 'a'.repeat(64),
      status: 'pending',
    }
    for (const [column, value] of Object.entries(changes)) {
      expect(await mine.patch(`/attachments?id=eq.${id}`, { [column]: value }), column)
        .toMatchObject({ status: 403, body: { code: '42501' } })
    }
    expect((await mine.patch(`/attachments?id=eq.${id}`, { created_at: '2000-01-01' })).status)
      .toBe(204)
    expect(await list(mine)).toEqual(before)
  })

  test('a wrong name or note is refused with a hint', async () => {
    const id = await attach(mine, await shopping(mine), 'file')
    const refused = async (change: object) =>
      (await mine.patch(`/attachments?id=eq.${id}`, change)).body
    expect(await refused({ name: '' })).toMatchObject({
      code: '23514',
      message: expect.stringContaining('attachments_name_length'),
    })
    for (const name of ['   ', '..', 'receipts/']) {
      expect(await refused({ name })).toMatchObject({
        code: '23514',
        message: expect.stringContaining('attachments_name_length'),
      })
    }
    expect(await refused({ name: 'a\u202eb' })).toMatchObject({
      code: '23514',
      message: expect.stringContaining('attachments_name_one_line'),
    })
    expect(await refused({ name: null })).toMatchObject({ code: '23502' })
    expect(await refused({ note: 'x'.repeat(1001) })).toMatchObject({
      code: '23514',
      message: expect.stringContaining('attachments_note_length'),
    })
  })

  test('a name is stored without the folders before it, also after a change', async () => {
    const names = [['../../x.pdf', 'x.pdf'], ['C:\\fakepath\\a b.pdf', 'a b.pdf'], [
      '/etc/.hidden',
      '.hidden',
    ], ['..\\..\\x', 'x']] as const
    for (const [at, [sent, name]] of names.entries()) {
      const id = await attach(mine, await shopping(mine), `file ${at}`, { name: sent })
      expect((await mine.get(`/attachments?id=eq.${id}`)).body).toMatchObject([{ name }])
      expect((await mine.patch(`/attachments?id=eq.${id}`, { name: `other/${name}` })).status).toBe(
        204,
      )
      expect((await mine.get(`/attachments?id=eq.${id}`)).body).toMatchObject([{ name }])
    }
    const transaction_id = await shopping(mine)
    for (
      const name of ['', '..', '../', 'a/..', '  ', 'x/\u200b', 'a\nb', 'a\u202eb', 'n'.repeat(256)]
    ) {
      expect(
        await mine.post('/rpc/begin_upload', {
          transaction_id,
          name,
          size: 1,
          sha256: 'a'.repeat(64),
        }),
        name,
      ).toMatchObject({
        status: 400,
        body: {
          code: '22023',
          hint:
            "name must be a single line of 1 to 255 characters and can't consist only of spaces or dots.",
        },
      })
    }
  })

  test('nothing can change before its file is uploaded, and no caller can insert it', async () => {
    const transaction = await shopping(mine)
    const { body: { attachment_id: id } } = await begin(mine, transaction, 'file')
    expect(await mine.patch(`/attachments?id=eq.${id}`, { name: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'PT409' },
    })
    expect(await mine.post('/rpc/open_attachment', { id })).toMatchObject({
      status: 409,
      body: { code: 'PT409' },
    })
    const row = { transaction_id: transaction, name: 'x', size: 1, sha256: 'a'.repeat(64) }
    expect(await mine.post('/attachments', row)).toMatchObject({
      status: 403,
      body: { code: '42501' },
    })
  })
})

test('a deletion of an attachment or its transaction keeps the file, and an undo restores it', async () => {
  const transaction = await shopping(mine)
  const id = await attach(mine, transaction, 'file')
  const [before] = await list(mine)
  for (const path of [`/attachments?id=eq.${id}`, `/transactions?id=eq.${transaction}`]) {
    expect((await mine.delete(path)).status).toBe(204)
    expect(await list(mine)).toEqual([])
    expect(await filesOf(id)).toEqual([{ released: true }])
    expect(await undo(mine, id)).toMatchObject({ status: 200 })
    expect(await list(mine)).toEqual([before])
    expect(await filesOf(id)).toEqual([{ released: false }])
  }
})

test('a deletion of the attachment whose upload is undone is undone too', async () => {
  const id = await attach(mine, await shopping(mine), 'file')
  const { body: [created] } = await mine.get(`/activity?row_id=eq.${id}&action=eq.create`)
  expect(await mine.post('/rpc/undo', { p_activity_id: created.id })).toMatchObject({
    status: 200,
    body: { delete: 1 },
  })
  expect(await list(mine)).toEqual([])
  expect(await undo(mine, id)).toMatchObject({ status: 200, body: { create: 1 } })
  expect(await list(mine)).toMatchObject([{ id, status: 'ready' }])
})

test('a deletion keeps at most as much as may be stored, the newest first, and the undo of a forgotten file is refused', () =>
  withLimits({ files_quota: 10 }, async () => {
    const transaction = await shopping(mine)
    const ids: string[] = []
    for (const file of ['first!', 'second', 'third!']) {
      const id = await attach(mine, transaction, file)
      ids.push(id)
      await mine.delete(`/attachments?id=eq.${id}`)
    }
    await begin(mine, transaction, 'x')
    const [first, second, third] = ids as [string, string, string]
    expect([await filesOf(first), await filesOf(second), await filesOf(third)]).toEqual([[], [], [{
      released: true,
    }]])
    expect(await undo(mine, first)).toMatchObject({ status: 409, body: { code: 'PT409' } })
    expect(await undo(mine, third)).toMatchObject({ status: 200 })
    expect(await list(mine, '&status=eq.ready')).toMatchObject([{ id: third }])
  }))

test('a deletion cannot be undone beyond the limits of an upload, and then restores nothing', async () => {
  const transaction = await shopping(mine)
  const deleted = await attach(mine, transaction, 'first!')
  await mine.delete(`/attachments?id=eq.${deleted}`)
  await attach(mine, transaction, 'second')
  const refused = (message: string, details: string) => ({
    status: 413,
    body: { code: 'QUOTA_EXCEEDED', message, details },
  })
  await withLimits({ files_per_transaction: 1 }, async () => {
    expect(await undo(mine, deleted)).toMatchObject(
      refused('a transaction can have up to 1 files', '0 left'),
    )
  })
  const { body: files } = await mine.get('/attachments?select=size')
  const used = files.reduce((sum: number, { size }: { size: number }) => sum + size, 0)
  await withLimits({ files_quota: used + 5 }, async () => {
    expect(await undo(mine, deleted)).toMatchObject(
      refused(`the files in this workspace can use up to ${used + 5} bytes`, '5 left'),
    )
  })
  expect(await mine.get(`/attachments?id=eq.${deleted}`)).toMatchObject({ body: [] })
  expect(await filesOf(deleted)).toEqual([{ released: true }])
  expect(await undo(mine, deleted)).toMatchObject({ status: 200, body: { create: 1 } })
})

test("a deletion of the account deletes the user's files at once, and of an organization those of the team", async () => {
  const team = await stack.organization({ owner: ann })
  const ours = stack.as(ann, team)
  const [personal, ofTeam] = [
    await attach(mine, await shopping(mine), 'file'),
    await attach(ours, await shopping(ours), 'file'),
  ]
  await mine.delete(`/attachments?id=eq.${personal}`)
  await stack.owner.query('delete from auth.users where id = $1', [ann.id])
  expect([await filesOf(personal), await filesOf(ofTeam)]).toEqual([[], [{ released: false }]])
  await stack.owner.query('delete from auth.organizations where id = $1', [team.id])
  expect(await filesOf(ofTeam)).toEqual([])
  expect(
    (await stack.owner.query(
      'select from private.file_chunks c where not exists (select from private.files f where f.id = c.file_id)',
    )).rows,
  ).toEqual(
    [],
  )
})

test('a deletion of an import is refused if one of its transactions has a file', async () => {
  const p_rows = [{
    name: 'Card',
    amount: '-2.00',
    transaction_date: '2025-03-01',
    external_id: randomUUID(),
  }]
  await mine.post('/rpc/import_transactions', { p_rows, p_source: 'bank', p_dry_run: false })
  const { body: [{ id: transaction, import_id }] } = await mine.get('/transactions')
  const id = await attach(mine, transaction, 'file')
  expect(await mine.delete(`/imports?id=eq.${import_id}`)).toMatchObject({
    status: 409,
    body: { code: 'PT409' },
  })
  await mine.delete(`/attachments?id=eq.${id}`)
  expect((await mine.delete(`/imports?id=eq.${import_id}`)).status).toBe(204)
})

test('files can be added to a transaction of a closed day and deleted from it, because they change no figure', async () => {
  const transaction = await shopping(mine, { transaction_date: '2025-01-10' })
  await mine.create('closings', { closed_until: '2025-01-31' })
  const id = await attach(mine, transaction, 'file')
  expect((await mine.patch(`/attachments?id=eq.${id}`, { name: 'x' })).status).toBe(204)
  expect((await mine.delete(`/attachments?id=eq.${id}`)).status).toBe(204)
  expect(await undo(mine, id)).toMatchObject({ status: 200, body: { create: 1 } })
  expect((await mine.delete(`/transactions?id=eq.${transaction}`)).status).toBe(409)
})

test('housekeeping deletes ended tickets, uploads that never came, and files deleted long ago, and nothing else', async () => {
  const transaction = await shopping(mine)
  const [ready, recent, old] = [
    await attach(mine, transaction, 'ready'),
    await attach(mine, transaction, 'recent'),
    await attach(mine, transaction, 'old'),
  ]
  for (const id of [recent, old]) await mine.delete(`/attachments?id=eq.${id}`)
  const { body: { attachment_id: left, ticket } } = await begin(mine, transaction, 'left')
  const { body: { attachment_id: pending } } = await begin(mine, transaction, 'pending')
  await stack.owner.query('select private.begin_file($1, false)', [
    createHash('sha256').update(ticket).digest(),
  ])
  await stack.owner.query(
    `update private.files set released_at = now() - interval '31 days' where attachment_id = $1`,
    [old],
  )
  // the upload of `pending` began again later, with a new ticket
  await stack.owner.query(
    `update api.attachments set created_at = now() - interval '61 minutes' where id = any ($1)`,
    [[left, pending]],
  )
  await stack.owner.query(
    `update private.file_tickets set expires_at = now() - interval '61 minutes' where attachment_id = any ($1)`,
    [[ready, left]],
  )
  await stack.owner.query(
    `insert into private.files (attachment_id, user_id, tenant, size, begun_at) values ($1, $2, 'u:' || $2, 1, now() - interval '61 minutes')`,
    [
      pending,
      ann.id,
    ],
  )
  const tickets = async (id: string) =>
    (await stack.owner.query('select from private.file_tickets where attachment_id = $1', [id]))
      .rows.length
  expect(await tickets(ready)).toBe(1)
  await stack.owner.query('select private.forget_files(30, 100)')
  expect(new Set((await list(mine)).map(({ id }) => id))).toEqual(new Set([ready, pending]))
  expect([await filesOf(ready), await filesOf(recent)]).toEqual([[{ released: false }], [{
    released: true,
  }]])
  expect([await filesOf(old), await filesOf(left), await filesOf(pending)]).toEqual([[], [], []])
  expect([await tickets(ready), await tickets(pending)]).toEqual([0, 1])
  expect((await mine.get(`/transactions?id=eq.${transaction}`)).body).toHaveLength(1)
})
