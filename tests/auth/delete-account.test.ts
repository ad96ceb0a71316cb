/** A person deletes their account: the password, a mail, and then everything personal is gone. */
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
const mailed = (someone: Person) => stack.mail.waitFor(someone.email, ({ subject }) => subject === 'Delete your account')
/** Asks for the mail. @returns its link */
async function asked(someone: Person): Promise<URL> {
  expect((await someone.post('/delete-account', { password })).status).toBe(200)
  return new URL(linkIn(await mailed(someone)))
}
const tokenOf = (link: URL) => link.searchParams.get('token') ?? ''
const store = async (someone: Person, name: string) => {
  const headers = { authorization: `Bearer ${await someone.token()}`, 'content-type': 'application/json' }
  expect((await fetch(`${stack.dataUrl}/transactions`, { method: 'POST', headers, body: JSON.stringify({ name, amount: -1 }) })).status).toBe(201)
}
const stored = async (name: string) => (await stack.sql.query('select user_id from api.transactions where name = $1', [name])).rows

describe('Ann deletes her account', () => {
  test('with her password and the link of a mail; every session, every token and everything personal is gone', async () => {
    const ann = await signedIn(stack, 'Ann')
    const phone = person(stack, 'Ann', ann.email)
    await phone.signIn()
    const authorization = `Bearer ${await phone.token()}`
    await store(ann, 'Her own')
    const link = await asked(ann)
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

  test('and nothing happens before the link is confirmed, whoever opens it', async () => {
    const ann = await signedIn(stack, 'Ann')
    const link = await asked(ann)
    for (const method of ['GET', 'HEAD']) {
      const answer = await ann.call(method, `/confirm-delete-account${link.search}`, undefined, { accept: 'text/html' })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toContain('text/html')
    }
    expect((await ann.get('/get-session')).status).toBe(200)
  })

  test('not with a wrong password, and no mail is sent', async () => {
    const ann = await signedIn(stack, 'Ann')
    expect(await ann.post('/delete-account', { password: 'wrong' })).toMatchObject({ status: 400, body: { error: 'INVALID_PASSWORD' } })
    expect((await stack.sql.query('select from auth.verifications where value = $1', [await ann.id()])).rowCount).toBe(0)
  })

  test('not without a password once her sign-in is older than ten minutes, and no mail is sent', async () => {
    const ann = await signedIn(stack, 'Ann')
    await stack.sql.query(`update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`, [await ann.id()])
    expect(await ann.post('/delete-account', {})).toMatchObject({ status: 403, body: { error: 'FRESH_SIGN_IN_REQUIRED' } })
    expect((await stack.sql.query('select from auth.verifications where value = $1', [await ann.id()])).rowCount).toBe(0)
  })

  test('neither signed out nor by whoever else has the link', async () => {
    const ann = await signedIn(stack, 'Ann')
    const eve = await signedIn(stack, 'Eve')
    const token = tokenOf(await asked(ann))
    expect((await person(stack).post('/confirm-delete-account', { token })).status).toBe(401)
    expect(await eve.post('/confirm-delete-account', { token })).toMatchObject(refused)
    for (const someone of [ann, eve]) expect((await someone.get('/get-session')).status).toBe(200)
    // the token is left for its owner
    expect((await ann.post('/confirm-delete-account', { token })).status).toBe(200)
    expect((await eve.get('/get-session')).status).toBe(200)
  })

  test('not with a token that was made up or has ended', async () => {
    const ann = await signedIn(stack, 'Ann')
    const token = tokenOf(await asked(ann))
    await stack.sql.query(`update auth.verifications set expires_at = now() - interval '1 second'`)
    for (const wrong of [token, 'a'.repeat(32)]) expect(await ann.post('/confirm-delete-account', { token: wrong })).toMatchObject(refused)
    expect((await ann.get('/get-session')).status).toBe(200)
  })
})

describe('who owns organizations', () => {
  test('learns first what becomes of them, and so it comes: the member of the highest role owns it, and the rows stay', async () => {
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
    expect(mail.text).toContain('“Alone”, which you own, stays without anybody in it.')
    await owner.post('/confirm-delete-account', { token: tokenOf(new URL(linkIn(mail))) })
    expect((await admin.get('/organization/list')).body[0].role).toBe('owner')
    expect((await viewer.get('/organization/list')).body[0].role).toBe('viewer')
    expect(await stored('Of the team')).toEqual([{ user_id: null }])
  })
})
