/**
 * Both surfaces together: the data surface accepts tokens of the auth surface, and refuses them as
 * soon as their session ends.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { person, signedIn, team, type Person } from '../support/person.ts'
import { tokenCache } from '../support/postgrest-versions.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true, dataEnv: tokenCache })
})
afterAll(() => stack.close())

const data = async (path: string, token?: string, body?: unknown) => {
  const response = await fetch(`${stack.dataUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() as any, headers: response.headers }
}

describe('the main job', () => {
  test('a user signs up, verifies, signs in, gets a token, stores a transaction and reads it back; other users do not see it', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    await ann.verify()
    await ann.signIn()
    const token = await ann.token()
    const created = await data('/transactions', token, { name: 'Groceries', amount: -42.5 })
    expect(created).toMatchObject({
      status: 201,
      body: [{ name: 'Groceries', amount: -42.5, user_id: await ann.id(), organization_id: null }],
    })
    expect((await data('/transactions', token)).body).toEqual(created.body)
    const bob = await signedIn(stack, 'Bob')
    expect(await data('/transactions', await bob.token())).toMatchObject({ status: 200, body: [] })
    expect(await data('/transactions')).toMatchObject({ status: 200, body: [] })
  })

  test('a member of a team stores a row that the whole team sees', async () => {
    const { id, owner, editor, viewer } = await team(stack, ['editor', 'viewer'])
    expect(await data('/transactions', await editor.token(), { name: 'Rent', amount: -900 }))
      .toMatchObject({
        status: 201,
        body: [{ organization_id: id, user_id: await editor.id() }],
      })
    for (const member of [owner, viewer])
      expect((await data('/transactions', await member.token())).body).toMatchObject([{
        name: 'Rent',
      }])
    expect(await data('/transactions', await viewer.token(), { name: 'No', amount: 1 }))
      .toMatchObject({ status: 403, body: { code: '42501' } })
  })
})

describe('the next request with a token is refused after', () => {
  const expectRefused = ({ status, body, headers }: Awaited<ReturnType<typeof data>>) => {
    expect(status).toBe(401)
    expect(body).toEqual({
      code: 'PGRST301',
      message: expect.stringMatching(/^JWT /),
      details: null,
      hint: expect.stringContaining('/api/auth/token'),
    })
    expect(headers.get('www-authenticate')).toContain('invalid_token')
  }
  const ends: [
    string,
    (caller: { owner: Person, editor: Person, id: string }) => Promise<unknown>,
  ][] = [
    ['sign-out', ({ editor }) => editor.post('/sign-out')],
    ['the session was revoked by another session', async ({ editor }) => {
      const elsewhere = person(stack, 'editor', editor.email)
      await elsewhere.signIn()
      await elsewhere.post('/revoke-other-sessions')
    }],
    [
      'a change of role',
      async ({ owner, editor, id }) =>
        owner.patch('/organization/update-member-role', {
          organizationId: id,
          userId: await editor.id(),
          role: 'viewer',
        }),
    ],
    [
      'removal from the organization',
      async ({ owner, editor, id }) =>
        owner.post('/organization/remove-member', {
          organizationId: id,
          userId: await editor.id(),
        }),
    ],
    ['leaving it', ({ editor, id }) => editor.post('/organization/leave', { organizationId: id })],
    [
      'the organization',
      ({ owner, id }) => owner.delete('/organization/delete', { organizationId: id }),
    ],
    [
      'deletion of the account',
      ({ editor }) => stack.sql.query('delete from auth.users where email = $1', [editor.email]),
    ],
    [
      'the expiry of the session',
      ({ editor }) =>
        stack.sql.query(
          `update auth.sessions set expires_at = now() - interval '1 second' where user_id = (select id from auth.users where email = $1)`,
          [
            editor.email,
          ],
        ),
    ],
  ]
  test.each(ends)('%s', async (_, end) => {
    const { id, owner, editor } = await team(stack, ['editor'])
    const token = await editor.token()
    expect((await data('/transactions', token)).status).toBe(200)
    await end({ id, owner, editor })
    expectRefused(await data('/transactions', token))
  })

  test('a token stays valid when the organization is renamed or the session switches context', async () => {
    const { id, owner, editor } = await team(stack, ['editor', 'viewer'])
    const token = await editor.token()
    await owner.patch('/organization/update', { organizationId: id, name: 'Renamed' })
    await editor.post('/organization/set-active', { organizationId: null })
    expect((await data('/transactions', token)).status).toBe(200)
  })
})
