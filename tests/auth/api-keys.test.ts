/** API keys for a user's programs: their rights, and all events that end them. */
import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, subscribed, team, type Person } from '../support/person.ts'
import { tokenCache } from '../support/postgrest-versions.ts'
import { startStack, type Stack } from '../support/stack.ts'
import {
  createKey,
  denied,
  ended,
  noKey,
  postKey,
  requestData,
  requestToken,
  session,
  storeTransaction,
  type KeyOptions,
} from './api-key-calls.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true, dataEnv: tokenCache })
})
afterAll(() => stack.close())

const program = (key: string, headers?: Record<string, string>) => requestToken(stack, key, headers)
const tokenOf = async (key: string): Promise<string> => {
  const { status, body } = await program(key)
  expect(status).toBe(200)
  return body.token
}
const data = (
  method: string,
  path: string,
  token: string,
  body?: unknown,
  headers?: Record<string, string>,
) => requestData(stack, method, path, token, body, headers)
const store = (token: string, name: string, more?: object) =>
  storeTransaction(stack, token, name, more)
const refusedAtBoth = async (key: string, token: string) => {
  expect(await program(key)).toMatchObject(noKey)
  expect(await data('GET', '/transactions', token)).toMatchObject(ended)
}

test('creating an API key shows the key once; the list hides it, and the database stores only its hash', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { body } = await postKey(ann, { name: 'Monthly report', expiresInDays: 90 })
  expect(body).toEqual({
    id: expect.any(String),
    name: 'Monthly report',
    hint: body.key.slice(0, 8),
    organization_id: null,
    role: 'viewer',
    created_at: expect.any(String),
    expires_at: expect.any(String),
    last_used_at: null,
    key: expect.stringMatching(/^fin_[\w-]{43}$/),
  })
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBeCloseTo(90 * 86_400_000, -5)
  const { key, ...listed } = body
  expect((await ann.get('/api-key/list')).body).toEqual([listed])
  const { rows: [row] } = await stack.sql.query('select * from auth.api_keys where id = $1', [
    body.id,
  ])
  expect(row.key_hash).toEqual(createHash('sha256').update(key).digest())
  expect(JSON.stringify(row)).not.toContain(key.slice(8))
})

test('creating an API key lets a program get ordinary tokens of one hour, with the key’s context and role', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const { id, key } = await createKey(owner, { organizationId, role: 'editor' })
  const claims = decodeJwt(await tokenOf(key))
  const like = decodeJwt(await owner.token())
  expect(claims).toEqual({
    ...like,
    iat: claims.iat,
    exp: Number(claims.iat) + 3_600,
    sid: id,
    api_key: 'editor',
    claims: { organization_id: organizationId, organization_role: 'editor' },
  })
  expect(decodeJwt(await tokenOf((await createKey(owner)).key))).toMatchObject({
    api_key: 'viewer',
    claims: {},
  })
})

test('creating an API key and using it shows the time of the last use, to the minute', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id, key } = await createKey(ann)
  const used = async () => (await ann.get('/api-key/list')).body[0].last_used_at
  await tokenOf(key)
  const first = await used()
  expect(Date.parse(first)).toBeGreaterThan(0)
  await tokenOf(key)
  expect(await used()).toBe(first)
  await stack.sql.query(
    `update auth.api_keys set last_used_at = now() - interval '2 minutes' where id = $1`,
    [id],
  )
  await tokenOf(key)
  expect(Date.parse(await used())).toBeGreaterThanOrEqual(Date.parse(first))
})

test('creating an API key needs the password, or a sign-in within the last ten minutes', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await postKey(ann, { password: 'wrong' })).toMatchObject({
    status: 400,
    body: { error: 'INVALID_PASSWORD' },
  })
  const options = { name: 'Report', expiresInDays: 1 }
  expect((await ann.post('/api-key/create', options)).status).toBe(200)
  await stack.sql.query(
    `update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`,
    [await ann.id()],
  )
  expect(await ann.post('/api-key/create', options)).toMatchObject({
    status: 403,
    body: { error: 'FRESH_SIGN_IN_REQUIRED' },
  })
  expect((await postKey(ann, { password })).status).toBe(200)
})

test('creating an API key needs a verified address: otherwise an attacker who signed up with a victim’s address would keep a key', async () => {
  const mallory = person(stack, 'Mallory')
  await mallory.signUp()
  expect(await postKey(mallory)).toMatchObject({
    status: 403,
    body: { error: 'EMAIL_NOT_VERIFIED' },
  })
})

