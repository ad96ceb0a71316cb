import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person, signedIn, subscribed, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const organizationShape = {
  id: expect.any(String),
  name: expect.any(String),
  slug: expect.any(String),
  logo: null,
  metadata: {},
  created_at: expect.any(String),
}

test('creating an organization returns it with a slug made from its name, and makes its creator the owner', async () => {
  const olga = await subscribed(stack, 'Olga')
  const { status, body } = await olga.post('/organization/create', { name: 'Café Olé & Co.' })
  expect(status).toBe(200)
  expect(body).toEqual({
    ...organizationShape,
    name: 'Café Olé & Co.',
    slug: expect.stringMatching(/^cafe-ole-co-[a-z0-9]+$/),
  })
  expect((await olga.get('/organization/list')).body).toEqual([{ ...body, role: 'owner' }])
  expect((await olga.get('/get-session')).body.session.active_organization_id).toBeNull()
})

test('creating an organization stores and returns slug, logo and metadata unchanged', async () => {
  const olga = await subscribed(stack, 'Olga')
  const fields = {
    name: 'Acme',
    slug: `acme-${Date.now()}`,
    logo: 'https://example.org/logo.png',
    metadata: { size: 3, tags: ['a', { b: null }] },
  }
  expect((await olga.post('/organization/create', fields)).body).toEqual({
    ...organizationShape,
    ...fields,
  })
  expect((await olga.get('/organization/list')).body).toEqual([{
    ...organizationShape,
    ...fields,
    role: 'owner',
  }])
})

test('creating an organization needs a verified address', async () => {
  const olga = person(stack, 'Olga')
  await olga.signUp()
  await olga.subscribe()
  expect(await olga.post('/organization/create', { name: 'Acme' })).toMatchObject({
    status: 403,
    body: { error: 'EMAIL_NOT_VERIFIED' },
  })
})

test('creating an organization needs an active plan of the Teams tier or higher', async () => {
  const olga = await signedIn(stack, 'Olga')
  const create = () => olga.post('/organization/create', { name: 'Acme' })
  expect(await create()).toMatchObject({ status: 403, body: { error: 'SUBSCRIPTION_REQUIRED' } })
  await olga.subscribe('personal')
  expect(await create()).toMatchObject({ status: 403, body: { error: 'SUBSCRIPTION_REQUIRED' } })
  await olga.subscribe('business')
  expect((await create()).status).toBe(200)
  await stack.sql.query(
    `update api.app_subscriptions set status = 'sub_canceled' where product_id = 'business' and user_id = $1`,
    [await olga.id()],
  )
  expect(await create()).toMatchObject({ status: 403, body: { error: 'SUBSCRIPTION_REQUIRED' } })
})

test('creating an organization with a slug that is taken returns 409 SLUG_TAKEN', async () => {
  const olga = await subscribed(stack, 'Olga')
  const slug = `taken-${Date.now()}`
  await olga.post('/organization/create', { name: 'First', slug })
  expect(await olga.post('/organization/create', { name: 'Second', slug })).toMatchObject({
    status: 409,
    body: { error: 'SLUG_TAKEN' },
  })
})

test('creating an organization is limited to five per user, also if fifty requests arrive at once', async () => {
  const olga = await subscribed(stack, 'Olga')
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => olga.post('/organization/create', { name: `Team ${i}` })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(
    new Set(
      answers.filter(({ status }) => status !== 200).map(({ status, body }) =>
        `${status} ${body.error}: ${body.message}`
      ),
    ),
  ).toEqual(
    new Set(['403 ORGANIZATION_LIMIT_REACHED: You can own up to 5 organizations.']),
  )
  expect((await olga.get('/organization/list')).body).toHaveLength(5)
  // No organization without an owner exists.
  expect(
    (await stack.sql.query(
      'select count(*)::int from auth.organizations o where not exists (select from auth.members m where m.organization_id = o.id)',
    ))
      .rows[0].count,
  ).toBe(0)
})

test.each([
  ['no name', {}],
  ['an empty name', { name: '' }],
  ['a name of blanks', { name: '   ' }],
  ['a name of invisible characters', { name: '\u200b\u2800' }],
  ['a name with a line break', { name: 'Acme\r\nBcc: eve@example.org' }],
  ['a slug with capitals', { name: 'Acme', slug: 'Acme' }],
  ['a slug with a slash', { name: 'Acme', slug: 'a/b' }],
  ['a logo that is a script', { name: 'Acme', logo: 'javascript:alert(1)' }],
  ['metadata that is a list', { name: 'Acme', metadata: [] }],
])('creating an organization with %s is refused', async (_, body) => {
  const olga = await subscribed(stack, 'Olga')
  expect(await olga.post('/organization/create', body)).toMatchObject({
    status: 400,
    body: { error: 'VALIDATION_ERROR' },
  })
})

