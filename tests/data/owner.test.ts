/**
 * The owner pair: filled from the token, not forgeable, not changeable. Also the rows after the
 * deletion of their owner. It shows three tables with an owner pair of their own. tests/isolation
 * has all tables.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dataStack,
  returning,
  type Account,
  type Caller,
  type DataStack,
  type Organization,
} from '../support/data.ts'
import { parts, samples, tables } from '../support/tables.ts'

let stack: DataStack
let ada: Account
let bob: Account
let eve: Account
let team: Organization
let mine: Caller
let ours: Caller
let bobs: Caller
let stranger: Caller

beforeAll(async () => {
  stack = await dataStack()
  ada = await stack.person('ada')
  bob = await stack.person('bob')
  eve = await stack.person('eve')
  team = await stack.organization({ owner: ada, editor: bob })
  mine = stack.as(ada)
  ours = stack.as(ada, team)
  bobs = stack.as(bob, team)
  stranger = stack.as(eve)
})
afterAll(() => stack.stop())

const row = async (table: string, caller: Caller = ours) =>
  await samples[table]?.row(caller, {}) ?? {}

describe.each(['transactions', 'dashboards', 'budgets'])('%s', (table) => {
  const denied = {
    code: '42501',
    message: `permission denied for table ${table}`,
    details: null,
    hint: null,
  }

  test('are created with user_id and, while an organization is active, organization_id from the JWT', async () => {
    expect(await mine.create(table, await row(table, mine))).toMatchObject({
      user_id: ada.id,
      organization_id: null,
    })
    expect(await ours.create(table, await row(table))).toMatchObject({
      user_id: ada.id,
      organization_id: team.id,
    })
    expect(await ours.create(table, { ...await row(table, mine), organization_id: null }))
      .toMatchObject({ user_id: ada.id, organization_id: null })
    expect(await ours.create(table, { ...await row(table), user_id: null })).toMatchObject({
      user_id: ada.id,
      organization_id: team.id,
    })
  })

  test('cannot be created for another user, in any way to send them', async () => {
    const body = await row(table)
    const personal = { ...await row(table, mine), user_id: ada.id, organization_id: null }
    const forgeries: Record<string, unknown>[] = [
      { ...body, user_id: bob.id, organization_id: null },
      { ...body, user_id: bob.id, organization_id: team.id },
      { ...body, user_id: ada.id, organization_id: 'another' },
    ]
    for (const forged of forgeries) {
      const columns = Object.keys(forged)
      const csv = [
        columns,
        columns.map((column) => {
          const value = forged[column]
          return value === null
            ? 'NULL'
            : `"${
              (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')
            }"`
        }),
      ].map((line) => line.join(',')).join('\n')
      const id = crypto.randomUUID()
      for (
        const answer of [
          await ours.post(`/${table}`, forged),
          await ours.post(`/${table}`, [personal, forged]),
          await ours.post(`/${table}`, csv, { 'content-type': 'text/csv' }),
          await ours.post(`/${table}`, { ...forged, id }, {
            prefer: 'resolution=merge-duplicates',
          }),
          await ours.put(`/${table}?id=eq.${id}`, { ...forged, id }),
        ]
      ) expect(answer).toMatchObject({ status: 403, body: denied })
    }
    // A personal token names no organization, not even one that the user belongs to.
    expect(await mine.post(`/${table}`, { ...body, organization_id: team.id })).toMatchObject({
      status: 403,
      body: denied,
    })
  })

  test('cannot be moved to another user, organization or id', async () => {
    const personal = await mine.create(table, await row(table, mine))
    const shared = await ours.create(table, await row(table))
    for (
      const [at, change] of [
        [personal, { organization_id: team.id }],
        [personal, { user_id: bob.id }],
        [personal, { user_id: null }],
        [personal, { id: crypto.randomUUID() }],
        [shared, { organization_id: null }],
        [shared, { user_id: bob.id }],
        [shared, { organization_id: 'another' }],
      ] as const
    ) {
      expect(await ours.patch(`/${table}?id=eq.${at.id}`, change)).toMatchObject({
        status: 403,
        body: denied,
      })
    }
    expect(await bobs.patch(`/${table}?id=eq.${shared.id}`, { user_id: bob.id })).toMatchObject({
      status: 403,
      body: denied,
    })
  })

  test('can be sent back as they were read: by PATCH, upsert and PUT, also by a colleague', async () => {
    const shared = await ours.create(table, await row(table))
    const read = (answer: { body: Record<string, unknown>[] }) => ({
      ...answer.body[0],
      updated_at: shared.updated_at,
    })
    for (const caller of [ours, bobs]) {
      expect(read(await caller.patch(`/${table}?id=eq.${shared.id}`, shared, returning)))
        .toMatchObject(shared)
      expect(
        read(
          await caller.post(`/${table}`, shared, {
            prefer: 'return=representation,resolution=merge-duplicates',
          }),
        ),
      ).toMatchObject(shared)
      expect(read(await caller.put(`/${table}?id=eq.${shared.id}`, shared, returning)))
        .toMatchObject(shared)
    }
  })

  test('with a foreign id are neither changed nor revealed by an upsert or PUT', async () => {
    const personal = await mine.create(table, await row(table, mine))
    const body = { ...await row(table, stranger), id: personal.id }
    for (
      const answer of [
        await stranger.post(`/${table}`, body, {
          prefer: 'return=representation,resolution=merge-duplicates',
        }),
        await stranger.post(`/${table}`, body, {
          prefer: 'return=representation,resolution=ignore-duplicates',
        }),
        await stranger.put(`/${table}?id=eq.${personal.id}`, body, returning),
      ]
    ) expect(answer).toMatchObject({ status: 403, body: denied })
    expect(await stranger.post(`/${table}`, body)).toMatchObject({
      status: 409,
      body: { code: '23505', details: null },
    })
    expect((await mine.get(`/${table}?id=eq.${personal.id}`)).body).toEqual([personal])
  })
})

describe('created_at and updated_at', () => {
  test.each(['transactions', 'accounts', 'dashboards', 'categories', 'budgets', 'exchange_rates'])(
    'are set by the service, whatever is sent: %s',
    async (table) => {
      const sent = { created_at: '2001-01-01', updated_at: '2001-01-01' }
      const created = await mine.create(table, { ...await row(table, mine), ...sent })
      expect(new Date(created.created_at).getFullYear()).toBeGreaterThan(2024)
      expect(created.updated_at).toBe(created.created_at)
      const { body: [updated] } = await mine.patch(`/${table}?id=eq.${created.id}`, {
        ...sent,
        ...await samples[table]?.change(mine, {}),
      }, returning)
      expect(updated.created_at).toBe(created.created_at)
      expect(updated.updated_at > created.updated_at).toBe(true)
      const { body: [merged] } = await mine.post(`/${table}`, { ...created, ...sent }, {
        prefer: 'return=representation,resolution=merge-duplicates',
      })
      expect(merged.created_at).toBe(created.created_at)
      expect(merged.updated_at > updated.updated_at).toBe(true)
    },
  )
})

describe('references', () => {
  const nobody = '00000000-0000-4000-8000-000000000000'
  const answerOf = ({ status, body }: { status: number, body: unknown }) => ({ status, body })

  test.each(['transactions', 'subscriptions', 'budgets'])(
    'references to a category of another context fail with the same error as missing ones: %s',
    async (table) => {
      const { id: personal } = await mine.create('categories', { name: 'mine' })
      const { id: shared } = await ours.create('categories', { name: 'ours' })
      const { id: foreign } = await stranger.create('categories', { name: 'hers' })
      const body = await row(table)
      const missing = answerOf(await ours.post(`/${table}`, { ...body, category_id: nobody }))
      expect(missing).toEqual({
        status: 409,
        body: {
          code: '23503',
          hint: 'category_id: Id of a category in the same workspace.',
          details: 'Key is not present in table "categories".',
          message:
            `insert or update on table "${table}" violates foreign key constraint "${table}_category_id_fkey"`,
        },
      })
      for (const category_id of [foreign, personal])
        expect(answerOf(await ours.post(`/${table}`, { ...body, category_id }))).toEqual(missing)
      expect(
        answerOf(
          await ours.post(`/${table}`, { ...body, organization_id: null, category_id: shared }),
        ),
      ).toEqual(missing)
      const created = await ours.create(table, { ...body, category_id: shared })
      for (const category_id of [foreign, personal, nobody]) {
        expect(answerOf(await ours.patch(`/${table}?id=eq.${created.id}`, { category_id })))
          .toEqual(missing)
        expect(
          answerOf(
            await ours.post(`/${table}`, { ...created, category_id }, {
              prefer: 'resolution=merge-duplicates',
            }),
          ),
        ).toEqual(missing)
      }
      expect((await ours.get(`/${table}?id=eq.${created.id}`)).body).toEqual([created])
    },
  )

  test('references of line items and tag associations fail with the same error, in each column', async () => {
    const { id: personal } = await mine.create('transactions', { name: 'x', amount: 1 })
    const { id: shared } = await ours.create('transactions', { name: 'x', amount: 1 })
    const { id: foreign } = await stranger.create('transactions', { name: 'x', amount: 1 })
    const { id: category } = await stranger.create('categories', { name: 'x' })
    const { id: personalCategory } = await mine.create('categories', { name: 'x' })
    const { id: tag } = await ours.create('tags', { name: 'x' })
    const { id: personalTag } = await mine.create('tags', { name: 'x' })
    const item = { name: 'x', amount: 1 }

    const noTransaction = answerOf(
      await ours.post('/line_items', { ...item, transaction_id: nobody }),
    )
    expect(noTransaction).toMatchObject({ status: 409, body: { code: '23503' } })
    expect(answerOf(await ours.post('/line_items', { ...item, transaction_id: foreign }))).toEqual(
      noTransaction,
    )
    const noCategory = answerOf(
      await ours.post('/line_items', { ...item, transaction_id: shared, category_id: nobody }),
    )
    expect(noCategory).toMatchObject({ status: 409, body: { code: '23503' } })
    for (const category_id of [category, personalCategory]) {
      expect(
        answerOf(await ours.post('/line_items', { ...item, transaction_id: shared, category_id })),
      ).toEqual(noCategory)
    }
    const noTag = answerOf(
      await ours.post('/transaction_tags', { transaction_id: shared, tag_id: nobody }),
    )
    expect(noTag).toMatchObject({ status: 409, body: { code: '23503' } })
    expect(
      answerOf(
        await ours.post('/transaction_tags', { transaction_id: shared, tag_id: personalTag }),
      ),
    ).toEqual(noTag)
    expect(
      answerOf(await ours.post('/transaction_tags', { transaction_id: personal, tag_id: tag })),
    ).toEqual(noTag)
    expect(await stranger.post('/transaction_tags', { transaction_id: shared, tag_id: tag }))
      .toMatchObject({ status: 409, body: { code: '23503' } })

    // A part stays in the context of its creation.
    const made = await ours.create('line_items', { ...item, transaction_id: shared })
    for (const transaction_id of [foreign, personal, nobody]) {
      expect(answerOf(await ours.patch(`/line_items?id=eq.${made.id}`, { transaction_id })))
        .toEqual(noTransaction)
    }
    const { id: other } = await ours.create('transactions', { name: 'x', amount: 1 })
    expect((await ours.patch(`/line_items?id=eq.${made.id}`, { transaction_id: other })).status)
      .toBe(204)
    expect(await ours.patch(`/line_items?id=eq.${made.id}`, { id: nobody })).toMatchObject({
      status: 403,
      body: { code: '42501' },
    })
    expect(
      await stranger.post('/line_items', { ...made, transaction_id: foreign }, {
        prefer: 'resolution=merge-duplicates',
      }),
    )
      .toMatchObject({ status: 403, body: { message: 'permission denied for table line_items' } })
  })
})

describe.each(parts)('%s', (table) => {
  const denied = {
    status: 403,
    body: { code: '42501', message: `permission denied for table ${table}` },
  }

  test('get the tenant of their transaction, and in a team no user', async () => {
    expect(await mine.create(table, await row(table, mine))).toMatchObject({
      user_id: ada.id,
      organization_id: null,
    })
    const created = await ours.create(table, {
      ...await row(table),
      user_id: null,
      organization_id: null,
    })
    expect(created).toMatchObject({ user_id: null, organization_id: team.id })
    // They can be sent back as they were read.
    expect(
      (await bobs.post(`/${table}`, created, { prefer: 'resolution=merge-duplicates' })).status,
    ).toBe(200)
  })

  test('cannot be created for another tenant, and cannot be moved to one', async () => {
    const personal = await row(table, mine)
    for (
      const pair of [{ user_id: bob.id }, { organization_id: team.id }, {
        user_id: ada.id,
        organization_id: team.id,
      }]
    )
      expect(await ours.post(`/${table}`, { ...personal, ...pair })).toMatchObject(denied)
    const shared = await row(table)
    for (const pair of [{ user_id: ada.id }, { organization_id: 'another' }])
      expect(await ours.post(`/${table}`, { ...shared, ...pair })).toMatchObject(denied)
    const created = await ours.create(table, shared)
    const where = samples[table]?.where(created) ?? ''
    for (
      const pair of [{ user_id: bob.id }, { organization_id: null }, {
        user_id: ada.id,
        organization_id: null,
      }]
    )
      expect(await ours.patch(`/${table}?${where}`, pair)).toMatchObject(denied)
    expect((await bobs.get(`/${table}?${where}`)).body).toEqual([created])
  })

  test("get their transaction's tenant also if the database owner writes them", async () => {
    const created = await ours.create(table, await row(table))
    await stack.owner.query(
      `update api.${table} set user_id = $1, organization_id = null where transaction_id = $2`,
      [eve.id, created.transaction_id],
    )
    expect((await ours.get(`/${table}?${samples[table]?.where(created) ?? ''}`)).body).toEqual([
      created,
    ])
  })
})

test('a transaction with line items stays in its tenant, also if the database owner would move it', async () => {
  const item = await ours.create('line_items', await row('line_items'))
  await expect(
    stack.owner.query(
      'update api.transactions set user_id = $1, organization_id = null where id = $2',
      [eve.id, item.transaction_id],
    ),
  ).rejects.toThrow(/line_items_transaction_id_fkey/)
  expect((await ours.get(`/line_items?id=eq.${item.id}`)).body).toEqual([item])
})

describe('after the deletion of an owner', () => {
  const count = async (table: string, where: string, value: string) =>
    Number(
      (await stack.owner.query(`select count(*) from api.${table} where ${where}`, [value])).rows[0]
        .count,
    )

  test("a user's personal rows are deleted, and the team's rows stay without a user", async () => {
    const boss = await stack.person('boss')
    const leaver = await stack.person('leaver')
    const firm = await stack.organization({ owner: boss, editor: leaver })
    const [alone, together] = [stack.as(leaver), stack.as(leaver, firm)]
    const kept = new Map<string, Record<string, unknown>>()
    for (const table of tables) {
      await alone.create(table, await samples[table]?.row(alone, {}) ?? {})
      kept.set(table, await together.create(table, await samples[table]?.row(together, {}) ?? {}))
    }
    await stack.owner.query('set role auth_service')
    await stack.owner.query('delete from auth.users where id = $1', [leaver.id])
    await stack.owner.query('reset role')

    for (const table of tables) expect(await count(table, 'user_id = $1', leaver.id)).toBe(0)
    const bossCaller = stack.as(boss, firm)
    for (const [table, created] of kept) {
      const { body } = await bossCaller.get(`/${table}?${samples[table]?.where(created) ?? ''}`)
      expect(body).toHaveLength(1)
      expect(body[0]).toMatchObject({ user_id: null, organization_id: firm.id })
    }
    // The remaining rows can still be changed and sent back.
    const orphan =
      (await bossCaller.get(`/transactions?id=eq.${String(kept.get('transactions')?.['id'])}`))
        .body[0]
    expect(
      (await bossCaller.put(
        `/transactions?id=eq.${orphan.id}`,
        { ...orphan, name: 'kept' },
        returning,
      )).body,
    ).toMatchObject([{
      name: 'kept',
      user_id: null,
    }])
    expect((await alone.get('/transactions')).status).toBe(401)
  })

  test("an organization's rows are deleted, and its members' personal rows stay", async () => {
    const boss = await stack.person('boss')
    const firm = await stack.organization({ owner: boss })
    const [alone, together] = [stack.as(boss), stack.as(boss, firm)]
    for (const table of tables) {
      for (const caller of [alone, together])
        await caller.create(table, await samples[table]?.row(caller, {}) ?? {})
    }
    const { id } = await together.create('categories', { name: 'filed' })
    await together.create('transactions', { name: 'x', amount: 1, category_id: id })
    await stack.owner.query('set role auth_service')
    await stack.owner.query('delete from auth.organizations where id = $1', [firm.id])
    await stack.owner.query('reset role')
    for (const table of tables) {
      expect(await count(table, 'organization_id = $1', firm.id)).toBe(0)
      expect((await alone.get(`/${table}`)).body.length).toBeGreaterThan(0)
    }
    expect((await together.get('/transactions')).status).toBe(401)
  })

  test('after the deletion of an owner line items and tag associations of a deleted transaction are deleted, and rows of a deleted category stay without one', async () => {
    const category = await mine.create('categories', { name: 'x' })
    const transaction = await mine.create('transactions', {
      name: 'x',
      amount: 1,
      category_id: category.id,
    })
    const tag = await mine.create('tags', { name: 'x' })
    await mine.create('line_items', { transaction_id: transaction.id, name: 'x', amount: 1 })
    await mine.create('transaction_tags', { transaction_id: transaction.id, tag_id: tag.id })
    expect((await mine.delete(`/categories?id=eq.${category.id}`)).status).toBe(204)
    expect((await mine.get(`/transactions?id=eq.${transaction.id}&select=category_id`)).body)
      .toEqual([{ category_id: null }])
    expect((await mine.delete(`/transactions?id=eq.${transaction.id}`)).status).toBe(204)
    expect(await count('line_items', 'transaction_id = $1', transaction.id)).toBe(0)
    expect(await count('transaction_tags', 'transaction_id = $1', transaction.id)).toBe(0)
    expect((await mine.get(`/tags?id=eq.${tag.id}`)).body).toEqual([tag])
  })
})