test('creating an API key needs a name, an expiry within a year, and an existing role', async () => {
  const ann = await signedIn(stack, 'Ann')
  const wrong: [KeyOptions, string][] = [
    [{ name: '' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ expiresInDays: 0 }, 'expiresInDays'],
    [{ expiresInDays: 367 }, 'expiresInDays'],
    [{ expiresInDays: 1.5 }, 'expiresInDays'],
    [{ role: 'owner' }, 'role'],
    [{ role: 'admin' }, 'role'],
  ]
  for (const [options, field] of wrong)
    expect(await postKey(ann, options)).toMatchObject({
      status: 400,
      body: { error: 'VALIDATION_ERROR', message: expect.stringContaining(`field ${field}`) },
    })
  expect((await ann.post('/api-key/create', { name: 'Report', password })).status).toBe(400)
})

test('creating an API key is limited to twenty per user, even at the same moment; an ended key frees a slot', async () => {
  const ann = await signedIn(stack, 'Ann')
  await Promise.all(Array.from({ length: 17 }, () => postKey(ann)))
  const answers = await Promise.all(Array.from({ length: 6 }, () => postKey(ann)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({
    status: 403,
    body: { error: 'API_KEY_LIMIT_REACHED', message: expect.stringContaining('up to 20') },
  })
  const [one] = (await ann.get('/api-key/list')).body
  await stack.sql.query('update auth.api_keys set expires_at = now() where id = $1', [one.id])
  expect((await postKey(ann)).status).toBe(200)
})

test('a key has at most the rights of its user and cannot be created for another team', async () => {
  const { id: organizationId, owner, admin, editor, viewer } = await team(stack, [
    'admin',
    'editor',
    'viewer',
  ])
  const may: [Person, string[]][] = [
    [owner, ['admin', 'editor', 'viewer']],
    [admin, ['admin', 'editor', 'viewer']],
    [editor, ['editor', 'viewer']],
    [
      viewer,
      ['viewer'],
    ],
  ]
  for (const [user, roles] of may) {
    for (const role of ['admin', 'editor', 'viewer']) {
      expect(await postKey(user, { organizationId, role })).toMatchObject(
        roles.includes(role)
          ? { status: 200, body: { role, organization_id: organizationId } }
          : { status: 403, body: { error: 'FORBIDDEN' } },
      )
    }
  }
  expect(await postKey(await signedIn(stack, 'Eve'), { organizationId })).toMatchObject({
    status: 404,
    body: { error: 'NOT_FOUND' },
  })
})

test('a key has at most the rights of its user and a viewer’s key reads the team’s rows but cannot change them, even if its user can', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const rent = await store(await session(owner, organizationId), 'Rent')
  const personal = await store(await session(owner), 'Mine')
  const token = await tokenOf((await createKey(owner, { organizationId })).key)
  expect((await data('GET', '/transactions', token)).body).toMatchObject([{ name: 'Rent' }])
  expect(await data('POST', '/rpc/get_filtered_transactions', token, { filters: [] }))
    .toMatchObject({ status: 200, body: [{ name: 'Rent' }] })
  for (
    const [method, path, body] of [
      ['POST', '/transactions', { name: 'No', amount: 1 }],
      ['POST', '/transactions', { name: 'No', amount: 1, organization_id: null }],
      ['PATCH', `/transactions?id=eq.${rent.id}`, { name: 'No' }],
      ['PATCH', `/transactions?id=eq.${personal.id}`, { name: 'No' }],
      ['DELETE', `/transactions?id=eq.${rent.id}`, undefined],
      ['PUT', `/transactions?id=eq.${rent.id}`, { ...rent, name: 'No' }],
      ['POST', '/rpc/import_transactions', { p_rows: [{ name: 'No', amount: 1 }] }],
      ['POST', '/rpc/undo', { p_activity_id: rent.id }],
      ['POST', '/rpc/delete_category', { p_category_id: rent.id }],
    ] as const
  ) expect(await data(method, path, token, body), `${method} ${path}`).toMatchObject(denied)
  expect(
    await data('POST', '/transactions', token, { name: 'No', amount: 1 }, {
      prefer: 'tx=rollback',
    }),
  ).toMatchObject(denied)
})

test('a key has at most the rights of its user and a team key cannot read or change the user’s personal rows, although a session in the team can', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const personal = await store(await session(owner), 'Mine')
  const inTeam = await session(owner, organizationId)
  expect((await data('GET', '/transactions', inTeam)).body).toMatchObject([{ name: 'Mine' }])
  const token = await tokenOf((await createKey(owner, { organizationId, role: 'admin' })).key)
  expect(await data('GET', '/transactions', token)).toMatchObject({ status: 200, body: [] })
  expect(await data('GET', '/app_subscriptions', token)).toMatchObject({ status: 200, body: [] })
  expect(await data('GET', '/activity', token)).toMatchObject({ status: 200, body: [] })
  expect(await data('PATCH', `/transactions?id=eq.${personal.id}`, token, { name: 'No' }))
    .toMatchObject({ status: 200, body: [] })
  expect(
    await data('POST', '/transactions', token, { name: 'No', amount: 1, organization_id: null }),
  ).toMatchObject(denied)
  expect(
    await data('POST', '/line_items', token, {
      transaction_id: personal.id,
      name: 'No',
      amount: 1,
    }),
  ).toMatchObject({
    status: 409,
    body: { code: '23503' },
  })
  const { body: [activity] } = await data('GET', `/activity?row_id=eq.${personal.id}`, inTeam)
  expect(await data('POST', '/rpc/undo', token, { p_activity_id: activity.id })).toMatchObject({
    status: 404,
  })
  expect(
    (await data('POST', '/rpc/get_transaction_stat', token, {
      p_organization_id: null,
      p_filters: [],
    })).body,
  ).toBe(0)
  const stored = await store(token, 'Of the team')
  expect(stored).toMatchObject({ organization_id: organizationId, user_id: await owner.id() })
})