describe('metadata', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
  const odd = [
    { constructor: { prototype: {} } },
    { at: '2026-11-21T10:00:00+01:00', day: '2026-11-21', empty: '', text: 'null' },
    { 'a.b': [[[]], {}, null, false, 0.1, -1e300] },
    { nul: 'a\u0000b', lone: '\ud800', 'key\u0000': '😀' },
    { toString: 1, hasOwnProperty: null, toJSON: 'x' },
    nested(16),
  ]

  test('metadata is returned as it was sent, whatever its field names', async () => {
    const { id, owner } = await team(stack, [])
    for (const metadata of odd) {
      expect(await owner.patch('/organization/update', { organizationId: id, metadata }))
        .toMatchObject({ status: 200, body: { id, metadata } })
      expect((await owner.get('/organization/list')).body[0].metadata).toEqual(metadata)
      expect((await owner.get(`/organization/get?organizationId=${id}`)).body.metadata).toEqual(
        metadata,
      )
    }
    const other = await subscribed(stack, 'Olga')
    for (const metadata of odd.slice(0, 5))
      expect((await other.post('/organization/create', { name: 'Acme', metadata })).body.metadata)
        .toEqual(metadata)
  })

  test.each([
    ['17 levels', JSON.stringify(nested(17)), /16 levels/],
    ['2,000 levels', JSON.stringify(nested(2_000)), /16 levels/],
    ['30,000 levels', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, /16 levels/],
    ['more than 16 KiB', JSON.stringify({ a: 'é'.repeat(8_192) }), /16 KiB/],
    ['a __proto__ field', '{"a":{"__proto__":{"admin":true}}}', /__proto__/],
    ['a number outside of the range of JSON numbers', '{"a":1e999}', /number/],
    ['a list instead of an object', '[]', /object/],
    ['null instead of an object', 'null', /object/],
  ])(
    'metadata with %s is refused with a message that says so, and nothing is stored',
    async (_, metadata, sentence) => {
      const { id, owner } = await team(stack, [])
      expect(
        await owner.call(
          'PATCH',
          '/organization/update',
          `{"organizationId":"${id}","name":"New","metadata":${metadata}}`,
        ),
      )
        .toMatchObject({
          status: 400,
          body: { error: 'VALIDATION_ERROR', message: expect.stringMatching(sentence) },
        })
      expect(
        await owner.call(
          'POST',
          '/organization/create',
          `{"name":"Second","metadata":${metadata}}`,
        ),
      ).toMatchObject({
        status: 400,
        body: { error: 'VALIDATION_ERROR' },
      })
      expect((await owner.get('/organization/list')).body).toMatchObject([{
        name: 'The Team',
        metadata: {},
      }])
    },
  )

  test('metadata stored by an earlier version can be read, and does not prevent an update or a deletion', async () => {
    const { id, owner } = await team(stack, [])
    for (
      const stored of [
        '{"constructor":{"prototype":{}}}',
        JSON.stringify(nested(2_000)),
        '{"__proto__":{"a":1}}',
      ]
    ) {
      await stack.sql.query('update auth.organizations set metadata = $2 where id = $1', [
        id,
        stored,
      ])
      expect(
        JSON.stringify((await owner.get(`/organization/get?organizationId=${id}`)).body.metadata),
      ).toBe(stored)
      expect((await owner.get('/organization/list')).status).toBe(200)
      expect(await owner.patch('/organization/update', { organizationId: id, name: 'Renamed' }))
        .toMatchObject({ status: 200, body: { name: 'Renamed' } })
    }
    expect((await owner.post('/organization/set-active', { organizationId: id })).status).toBe(200)
    expect((await owner.delete('/organization/delete', { organizationId: id })).status).toBe(200)
  })
})

test('an organization is returned to its members with members_count', async () => {
  const { id, viewer } = await team(stack, ['admin', 'viewer'])
  expect(await viewer.get(`/organization/get?organizationId=${id}`)).toMatchObject({
    status: 200,
    body: { id, members_count: 3 },
  })
})

