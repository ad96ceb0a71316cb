/**
 * Files as further ways in and out. A ticket reads or writes exactly the file of its attachment,
 * and only while the access behind it exists. The first tests ask for every file as every actor of
 * the matrix. Bytes pass through the real auth service. docs/isolation.md explains the suite.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person, signedIn, team, type Person } from '../support/person.ts'
import { newPdf, receiptsOf, sha256Of } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { may, onlyReads, pairOfPart, sees } from './model.ts'
import { createWorld, type Actor, type StoredRow, type World } from './world.ts'

let stack: Stack
let owner: pg.Client
let world: World
beforeAll(async () => {
  stack = await startStack({ data: true, env: { PUBLIC_URL: 'http://isolation.example' } })
  owner = new pg.Client({ connectionString: stack.ownerUrl })
  await owner.connect()
  world = await createWorld(owner)
  await owner.query(
    'update private.settings set file_max_bytes = 104857600, files_per_transaction = 1000',
  )
  for (const row of rowsOf('attachments')) {
    const { user, organization } = pairOfPart(row)
    await owner.query(
      `with file as (
          insert into private.files (attachment_id, user_id, organization_id, tenant, size, stored_at)
            values ($1, $2, $3, private.tenant_of($2, $3), $4, now()) returning id, tenant)
        insert into private.file_chunks (file_id, number, bytes, tenant) select id, 0, $5, tenant from file`,
      [row.key, user, organization, row.payload['size'], bytesOf(row)],
    )
  }
})
afterAll(async () => {
  await owner.end()
  await stack.close()
})

const rowsOf = (table: string): StoredRow[] => world.rows.filter((row) => row.table === table)
/** The bytes of a file of the world, which name its attachment. */
const bytesOf = ({ key, payload }: StoredRow) => Buffer.from(key.padEnd(Number(payload['size'])))