test('a key has at most the rights of its user and a personal key cannot access a team', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  await store(await session(owner, organizationId), 'Rent')
  const reading = await tokenOf((await createKey(owner)).key)
  const writing = await tokenOf((await createKey(owner, { role: 'editor' })).key)
  for (const token of [reading, writing])
    expect((await data('GET', '/transactions', token)).body).toEqual([])
  expect(await data('POST', '/transactions', reading, { name: 'No', amount: 1 })).toMatchObject(
    denied,
  )
  expect(
    await data('POST', '/transactions', writing, {
      name: 'No',
      amount: 1,
      organization_id: organizationId,
    }),
  ).toMatchObject(denied)
  expect(await store(writing, 'Mine')).toMatchObject({ organization_id: null })
})

describe('a key and its tokens end at once when', () => {
  type World = { id: string, owner: Person, editor: Person, viewer: Person, keyId: string }
  const member = async ({ owner, id }: World, path: string, editor: Person, more = {}) => {
    const body = { organizationId: id, userId: await editor.id(), ...more }
    expect(
      (path === '/organization/update-member-role'
        ? await owner.patch(path, body)
        : await owner.post(path, body)).status,
    ).toBe(200)
  }
  const ends: [string, (world: World) => Promise<unknown>][] = [
    [
      'the user revokes it',
      async ({ editor, keyId }) =>
        expect((await editor.post('/api-key/revoke', { keyId })).status).toBe(200),
    ],
    [
      'it expires',
      ({ keyId }) =>
        stack.sql.query('update auth.api_keys set expires_at = now() where id = $1', [keyId]),
    ],
    [
      'its user is removed from the team',
      (world) => member(world, '/organization/remove-member', world.editor),
    ],
    [
      'its user leaves the team',
      async ({ editor, id }) =>
        expect((await editor.post('/organization/leave', { organizationId: id })).status).toBe(200),
    ],
    [
      'its user’s role drops below the key’s role',
      (world) =>
        member(world, '/organization/update-member-role', world.editor, { role: 'viewer' }),
    ],
    [
      'the team is deleted',
      async ({ owner, id }) =>
        expect((await owner.delete('/organization/delete', { organizationId: id })).status).toBe(
          200,
        ),
    ],
    [
      'its user’s account is deleted',
      async ({ editor }) =>
        stack.sql.query('delete from auth.users where id = $1', [await editor.id()]),
    ],
    ['the user resets the password by mail', async ({ editor }) => {
      await person(stack).post('/forget-password', { email: editor.email })
      const mail = await stack.mail.waitFor(
        editor.email,
        ({ text }) => text.includes('/reset-password'),
      )
      const token = new URL(linkIn(mail)).searchParams.get('token')
      expect(
        (await person(stack).post('/reset-password', { token, password: 'a new password' })).status,
      ).toBe(200)
    }],
    ['the user stops an address change that an attacker requested', async ({ editor }) => {
      await editor.post('/request-email-change', { newEmail: 'mallory@example.net', password })
      const mail = await stack.mail.waitFor(
        editor.email,
        ({ text }) => text.includes('stop-email-change'),
      )
      const token = new URL(linkIn(mail)).searchParams.get('token')
      expect((await person(stack).post('/stop-email-change', { token })).status).toBe(200)
    }],
  ]
  test.each(ends)('%s', async (_, end) => {
    const { id, owner, editor, viewer } = await team(stack, ['editor', 'viewer'])
    const { id: keyId, key } = await createKey(editor, { organizationId: id, role: 'editor' })
    const token = await tokenOf(key)
    expect((await data('GET', '/transactions', token)).status).toBe(200)
    await end({ id, owner, editor, viewer, keyId })
    await refusedAtBoth(key, token)
  })

  test('a key and its tokens end at once when its user’s role was lower for a moment, and the key stays ended when the role returns', async () => {
    const { id: organizationId, owner, editor } = await team(stack, ['editor'])
    const [high, low] = [
      await createKey(editor, { organizationId, role: 'editor' }),
      await createKey(editor, { organizationId }),
    ]
    const token = await tokenOf(high.key)
    for (const role of ['viewer', 'admin'])
      await owner.patch('/organization/update-member-role', {
        organizationId,
        userId: await editor.id(),
        role,
      })
    await refusedAtBoth(high.key, token)
    expect((await data('GET', '/transactions', await tokenOf(low.key))).status).toBe(200)
  })

  test('a key and its tokens end at once when its user’s role drops by a change that no trigger handles', async () => {
    const { id: organizationId, editor } = await team(stack, ['editor'])
    const { key } = await createKey(editor, { organizationId, role: 'editor' })
    const token = await tokenOf(key)
    await stack.sql.query('alter table auth.members disable trigger members_end_api_keys')
    try {
      await stack.sql.query(`update auth.members set role = 'viewer' where user_id = $1`, [
        await editor.id(),
      ])
    } finally {
      await stack.sql.query('alter table auth.members enable trigger members_end_api_keys')
    }
    await refusedAtBoth(key, token)
  })

  test('a key and its tokens end at once when but not when its user’s role rises, or its user signs out or changes the password', async () => {
    const { id: organizationId, owner, editor } = await team(stack, ['editor'])
    const { key } = await createKey(editor, { organizationId, role: 'editor' })
    const token = await tokenOf(key)
    await owner.patch('/organization/update-member-role', {
      organizationId,
      userId: await editor.id(),
      role: 'admin',
    })
    expect(
      (await editor.post('/change-password', {
        currentPassword: password,
        newPassword: 'another password',
      })).status,
    ).toBe(200)
    await editor.post('/sign-out')
    expect((await data('GET', '/transactions', token)).status).toBe(200)
    expect((await data('GET', '/transactions', await tokenOf(key))).status).toBe(200)
  })
})

