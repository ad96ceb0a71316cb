/** Account deletion: by password and mail. It deletes all personal data. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const refused = { status: 400, body: { error: 'INVALID_TOKEN', message: expect.any(String) } }
const mailed = (user: Person) => stack.mail.waitFor(user.email, ({ subject }) => subject === 'Delete your account')
/** Requests the deletion. @returns the link in the mail */
async function requestDeletion(user: Person): Promise<URL> {
  expect((await user.post('/delete-account', { password })).status).toBe(200)
  return new URL(linkIn(await mailed(user)))
}
const tokenOf = (link: URL) => link.searchParams.get('token') ?? ''
const store = async (user: Person, name: string) => {
  const headers = { authorization: `Bearer ${await user.token()}`, 'content-type': 'application/json' }
  expect((await fetch(`${stack.dataUrl}/transactions`, { method: 'POST', headers, body: JSON.stringify({ name, amount: -1 }) })).status).toBe(201)
}
const stored = async (name: string) => (await stack.sql.query('select user_id from api.transactions where name = $1', [name])).rows

describe('account deletion', () => {
  test('with the password and the mailed link ends all sessions and tokens, and deletes all personal data', async () => {
    const ann = await signedIn(stack, 'Ann')
    const phone = person(stack, 'Ann', ann.email)
    await phone.signIn()
    const authorization = `Bearer ${await phone.token()}`
    await store(ann, 'Her own')
    const link = await requestDeletion(ann)
    expect(link.pathname).toBe('/api/auth/confirm-delete-account')
    const confirmed = await ann.post('/confirm-delete-account', { token: tokenOf(link) })
    expect(confirmed).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) } })
    expect(ann.cookies.size).toBe(0)
    expect((await phone.get('/get-session')).status).toBe(401)
    expect((await fetch(`${stack.dataUrl}/transactions`, { headers: { authorization } })).status).toBe(401)
    expect(await stored('Her own')).toEqual([])
    expect((await phone.signIn()).status).toBe(401)
    expect((await person(stack, 'Ann', ann.email).signUp()).status).toBe(200)
  })

  test('needs a confirmation: opening the link deletes nothing', async () => {
    const ann = await signedIn(stack, 'Ann')
    const link = await requestDeletion(ann)
    for (const method of ['GET', 'HEAD']) {
      const answer = await ann.call(method, `/confirm-delete-account${link.search}`, undefined, { accept: 'text/html' })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toContain('text/html')
    }
    expect((await ann.get('/get-session')).status).toBe(200)
  })

  test('with a wrong password is refused, and sends no mail', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect(await ann.post('/delete-account', { password: 'wrong' })).toMatchObject({ status: 400, body: { error: 'INVALID_PASSWORD' } })
    expect((await stack.sql.query('select from auth.verifications where value = $1', [await ann.id()])).rowCount).toBe(0)
  })

  test('without a password is refused more than ten minutes after the sign-in, and sends no mail', async () => {
    const ann = await signedIn(stack, 'Ann')
    await stack.sql.query(`update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`, [await ann.id()])
    expect(await ann.post('/delete-account', {})).toMatchObject({ status: 403, body: { error: 'FRESH_SIGN_IN_REQUIRED' } })
    expect((await stack.sql.query('select from auth.verifications where value = $1', [await ann.id()])).rowCount).toBe(0)
  })

  test('is refused for a visitor without a session and for another user with the link', async () => {
    const ann = await signedIn(stack, 'Ann')
    const eve = await signedIn(stack, 'Eve')
    const token = tokenOf(await requestDeletion(ann))
    expect((await person(stack).post('/confirm-delete-account', { token })).status).toBe(401)
    expect(await eve.post('/confirm-delete-account', { token })).toMatchObject(refused)
    for (const user of [ann, eve]) expect((await user.get('/get-session')).status).toBe(200)
    // The owner can still use the token.
    expect((await ann.post('/confirm-delete-account', { token })).status).toBe(200)
    expect((await eve.get('/get-session')).status).toBe(200)
  })

  test('with a made-up or expired token is refused', async () => {
    const ann = await signedIn(stack, 'Ann')
    const token = tokenOf(await requestDeletion(ann))
    await stack.sql.query(`update auth.verifications set expires_at = now() - interval '1 second'`)
    for (const wrong of [token, 'a'.repeat(32)]) expect(await ann.post('/confirm-delete-account', { token: wrong })).toMatchObject(refused)
    expect((await ann.get('/get-session')).status).toBe(200)
  })
})

describe('the owner of organizations', () => {
  test('reads in the mail what happens to them; then the member with the highest role owns each, and its rows stay', async () => {
    const { id, owner, viewer, admin } = await team(stack, ['viewer', 'admin'])
    await store(owner, 'Of the team')
    const alone = (await owner.post('/organization/create', { name: 'Alone' })).body.id
    const answer = await owner.post('/delete-account', { password })
    expect(answer.body.organizations).toEqual([
      { id, name: 'The Team', successor: { id: await admin.id(), name: admin.name } },
      { id: alone, name: 'Alone', successor: null },
    ])
    const mail = await mailed(owner)
    expect(mail.text).toContain(`“The Team”, which you own, is then owned by ${admin.name}.`)
    expect(mail.text).toContain('“Alone”, which you own, stays without members.')
    await owner.post('/confirm-delete-account', { token: tokenOf(new URL(linkIn(mail))) })
    expect((await admin.get('/organization/list')).body[0].role).toBe('owner')
    expect((await viewer.get('/organization/list')).body[0].role).toBe('viewer')
    expect(await stored('Of the team')).toEqual([{ user_id: null }])
  })
})
