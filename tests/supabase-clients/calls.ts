/**
 * The calls of an application with supabase's published clients. The same list runs for each
 * address of the data surface.
 */
import type { PostgrestClient } from '@supabase/postgrest-js'
import { expect } from 'vitest'

/**
 * The common interface of both clients, one of which contains the other. This version allows the
 * types of all methods.
 */
export type Client = Pick<PostgrestClient<any, { PostgrestVersion: '13' }>, 'from' | 'rpc'>

/** The client of a user, and an anonymous one. */
export type Clients = { signedIn: Client, signedOut: Client }

type Call = [does: string, (clients: Clients) => Promise<void>]

export const calls: Call[] = [
  ['inserts a row and gets it back', async ({ signedIn }) => {
    expect(
      await signedIn.from('transactions').insert({ name: 'Rent', amount: -900 }).select(
        'name,amount',
      ).single(),
    ).toMatchObject({
      status: 201,
      data: { name: 'Rent', amount: -900 },
    })
    expect(await signedIn.from('transactions').insert({ name: 'Quietly', amount: 1 }))
      .toMatchObject({ status: 201, data: null, error: null })
  }],
  [
    'inserts rows of different keys with the columns’ defaults, when told so',
    async ({ signedIn }) => {
      const rows = [{ name: 'Salary', amount: 3000 }, {
        name: 'Phone',
        amount: -30,
        status: 'pending',
      }]
      expect(
        await signedIn.from('transactions').insert(rows, { defaultToNull: false }).select('status'),
      ).toMatchObject({
        status: 201,
        data: [{ status: 'paid' }, { status: 'pending' }],
      })
      expect(await signedIn.from('transactions').insert(rows)).toMatchObject({
        status: 400,
        error: { code: '23502' },
      })
    },
  ],
  ['filters, orders and pages', async ({ signedIn }) => {
    const names = ['Paging 1', 'Paging 2', 'Paging 3']
    await signedIn.from('tags').insert(names.map((name) => ({ name }))).throwOnError()
    expect(
      (await signedIn.from('tags').select('name').ilike('name', 'paging%').order('name', {
        ascending: false,
      }).range(1, 2)).data,
    )
      .toEqual([{ name: 'Paging 2' }, { name: 'Paging 1' }])
    expect(
      (await signedIn.from('tags').select('name').in('name', names).neq('name', 'Paging 1').order(
        'name',
      ).limit(1)).data,
    ).toEqual([{ name: 'Paging 2' }])
    expect(
      (await signedIn.from('tags').select('name').or('name.eq.Paging 1,name.eq.Paging 3').order(
        'name',
      )).data,
    )
      .toEqual([{ name: 'Paging 1' }, { name: 'Paging 3' }])
    expect(
      (await signedIn.from('tags').select('name').textSearch('name', 'paging').eq(
        'name',
        'Paging 2',
      )).data,
    ).toEqual([{ name: 'Paging 2' }])
  }],
  ['counts', async ({ signedIn }) => {
    await signedIn.from('tags').insert([{ name: 'Counted' }, { name: 'Counted' }]).throwOnError()
    expect(
      await signedIn.from('tags').select('*', { count: 'exact', head: true }).eq('name', 'Counted'),
    ).toMatchObject({ count: 2, data: null, error: null })
    expect(
      await signedIn.from('tags').select('name', { count: 'exact' }).eq('name', 'Counted').limit(1),
    ).toMatchObject({
      count: 2,
      data: [{ name: 'Counted' }],
    })
  }],
  ['requests a single row: gets it, null, or an error', async ({ signedIn }) => {
    await signedIn.from('tags').insert([{ name: 'Single' }, { name: 'Double' }, { name: 'Double' }])
      .throwOnError()
    const named = (name: string) => signedIn.from('tags').select('name').eq('name', name)
    expect(await named('Single').single()).toMatchObject({ status: 200, data: { name: 'Single' } })
    expect(await named('Single').maybeSingle()).toMatchObject({
      status: 200,
      data: { name: 'Single' },
    })
    expect(await named('None').maybeSingle()).toMatchObject({
      status: 200,
      data: null,
      error: null,
    })
    expect(await named('None').single()).toMatchObject({ status: 406, error: { code: 'PGRST116' } })
    expect(await named('Double').single()).toMatchObject({
      status: 406,
      error: { code: 'PGRST116', details: 'The result contains 2 rows' },
    })
  }],
  ['embeds related rows', async ({ signedIn }) => {
    const { data: category } = await signedIn.from('categories').insert({ name: 'Food' }).select(
      'id',
    ).single().throwOnError()
    await signedIn.from('transactions').insert({
      name: 'Bread',
      amount: -3,
      category_id: category.id,
    }).throwOnError()
    expect(
      (await signedIn.from('transactions').select('name,category:categories(name)').eq(
        'category_id',
        category.id,
      )).data,
    )
      .toEqual([{ name: 'Bread', category: { name: 'Food' } }])
  }],
  ['requests CSV, and responses without nulls', async ({ signedIn }) => {
    await signedIn.from('transactions').insert({ name: 'Printed', amount: 2 }).throwOnError()
    const printed = () =>
      signedIn.from('transactions').select('name,description').eq('name', 'Printed')
    expect((await printed().csv()).data).toBe('name,description\nPrinted,')
    expect((await printed().stripNulls()).data).toEqual([{ name: 'Printed' }])
    expect((await printed().stripNulls().single()).data).toEqual({ name: 'Printed' })
  }],
  ['updates, by a filter', async ({ signedIn }) => {
    await signedIn.from('transactions').insert([{ name: 'Changing', amount: 1 }, {
      name: 'Changing',
      amount: 2,
    }]).throwOnError()
    expect(
      await signedIn.from('transactions').update({ status: 'pending' }).eq('name', 'Changing')
        .select('status'),
    ).toMatchObject({
      status: 200,
      data: [{ status: 'pending' }, { status: 'pending' }],
    })
    expect(await signedIn.from('transactions').update({ status: 'paid' }).eq('name', 'Changing'))
      .toMatchObject({ status: 204, error: null })
  }],
  ['upserts by id, and repeats an import', async ({ signedIn }) => {
    const { data: { id } } = await signedIn.from('tags').insert({ name: 'Before' }).select('id')
      .single().throwOnError()
    expect((await signedIn.from('tags').upsert({ id, name: 'After' }).select('name')).data).toEqual(
      [{ name: 'After' }],
    )
    const imported = { name: 'Tram', amount: -2.9, source: 'bank', external_id: 'b-1' }
    expect(await signedIn.from('transactions').upsert(imported)).toMatchObject({ status: 201 })
    expect(
      await signedIn.from('transactions').upsert({ ...imported, name: 'Tram, line 4' }).select(
        'name',
      ),
    ).toMatchObject({
      status: 200,
      data: [{ name: 'Tram, line 4' }],
    })
    expect(
      await signedIn.from('transactions').upsert(imported, { ignoreDuplicates: true }).select(),
    ).toMatchObject({ status: 201, data: [] })
  }],
  ['deletes, by a filter', async ({ signedIn }) => {
    await signedIn.from('tags').insert({ name: 'Going' }).throwOnError()
    expect((await signedIn.from('tags').delete().eq('name', 'Going').select('name')).data).toEqual([
      { name: 'Going' },
    ])
    expect(await signedIn.from('tags').delete().eq('name', 'Going')).toMatchObject({
      status: 204,
      error: null,
    })
  }],
  ['calls functions, by POST, by GET and as rows', async ({ signedIn }) => {
    expect(await signedIn.rpc('get_transaction_stat', { p_aggregate_fn: 'count' })).toMatchObject({
      status: 200,
      data: expect.any(Number),
    })
    expect(await signedIn.rpc('get_cash_flow', { grouping: 'monthly', periods: 2 }, { get: true }))
      .toMatchObject({ status: 200, error: null })
    await signedIn.from('transactions').insert({ name: 'Found', amount: -77 }).throwOnError()
    const filters = [{ field: 'name', operation: 'eq', value: 'Found' }]
    expect(
      (await signedIn.rpc('get_filtered_transactions', { filters }).select('name').limit(1)
        .single()).data,
    ).toEqual({ name: 'Found' })
  }],
  ['gets the status and code of an error', async ({ signedIn }) => {
    expect(await signedIn.from('transactions').select('colour')).toMatchObject({
      status: 400,
      error: { code: '42703' },
    })
    expect(await signedIn.from('transactions').insert({ name: 'x', amount: 1, status: 'done' }))
      .toMatchObject({ status: 400, error: { code: '23514' } })
    expect(await signedIn.from('nothing').select()).toMatchObject({
      status: 404,
      error: { code: expect.stringMatching(/^(42P01|PGRST205)$/) },
    })
    await expect(signedIn.from('transactions').select('colour').throwOnError()).rejects.toThrow(
      'colour',
    )
  }],
  ['aborts a request', async ({ signedIn }) => {
    expect(await signedIn.from('transactions').select().abortSignal(AbortSignal.abort()))
      .toMatchObject({ data: null, error: expect.anything() })
  }],
  ['reads no rows and writes none without a session', async ({ signedOut }) => {
    expect(await signedOut.from('transactions').select()).toMatchObject({ status: 200, data: [] })
    expect(await signedOut.from('transactions').insert({ name: 'x', amount: 1 })).toMatchObject({
      status: 401,
      error: { code: '42501' },
    })
    expect(await signedOut.rpc('get_transaction_stat', {})).toMatchObject({
      status: 401,
      error: { code: '42501' },
    })
  }],
  ['tries a write with .rollback(), which stores nothing', async ({ signedIn }) => {
    expect((await signedIn.from('tags').insert({ name: 'Tried' }).select('name').rollback()).data)
      .toEqual([{ name: 'Tried' }])
    expect((await signedIn.from('tags').select().eq('name', 'Tried')).data).toEqual([])
  }],
  ['is refused the features that docs/data.md excludes', async ({ signedIn }) => {
    const imported = { name: 'x', amount: 1, source: 'bank', external_id: 'b-1' }
    const refusals = [
      // PostgREST 12 does not know this preference, and 16 does.
      [
        await signedIn.from('transactions').update({ status: 'pending' }).gte('amount', -1e6)
          .maxAffected(1),
        '400',
        /^PGRST12[24]$/,
      ],
      [await signedIn.from('transactions').select('*', { count: 'planned' }), '400', /^PGRST122$/],
      [
        await signedIn.from('transactions').select('*', { count: 'estimated' }),
        '400',
        /^PGRST122$/,
      ],
      // An unsupported media type is 415 in PostgREST 12 and 406 in 16.
      [await signedIn.from('transactions').select().explain(), '415 or 406', /^PGRST107$/],
      [await signedIn.from('transactions').select().geojson(), '404', /^42883$/],
      [await signedIn.from('transactions').select('amount.sum()'), '400', /^PGRST123$/],
      [
        await signedIn.from('transactions').upsert(imported, { onConflict: 'source,external_id' }),
        '400',
        /^42P10$/,
      ],
    ] as const
    for (const [{ status, error }, statuses, code] of refusals)
      expect([statuses, error?.code]).toEqual([
        expect.stringContaining(String(status)),
        expect.stringMatching(code),
      ])
    expect(
      (await signedIn.from('transactions').select().eq('status', 'pending').neq('name', 'Phone'))
        .data,
    ).toEqual([])
  }],
]