test('an API key is not a session: it opens only POST /token, and its token opens no route of the auth surface', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id, key } = await createKey(ann)
  for (const bearer of [key, await tokenOf(key)]) {
    for (
      const [method, path] of [['GET', '/get-session'], ['GET', '/api-key/list'], [
        'GET',
        '/organization/list',
      ], ['POST', '/sign-out']] as const
    ) {
      const answer = await person(stack).call(method, path, undefined, {
        authorization: `Bearer ${bearer}`,
      })
      expect(answer, path).toMatchObject(noKey)
    }
    expect(
      await person(stack).call('POST', '/api-key/create', {
        name: 'More',
        expiresInDays: 9,
        password,
      }, { authorization: `Bearer ${bearer}` }),
    )
      .toMatchObject(noKey)
    expect(
      await person(stack).call('POST', '/api-key/revoke', { keyId: id }, {
        authorization: `Bearer ${bearer}`,
      }),
    ).toMatchObject(noKey)
  }
  expect(
    (await person(stack).call('POST', '/token', undefined, {
      authorization: `Bearer ${await tokenOf(key)}`,
    })).status,
  ).toBe(401)
  // Nor does the data surface accept a key in place of a token.
  expect((await data('GET', '/transactions', key)).status).toBe(401)
})

test('an API key that was made up is refused', async () => {
  for (
    const wrong of [
      'fin_',
      'fin_x',
      `fin_${'A'.repeat(43)}`,
      `fin_${'A'.repeat(4_000)}`,
      "fin_' or true --",
      'fin_%00',
    ]
  )
    expect(await program(wrong), wrong).toMatchObject(noKey)
})

test('an API key is not accepted as its hash, id, hint or a part of it', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id, key } = await createKey(ann)
  const hash = createHash('sha256').update(key).digest('base64url')
  for (
    const wrong of [
      `fin_${hash}`,
      `fin_${id}`,
      key.slice(0, 8),
      key.slice(0, -1),
      `${key}A`,
      key.toUpperCase(),
    ]
  ) {
    expect((await program(wrong)).status).toBe(401)
  }
})