test('an organization lists its members exactly, to each of them', async () => {
  const { id, owner, editor } = await team(stack, ['editor'])
  const { status, body } = await editor.get(`/organization/list-members?organizationId=${id}`)
  expect(status).toBe(200)
  expect(body).toHaveLength(2)
  expect(body).toContainEqual({
    id: expect.any(String),
    user_id: await owner.id(),
    organization_id: id,
    role: 'owner',
    created_at: expect.any(String),
    user: { id: await owner.id(), name: owner.name, email: owner.email, image: null },
  })
})

test('an organization is updated by owner and admin, and returns updated_at', async () => {
  const { id, owner, admin } = await team(stack, ['admin'])
  const before =
    (await owner.patch('/organization/update', { organizationId: id, name: 'New name' })).body
  expect(before).toEqual({
    ...organizationShape,
    id,
    name: 'New name',
    updated_at: expect.any(String),
  })
  const { status, body } = await admin.patch('/organization/update', {
    organizationId: id,
    slug: `new-${Date.now()}`,
    logo: 'https://example.org/l.png',
    metadata: { a: 1 },
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    name: 'New name',
    logo: 'https://example.org/l.png',
    metadata: { a: 1 },
  })
  expect(body.updated_at > before.updated_at).toBe(true)
  expect((await owner.patch('/organization/update', { organizationId: id, logo: null })).body.logo)
    .toBeNull()
  expect((await owner.patch('/organization/update', { organizationId: id })).status).toBe(400)
  expect(
    (await owner.patch('/organization/update', { organizationId: id, name: '   ' })).body.message,
  ).toBe('The field name: must have a visible character.')
})

test('an organization cannot take the slug of another organization', async () => {
  const [one, other] = [await team(stack, []), await team(stack, [])]
  const { body: { slug } } = await one.owner.get(`/organization/get?organizationId=${one.id}`)
  expect(await other.owner.patch('/organization/update', { organizationId: other.id, slug }))
    .toMatchObject({ status: 409, body: { error: 'SLUG_TAKEN' } })
})

test('an organization is deleted by its owner, with all of its data', async () => {
  const { id, owner, editor } = await team(stack, ['editor'])
  expect(await owner.delete('/organization/delete', { organizationId: id })).toMatchObject({
    status: 200,
    body: { success: true, organization: { id } },
  })
  expect((await owner.get(`/organization/get?organizationId=${id}`)).status).toBe(404)
  expect((await editor.get('/organization/list')).body).toEqual([])
  expect((await editor.get('/get-session')).body.session.active_organization_id).toBeNull()
})

test('an organization is made active, and the personal context is restored', async () => {
  const olga = await subscribed(stack, 'Olga')
  const { body: { id } } = await olga.post('/organization/create', { name: 'Acme' })
  const { body: { session } } = await olga.get('/get-session')
  expect(await olga.post('/organization/set-active', { organizationId: id })).toMatchObject({
    status: 200,
    body: { session: { id: session.id, active_organization_id: id } },
  })
  expect((await olga.get('/get-session')).body.session.active_organization_id).toBe(id)
  expect((await olga.post('/organization/set-active', { organizationId: null })).body).toEqual({
    session: { id: session.id, active_organization_id: null },
  })
  expect((await olga.get('/get-session')).body.session.active_organization_id).toBeNull()
  expect((await olga.post('/organization/set-active', {})).status).toBe(400)
})