/** The steps of an upload and a download with a token of the matrix. */
const stepsOf = ({ token = '' }: Actor) => {
  const steps = receiptsOf(stack, { token: () => Promise.resolve(token) })
  return token === '' ? { ...steps, call: anonymously } : steps
}
const anonymously: ReturnType<typeof receiptsOf>['call'] = async (method, path, body) => {
  const response = await fetch(`${stack.dataUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** Waits until PostgREST accepts the tokens of the matrix. */
const waitForKey = async () => {
  const actor = world.actors.find(({ caller }) => caller.kind === 'user') ?? expect.fail('no user')
  await expect.poll(async () => (await stepsOf(actor).call('GET', '/attachments')).status).toBe(200)
}

test('every actor opens exactly the files of the attachments that it may list, and reads exactly their bytes', async () => {
  await waitForKey()
  let opened = 0
  for (const actor of world.actors) {
    const steps = stepsOf(actor)
    for (const row of rowsOf('attachments')) {
      const name = `${actor.name} opens ${row.key}`
      const { status, body } = await steps.call('POST', '/rpc/open_attachment', { id: row.key })
      expect(status, name).toBe(
        actor.caller.kind !== 'user' ? 401 : sees(actor.caller, row) ? 200 : 404,
      )
      if (status !== 200) continue
      const response = await steps.get(body.ticket)
      expect(response.status, name).toBe(200)
      expect(Buffer.from(await response.arrayBuffer()).equals(bytesOf(row)), name).toBe(true)
      opened += 1
    }
  }
  expect(opened).toBeGreaterThan(40)
})

test('every actor adds files exactly to the transactions where it may create rows, for the tenant of the transaction', async () => {
  await waitForKey()
  let added = 0
  for (const actor of world.actors) {
    const steps = stepsOf(actor)
    const { caller } = actor
    for (const row of rowsOf('transactions')) {
      const name = `${actor.name} adds to ${row.key}`
      const file = newPdf(100)
      const { status, body } = await steps.call('POST', '/rpc/begin_upload', {
        transaction_id: row.key,
        name: 'new.pdf',
        size: file.length,
        sha256: sha256Of(file),
      })
      const isAllowed = caller.kind === 'user' && !onlyReads(caller) &&
        (row.organization === null || may(caller.role, 'create'))
      const expected = caller.kind !== 'user'
        ? 401
        : onlyReads(caller)
        ? 403
        : !sees(caller, row)
        ? 404
        : isAllowed
        ? 200
        : 403
      expect(status, name).toBe(expected)
      const { rows } = await owner.query(
        'select transaction_id, user_id, organization_id, status from api.attachments where sha256 = $1',
        [sha256Of(file)],
      )
      const { user, organization } = pairOfPart(row)
      expect(rows, name).toEqual(
        status === 200
          ? [{
            transaction_id: row.key,
            user_id: user,
            organization_id: organization,
            status: 'pending',
          }]
          : [],
      )
      if (status !== 200) continue
      expect((await steps.put(body.ticket, file)).status, name).toBe(200)
      added += 1
    }
  }
  expect(added).toBeGreaterThan(50)
})

describe('a ticket', () => {
  type Tickets = { read: string, write: string, id: string, file: Buffer, other: Buffer }
  /** Tickets for a stored file and for one that is still to come. */
  const ticketsOf = async (
    user: Pick<Person, 'token'>,
    reader: Pick<Person, 'token'> = user,
  ): Promise<Tickets> => {
    const steps = receiptsOf(stack, user)
    const [file, other] = [newPdf(300), newPdf(300)]
    const transaction = await steps.transaction()
    const id = await steps.attach(transaction, file)
    const { ticket: write } = await steps.began(transaction, other)
    return { id, file, other, write, read: await receiptsOf(stack, reader).open(id) }
  }
  const anybody = () =>
    receiptsOf(stack, { token: () => Promise.reject(new Error('a ticket needs no token')) })
  const statusOf = async (
    { read, write, other }: Tickets,
  ) => [(await anybody().get(read)).status, (await anybody().put(write, other)).status]

  test('a ticket is a capability: each holder reads or writes its file, and nothing else', async () => {
    const ann = await signedIn(stack, 'Ann')
    const tickets = await ticketsOf(ann)
    expect(
      Buffer.from(await (await anybody().get(tickets.read)).arrayBuffer()).equals(tickets.file),
    ).toBe(true)
    expect((await anybody().put(tickets.write, tickets.file)).status).toBe(400)
    expect((await anybody().put(tickets.write, tickets.other)).status).toBe(200)
    expect(await receiptsOf(stack, ann).list()).toMatchObject([{ status: 'ready' }, {
      status: 'ready',
    }])
  })

  test('a ticket is useless in the other direction, before and after the upload', async () => {
    const { read, write, file, other } = await ticketsOf(await signedIn(stack, 'Ann'))
    expect([(await anybody().put(read, file)).status, (await anybody().get(write)).status]).toEqual(
      [404, 404],
    )
    expect((await anybody().put(write, other)).status).toBe(200)
    expect((await anybody().get(write)).status).toBe(404)
  })

  test('a ticket cannot be guessed, changed or derived from what the database stores', async () => {
    const { read, id } = await ticketsOf(await signedIn(stack, 'Ann'))
    const { rows } = await owner.query<{ hash: Buffer }>(
      'select token_hash as hash from private.file_tickets where attachment_id = $1',
      [id],
    )
    const hashes = rows.flatMap(({ hash }) => [hash.toString('hex'), hash.toString('base64url')])
    const changed = `${read.slice(0, -1)}${read.endsWith('A') ? 'B' : 'A'}`
    const guesses = [
      `file_${randomBytes(32).toString('base64url')}`,
      changed,
      read.slice(0, -1),
      `${read}A`,
      read.toUpperCase(),
      id,
      'file_',
      '%00',
      ...hashes,
    ]
    for (const guess of guesses) {
      const response = await anybody().get(guess)
      expect([guess, response.status, await response.json()]).toEqual([guess, 404, {
        error: 'NOT_FOUND',
        message: expect.any(String),
      }])
    }
  })

  test('a ticket has no effect after its time', async () => {
    const tickets = await ticketsOf(await signedIn(stack, 'Ann'))
    const left = (await owner.query(
      `select is_upload, extract(epoch from expires_at - now()) <= case when is_upload then 600 else 60 end as "isShort" from private.file_tickets where attachment_id in (
        select id from api.attachments where transaction_id = (select transaction_id from api.attachments where id = $1))`,
      [tickets.id],
    )).rows
    expect(left.map(({ isShort }) => isShort)).toEqual([true, true, true])
    await owner.query('update private.file_tickets set expires_at = now()')
    expect(await statusOf(tickets)).toEqual([404, 404])
  })

  /** A program with an API key. */
  const programOf = (key: string) => ({
    token: async () => {
      const { body } = await person(stack).call('POST', '/token', undefined, {
        authorization: `Bearer ${key}`,
      })
      return body.token as string
    },
  })
  type Ended = { id: string, editor: Person, keyId: string }
  const ends: Record<string, { of: 'session' | 'key', end: (team: Ended) => Promise<unknown> }> = {
    'the session': {
      of: 'session',
      end: async ({ editor }) => expect((await editor.post('/sign-out')).status).toBe(200),
    },
    'the membership': {
      of: 'session',
      end: async ({ id, editor }) => editor.post('/organization/leave', { organizationId: id }),
    },
    'the role': {
      of: 'session',
      end: async ({ editor }) =>
        owner.query(`update auth.members set role = 'viewer' where user_id = $1`, [
          await editor.id(),
        ]),
    },
    'the organization': {
      of: 'session',
      end: ({ id }) => owner.query('delete from auth.organizations where id = $1', [id]),
    },
    'the API key': {
      of: 'key',
      end: async ({ editor, keyId }) =>
        expect((await editor.post('/api-key/revoke', { keyId })).status).toBe(200),
    },
    'the attachments': {
      of: 'session',
      end: ({ id }) => owner.query('delete from api.attachments where organization_id = $1', [id]),
    },
    'their transaction': {
      of: 'session',
      end: ({ id }) => owner.query('delete from api.transactions where organization_id = $1', [id]),
    },
  }
  test.each(Object.entries(ends))('a ticket ends at once with %s', async (_name, { of, end }) => {
    const one = await team(stack, ['editor'])
    const { body } = await one.editor.post('/api-key/create', {
      name: 'Receipts',
      expiresInDays: 30,
      organizationId: one.id,
      role: 'editor',
    })
    const tickets = await ticketsOf(of === 'key' ? programOf(body.key) : one.editor)
    expect((await anybody().get(tickets.read)).status).toBe(200)
    await end({ ...one, keyId: body.id })
    expect(await statusOf(tickets)).toEqual([404, 404])
  })

  test('a ticket of a viewer and of a key that only reads opens files, and adds none', async () => {
    const one = await team(stack, ['viewer'])
    const { file, read } = await ticketsOf(one.owner, one.viewer)
    expect(Buffer.from(await (await anybody().get(read)).arrayBuffer()).equals(file)).toBe(true)
    const { body: { key } } = await one.owner.post('/api-key/create', {
      name: 'Reader',
      expiresInDays: 30,
      organizationId: one.id,
      role: 'viewer',
    })
    const reader = receiptsOf(stack, programOf(key))
    const [{ id, transaction_id: transaction }] = await reader.list('&status=eq.ready') as [
      { id: string, transaction_id: string },
    ]
    expect((await reader.read(id)).equals(file)).toBe(true)
    expect((await reader.begin(transaction, newPdf(100))).status).toBe(403)
    expect((await receiptsOf(stack, one.viewer).begin(transaction, newPdf(100))).status).toBe(403)
  })

  test('a ticket keeps the context of its token when the session changes to another', async () => {
    const one = await team(stack, ['editor'])
    const ofTeam = await ticketsOf(one.editor)
    await one.editor.post('/organization/set-active', { organizationId: null })
    const personal = await ticketsOf(one.editor)
    expect(await receiptsOf(stack, one.editor).list(`&id=eq.${ofTeam.id}`)).toEqual([])
    expect([await statusOf(ofTeam), await statusOf(personal)]).toEqual([[200, 200], [200, 200]])
  })
})

describe('a running download', () => {
  // more than the sockets between the service and a client hold
  const bytes = 60_000_000
  /**
   * Begins to read a large file. @returns the number of all bytes; null if the connection breaks
   */
  const download = async (
    user: Person,
    between: (ticket: string) => Promise<unknown>,
  ): Promise<number | null> => {
    const steps = receiptsOf(stack, user)
    const ticket = await steps.open(await steps.attach(await steps.transaction(), newPdf(bytes)))
    const response = await steps.get(ticket)
    const reader = (response.body ?? expect.fail('no body')).getReader()
    let read = (await reader.read()).value?.length ?? 0
    await between(ticket)
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read())
        read += next.value.length
      return read
    } catch {
      return null
    }
  }

  test('a running download ends with the session behind its ticket', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect(await download(ann, () => ann.post('/sign-out'))).toBeNull()
  })

  test('a running download continues after the time of its ticket', async () => {
    const isLate = () => owner.query('update private.file_tickets set expires_at = now()')
    expect(await download(await signedIn(stack, 'Ann'), isLate)).toBe(bytes)
  })
})