test('POST /token with an API key ignores a session cookie in the same request; a bearer that is no key is ignored', async () => {
  const [ann, bob] = [await subscribed(stack, 'Ann'), await signedIn(stack, 'Bob')]
  const { id, key } = await createKey(ann)
  const tokenRequest = (bearer: string) =>
    bob.call('POST', '/token', undefined, { authorization: bearer })
  expect(decodeJwt((await tokenRequest(`Bearer ${key}`)).body.token)).toMatchObject({
    user_id: await ann.id(),
    sid: id,
  })
  expect(decodeJwt((await tokenRequest(`bearer  ${key}`)).body.token)).toMatchObject({
    user_id: await ann.id(),
  })
  await ann.post('/api-key/revoke', { keyId: id })
  expect(await tokenRequest(`Bearer ${key}`)).toMatchObject(noKey)
  // The same as without keys: a client may send its old token along.
  expect(decodeJwt((await tokenRequest(`Bearer ${await bob.token()}`)).body.token)).toMatchObject({
    user_id: await bob.id(),
  })
  expect((await tokenRequest('Basic eDp5')).status).toBe(200)
})

test('POST /token with an API key from a page of another site is refused', async () => {
  const { key } = await createKey(await signedIn(stack, 'Ann'))
  expect(await program(key, { origin: 'https://evil.example' })).toMatchObject({
    status: 403,
    body: { error: 'FORBIDDEN' },
  })
})

test('POST /token with an API key fails for all programs at once after the key is revoked', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id, key } = await createKey(ann)
  const requests = Array.from({ length: 12 }, () => program(key))
  expect((await ann.post('/api-key/revoke', { keyId: id })).status).toBe(200)
  for (const { status, body } of await Promise.all(requests)) {
    expect([200, 401]).toContain(status)
    if (status === 200) expect(await data('GET', '/transactions', body.token)).toMatchObject(ended)
  }
})

test('POST /token with an API key fails if the key was created while its user’s role dropped', async () => {
  const { id: organizationId, owner, editor } = await team(stack, ['editor'])
  const userId = await editor.id()
  const [answers] = await Promise.all([
    Promise.all(
      Array.from({ length: 6 }, () => postKey(editor, { organizationId, role: 'editor' })),
    ),
    owner.patch('/organization/update-member-role', { organizationId, userId, role: 'viewer' }),
  ])
  for (const { status, body } of answers) {
    if (status === 200) expect(await program(body.key)).toMatchObject(noKey)
    else expect(body.error).toBe('FORBIDDEN')
  }
  expect((await stack.sql.query('select from auth.api_keys where user_id = $1', [userId])).rowCount)
    .toBe(0)
})

test('no log line contains a key or its tokens', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { key } = await createKey(ann)
  const token = await tokenOf(key)
  await data('GET', '/transactions', token)
  await program(`${key}A`)
  await person(stack).call('POST', `/token?key=${key}`, undefined, {
    authorization: `Bearer ${key}`,
  })
  const text = stack.logged.join('\n')
  for (
    const secret of [
      key.slice(8),
      createHash('sha256').update(key).digest('hex'),
      token.split('.')[2] ?? '',
    ]
  ) expect(text).not.toContain(secret)
})

test('wrong keys are limited per client address, and the right key still works', async () => {
  const limited = {
    ...stack,
    url: await stack.startAnotherAuth({
      RATE_LIMIT_ENABLED: 'true',
      TRUSTED_PROXIES: '127.0.0.0/8',
    }),
  }
  const ann = await signedIn(limited, 'Ann')
  const from = (address: string, key: string) =>
    person(limited, 'program').call('POST', '/token', undefined, {
      authorization: `Bearer ${key}`,
      'x-forwarded-for': address,
    })
  const { body: { key } } = await ann.post('/api-key/create', {
    name: 'Report',
    expiresInDays: 9,
    password,
  }, { 'x-forwarded-for': '203.0.113.9' })
  const wrong = await Promise.all(
    Array.from({ length: 61 }, () => from('203.0.113.1', `fin_${'A'.repeat(43)}`)),
  )
  expect(wrong.filter(({ status }) => status === 401)).toHaveLength(60)
  const refused = wrong.find(({ status }) => status === 429)
  expect(refused?.body.error).toBe('RATE_LIMIT_EXCEEDED')
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await from('203.0.113.1', key)).status).toBe(200)
  expect((await from('203.0.113.2', `fin_${'A'.repeat(43)}`)).status).toBe(401)
})