describe('the owner and the roles of an organization', () => {
  test('the owner cannot be removed or demoted by other members', async () => {
    const { id: organizationId, owner, admin } = await team(stack, ['admin'])
    const userId = await owner.id()
    expect((await admin.post('/organization/remove-member', { organizationId, userId })).status)
      .toBe(403)
    expect(
      (await admin.patch('/organization/update-member-role', {
        organizationId,
        userId,
        role: 'viewer',
      })).status,
    ).toBe(403)
    expect(
      (await admin.post('/organization/transfer-ownership', {
        organizationId,
        userId: await admin.id(),
      })).status,
    ).toBe(400)
    expect((await owner.get(`/organization/get?organizationId=${organizationId}`)).status).toBe(200)
  })

  test('an owner must transfer the ownership before leaving, and cannot remove or demote herself', async () => {
    const { id: organizationId, owner, editor } = await team(stack, ['editor'])
    const userId = await owner.id()
    for (
      const answer of [
        await owner.post('/organization/leave', { organizationId }),
        await owner.post('/organization/remove-member', { organizationId, userId }),
        await owner.patch('/organization/update-member-role', {
          organizationId,
          userId,
          role: 'viewer',
        }),
      ]
    ) expect(answer).toMatchObject({ status: 403, body: { error: 'OWNER_REQUIRED' } })
    expect(
      await owner.post('/organization/transfer-ownership', {
        organizationId,
        userId: await editor.id(),
      }),
    ).toMatchObject({
      status: 200,
      body: { success: true, member: { role: 'owner' } },
    })
    expect(await owner.post('/organization/leave', { organizationId })).toMatchObject({
      status: 200,
      body: { success: true, member: { user_id: userId, role: 'admin' } },
    })
    expect((await owner.get('/organization/list')).body).toEqual([])
    expect((await owner.get('/get-session')).body.session.active_organization_id).toBeNull()
  })

  test('two concurrent transfers make one member the owner', async () => {
    const { id: organizationId, owner, admin, editor } = await team(stack, ['admin', 'editor'])
    const ids = [await admin.id(), await editor.id()]
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        (_, i) =>
          owner.post('/organization/transfer-ownership', { organizationId, userId: ids[i % 2] }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { rows } = await stack.sql.query(
      `select count(*)::int from auth.members where organization_id = $1 and role = 'owner'`,
      [organizationId],
    )
    expect(rows[0].count).toBe(1)
  })

  test('an unknown role and the role owner are refused', async () => {
    const { id: organizationId, owner, editor } = await team(stack, ['editor'])
    for (
      const role of ['owner', 'member', 'admin,viewer', ' owner', 'Admin', '', ['admin'], null]
    ) {
      expect(
        await owner.patch('/organization/update-member-role', {
          organizationId,
          userId: await editor.id(),
          role,
        }),
      ).toMatchObject({
        status: 400,
        body: { error: 'VALIDATION_ERROR' },
      })
      expect(
        await owner.post('/organization/invite-member', {
          organizationId,
          email: 'x@example.org',
          role,
        }),
      ).toMatchObject({
        status: 400,
        body: { error: 'VALIDATION_ERROR' },
      })
    }
  })

  test('a change returns the changed object', async () => {
    const { id: organizationId, owner, viewer } = await team(stack, ['viewer'])
    const userId = await viewer.id()
    expect(
      (await owner.patch('/organization/update-member-role', {
        organizationId,
        userId,
        role: 'editor',
      })).body,
    ).toMatchObject({
      success: true,
      member: { user_id: userId, role: 'editor' },
    })
    expect((await owner.post('/organization/remove-member', { organizationId, userId })).body)
      .toMatchObject({ success: true, member: { user_id: userId } })
    expect((await viewer.get('/organization/list')).body).toEqual([])
  })
})

test('for a user outside of the organization it does not exist: each route returns the same as for a made-up id, and the user’s own organization stays active', async () => {
  const { id, owner } = await team(stack, [])
  const { id: own, owner: eve } = await team(stack, [])
  const userId = await owner.id()
  const calls: [string, string, object?][] = [
    ['PATCH', '/organization/update', { name: 'Mine' }],
    ['DELETE', '/organization/delete'],
    ['POST', '/organization/set-active'],
    ['POST', '/organization/invite-member', { email: 'eve@example.org', role: 'admin' }],
    ['PATCH', '/organization/update-member-role', { userId, role: 'viewer' }],
    ['POST', '/organization/remove-member', { userId }],
    ['POST', '/organization/transfer-ownership', { userId }],
    ['POST', '/organization/leave'],
    ['GET', '/organization/get'],
    ['GET', '/organization/list-members'],
    ['GET', '/organization/list-invitations'],
  ]
  for (const [method, path, body] of calls) {
    const ask = async (organizationId: string) => {
      const { status, body: answered } = method === 'GET'
        ? await eve.get(`${path}?organizationId=${organizationId}`)
        : await eve.call(method, path, { ...body, organizationId })
      return { status, body: answered }
    }
    const foreign = await ask(id)
    expect(foreign, `${method} ${path}`).toMatchObject({
      status: 404,
      body: { error: 'NOT_FOUND' },
    })
    expect(await ask('no-such-organization'), `${method} ${path}`).toEqual(foreign)
    // better-auth would have cleared Eve's active organization for some of these.
    expect((await eve.get('/get-session')).body.session.active_organization_id, `${method} ${path}`)
      .toBe(own)
  }
})

test('deleting an owner’s account makes the longest-standing member with the highest role the owner', async () => {
  const { id, owner, admin } = await team(stack, ['viewer', 'admin'])
  await stack.sql.query('delete from auth.users where email = $1', [owner.email])
  expect((await admin.get('/organization/list')).body).toMatchObject([{ id, role: 'owner' }])
})
