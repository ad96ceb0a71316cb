/** Events of accounts and of team memberships: listed, and mailed if they open an account. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withTwoFactors } from '../support/authenticator-app.ts'
import { linkIn, type ReceivedMail } from '../support/mail-sink.ts'
import { password, person, signedIn, subscribed, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
})
afterAll(() => stack.close())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
type Device = { agent: string, address: string }
const home = { agent: firefox, address: '203.0.113.7' }
const headersOf = ({ agent, address }: Device) => ({
  'user-agent': agent,
  'x-forwarded-for': address,
})
/** Signs in the same user with another browser. */
const signIn = async (user: Person, device: Device) => {
  const elsewhere = person(stack, user.name, user.email)
  expect(
    (await elsewhere.post('/sign-in/email', { email: user.email, password }, headersOf(device)))
      .status,
  ).toBe(200)
  return elsewhere
}
const eventsOf = async (user: Person) =>
  (await user.get('/list-events')).body as Record<string, any>[]
const membershipOf = async (user: Person, organizationId: string) =>
  (await user.get(`/organization/list-events?organizationId=${organizationId}`)).body as Record<
    string,
    any
  >[]
/** Returns the notices mailed to a user, after all pending notices are sent. */
const noticesTo = async (email: string, of: Stack = stack): Promise<ReceivedMail[]> => {
  const waiting = () =>
    of.sql.query(`select from private.jobs where task in ('queue_notice', 'send_mail')`)
      .then(({ rowCount }) => rowCount)
  await expect.poll(waiting, { timeout: 20_000 }).toBe(0)
  return of.mail.mails().filter((mail) =>
    mail.to === email && /UTC.*If this was you/.test(mail.text)
  )
}
const subjectsTo = async (email: string, of?: Stack) =>
  (await noticesTo(email, of)).map(({ subject }) => subject).toSorted()

test('a sign-in on a new device is mailed with the device, the address, the time and advice', async () => {
  const ann = await signedIn(stack, 'Ann')
  await signIn(ann, home)
  const mail = await stack.mail.waitFor(
    ann.email,
    ({ subject }) => subject === 'A new device signed in',
  )
  expect(mail.text).toMatch(
    /signed in to your \S+ account on \d+ \w+ \d{4} at \d\d:\d\d UTC, using Firefox on Linux \(IP address 203\.0\.113\.7\)\./,
  )
  expect(mail.text).toContain('Forgot your password?')
  expect(linkIn(mail)).toBe(`${stack.publicUrl}/`)
  const [event] = await eventsOf(ann)
  expect(event).toEqual({
    id: expect.any(String),
    kind: 'signed_in',
    happened_at: expect.any(String),
    ip_address: '203.0.113.7',
    user_agent: firefox,
    new_device: true,
  })
})

test.each<[string, Device, boolean]>([
  ['the same device', home, false],
  ['the same device after an update', { ...home, agent: firefox.replaceAll('140', '141') }, false],
  ['the same device from elsewhere in its network', { ...home, address: '203.0.7.1' }, false],
  ['the same device from another network', { ...home, address: '198.51.100.7' }, true],
  ['another device at the same address', { ...home, agent: safari }, true],
])('a sign-in on %s', async (_, device, isNew) => {
  const ann = await signedIn(stack, 'Ann')
  await signIn(ann, home)
  await signIn(ann, device)
  expect((await eventsOf(ann))[0]).toMatchObject({ kind: 'signed_in', new_device: isNew })
  expect(await subjectsTo(ann.email)).toHaveLength(isNew ? 2 : 1)
})

test.each([['2001:db8:7::1', false], ['2001:db9::1', true]])(
  'a sign-in over IPv6 from %s',
  async (address, isNew) => {
    const ann = await signedIn(stack, 'Ann')
    await signIn(ann, { ...home, address: '2001:db8::1' })
    await signIn(ann, { ...home, address })
    expect((await eventsOf(ann))[0]).toMatchObject({ new_device: isNew })
  },
)

test('a sign-in after sign-up, and the first sign-in, send no mail', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  await ann.verify()
  await ann.signIn()
  expect(await eventsOf(ann)).toMatchObject([{ kind: 'signed_in', new_device: false }, {
    kind: 'signed_in',
    new_device: false,
  }])
  expect(await noticesTo(ann.email)).toEqual([])
})

test('a sign-in with an unverified address is listed but not mailed, because the address may belong to another person', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  await signIn(ann, home)
  expect((await eventsOf(ann))[0]).toMatchObject({ new_device: true })
  expect(await noticesTo(ann.email)).toEqual([])
})

test('a sign-in after all earlier devices were forgotten counts as a new device', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(
    `update auth.users set created_at = now() - interval '2 years' where email = $1`,
    [ann.email],
  )
  await stack.sql.query('delete from auth.events where user_id = $1', [await ann.id()])
  await signIn(ann, home)
  expect((await eventsOf(ann))[0]).toMatchObject({ new_device: true })
})

test('a sign-in by a program with a different user agent each time is mailed five times a day and always listed', async () => {
  const ann = await signedIn(stack, 'Ann')
  for (const agent of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await signIn(ann, { ...home, agent })
  expect(await subjectsTo(ann.email)).toHaveLength(5)
  expect((await eventsOf(ann)).filter(({ new_device: isNew }) => isNew)).toHaveLength(7)
})

test('a sign-in with only the password of two factors is no event before the code', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const before = await eventsOf(ann)
  const elsewhere = person(stack, 'Ann', ann.email)
  expect(
    (await elsewhere.post('/sign-in/email', { email: ann.email, password }, headersOf(home))).body
      .error,
  ).toBe('SECOND_FACTOR_REQUIRED')
  expect(await eventsOf(ann)).toEqual(before)
  expect(
    (await elsewhere.post('/two-factor/verify-totp', { code: app.code() }, headersOf(home))).status,
  ).toBe(200)
  expect((await eventsOf(ann))[0]).toMatchObject({
    kind: 'signed_in',
    new_device: true,
    ip_address: home.address,
  })
})

test('a sign-in stores a user agent of any length', async () => {
  const ann = await signedIn(stack, 'Ann')
  await signIn(ann, { ...home, agent: `www.evil.example <b>\u00e9${'x'.repeat(4_000)}` })
  const { text, html } = await stack.mail.waitFor(ann.email)
  expect(text + html).not.toContain('evil')
  expect(String((await eventsOf(ann))[0]?.['user_agent'])).toHaveLength(512)
})

test('a change of an account of the password is listed with its place and mailed, and is not a sign-in', async () => {
  const ann = await signedIn(stack, 'Ann')
  await ann.post(
    '/change-password',
    { currentPassword: password, newPassword: 'something else' },
    headersOf(home),
  )
  await stack.mail.waitFor(ann.email, ({ subject }) => subject === 'Your password was changed')
  expect(await eventsOf(ann)).toMatchObject([{
    kind: 'password_changed',
    ip_address: '203.0.113.7',
    user_agent: firefox,
  }, { kind: 'signed_in' }])
})

test('a change of an account of the password by a mailed link is mailed with the device and the address that set it', async () => {
  const ann = await signedIn(stack, 'Ann')
  await ann.post('/forget-password', { email: ann.email })
  const token = new URL(linkIn(await stack.mail.waitFor(ann.email))).searchParams.get('token')
  await person(stack).post(
    '/reset-password',
    { token, password: 'something else' },
    headersOf({ ...home, agent: safari }),
  )
  const mail = await stack.mail.waitFor(
    ann.email,
    ({ subject }) => subject === 'Your password was changed',
  )
  expect(mail.text).toContain('using Safari on iPhone (IP address 203.0.113.7)')
})

test('a change of an account of the address is mailed to the old one; stopping it removes the password, which is mailed too', async () => {
  const ann = await signedIn(stack, 'Ann')
  const linkTo = async (email: string, path: string) =>
    new URL(linkIn(await stack.mail.waitFor(email, ({ text }) => text.includes(path)))).searchParams
      .get('token')
  const newEmail = `new-${randomUUID()}@example.net`
  await ann.post('/request-email-change', { newEmail, password })
  await ann.post('/confirm-email-change', { token: await linkTo(newEmail, 'confirm-email-change') })
  const mail = await stack.mail.waitFor(
    ann.email,
    ({ subject }) => subject === 'Your email address was changed',
  )
  expect(mail.text).not.toContain(newEmail)
  expect((await eventsOf(ann))[0]).toMatchObject({
    kind: 'email_changed',
    email: newEmail,
    previous_email: ann.email,
  })
  expect(await noticesTo(newEmail)).toEqual([])
  await ann.post('/stop-email-change', { token: await linkTo(ann.email, 'stop-email-change') })
  expect(await subjectsTo(ann.email)).toEqual(['Your email address was changed'])
  const { rows } = await stack.sql.query(
    `select kind from auth.events where detail ->> 'email' = $1 or kind = 'password_removed' order by happened_at`,
    [
      ann.email,
    ],
  )
  expect(rows.map(({ kind }) => kind)).toEqual(['email_changed', 'password_removed'])
})

test('a change of an account by the operator in SQL is mailed without an actor, whatever the connection was used for before', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(`update auth.users set email = 'other-' || email where email = $1`, [
    ann.email,
  ])
  await stack.mail.waitFor(ann.email, ({ subject }) => subject === 'Your email address was changed')
  expect((await eventsOf(ann))[0]).toMatchObject({
    kind: 'email_changed',
    ip_address: null,
    user_agent: null,
  })
})

test('a change of an account by linking or unlinking another way to sign in is recorded; the first one belongs to the sign-up', async () => {
  const ann = await signedIn(stack, 'Ann')
  const id = await ann.id()
  await stack.sql.query(
    `insert into auth.accounts (id, account_id, provider_id, user_id) values ($1, $1, 'oidc', $2)`,
    [randomUUID(), id],
  )
  await stack.sql.query(`delete from auth.accounts where provider_id = 'oidc' and user_id = $1`, [
    id,
  ])
  expect((await eventsOf(ann)).slice(0, 2)).toMatchObject([{
    kind: 'account_unlinked',
    name: 'oidc',
  }, { kind: 'account_linked', name: 'oidc' }])
  expect(await subjectsTo(ann.email)).toEqual([
    'A sign-in method was added',
    'A sign-in method was removed',
  ])
})

test('a change of an account in another table is recorded after one line of SQL', async () => {
  const ann = await signedIn(stack, 'Ann')
  const id = await ann.id()
  await stack.sql.query(`
      create table auth.phones (owner_id text references auth.users (id) on delete cascade, name text);
      create trigger phones_added after insert on auth.phones for each row execute function private.record_event('passkey_added', 'owner_id');
      create trigger phones_deleted after delete on auth.phones for each row execute function private.record_event('passkey_deleted', 'owner_id')`)
  await stack.sql.query('insert into auth.phones values ($1, $2)', [id, 'A '.repeat(500)])
  await stack.sql.query('delete from auth.phones')
  await stack.sql.query('insert into auth.phones values ($1, $2)', [id, null])
  expect(await eventsOf(ann)).toMatchObject([
    { kind: 'passkey_added' },
    { kind: 'passkey_deleted', name: 'A '.repeat(100) },
    { kind: 'passkey_added' },
    { kind: 'signed_in' },
  ])
  expect(await subjectsTo(ann.email)).toEqual([
    'A passkey was added',
    'A passkey was added',
    'A passkey was deleted',
  ])
  // The deletion of the account cascades to the row and writes no event.
  await stack.sql.query('delete from auth.users where id = $1', [id])
  expect(
    (await stack.sql.query(
      'select from auth.events where user_id = $1 or user_id is null and organization_id is null',
      [id],
    )).rowCount,
  ).toBe(0)
})

test('the events of a team list for its owner and admins who joined, left, was removed or changed roles, and who did it', async () => {
  const { id, owner, admin, editor, viewer } = await team(stack, ['admin', 'editor', 'viewer'])
  const [ownerId, adminId, editorId, viewerId] = await Promise.all([
    owner.id(),
    admin.id(),
    editor.id(),
    viewer.id(),
  ])
  await admin.patch('/organization/update-member-role', {
    organizationId: id,
    userId: editorId,
    role: 'viewer',
  })
  await admin.patch('/organization/update-member-role', {
    organizationId: id,
    userId: editorId,
    role: 'viewer',
  })
  await owner.post('/organization/remove-member', { organizationId: id, userId: viewerId })
  await editor.post('/organization/leave', { organizationId: id })
  await owner.post('/organization/transfer-ownership', { organizationId: id, userId: adminId })
  const [Owner, Admin, Editor, Viewer] = [[ownerId, 'Owner'], [adminId, 'admin'], [
    editorId,
    'editor',
  ], [viewerId, 'viewer']].map(([who, name]) => ({
    id: who,
    name,
  }))
  const events = await membershipOf(admin, id)
  const facts = events.map(({ id: _id, happened_at: _at, ...rest }) => rest)
  expect(facts.slice(0, 5)).toEqual([
    {
      kind: 'ownership_transferred',
      user: Admin,
      actor: Owner,
      role: 'owner',
      previous_role: 'admin',
    },
    { kind: 'role_changed', user: Owner, actor: Owner, role: 'admin', previous_role: 'owner' },
    { kind: 'member_left', user: Editor, actor: Editor, previous_role: 'viewer' },
    { kind: 'member_removed', user: Viewer, actor: Owner, previous_role: 'viewer' },
    { kind: 'role_changed', user: Editor, actor: Admin, role: 'viewer', previous_role: 'editor' },
  ])
  expect(facts.slice(5).map(({ kind }) => kind)).toEqual(Array(4).fill('member_joined'))
  expect(facts.at(-1)).toEqual({ kind: 'member_joined', user: Owner, actor: Owner, role: 'owner' })
  expect(await membershipOf(owner, id)).toEqual(events)
  expect((await eventsOf(editor)).map(({ kind }) => kind)).toEqual(['signed_in'])
})

test('the events of a team are hidden from other users, and contain no client addresses', async () => {
  const { id, owner, editor, viewer } = await team(stack, ['editor', 'viewer'])
  const path = `/organization/list-events?organizationId=${id}`
  for (const member of [editor, viewer])
    expect(await member.get(path)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
  const other = await team(stack, [])
  expect(await other.owner.get(path)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } })
  expect((await person(stack).get(path)).status).toBe(401)
  await signIn(editor, { ...home, agent: safari })
  expect(JSON.stringify(await membershipOf(owner, id))).not.toMatch(
    /signed_in|203\.0\.113|127\.0\.0\.1|agent/,
  )
  await owner.post('/organization/remove-member', { organizationId: id, userId: await editor.id() })
  expect((await editor.get(path)).status).toBe(404)
})

test('the events of a team remain without a name after a member’s account is deleted, and record the transfer of the ownership', async () => {
  const { id, owner, admin, editor } = await team(stack, ['admin', 'editor'])
  for (const member of [editor, owner]) {
    await member.post('/delete-account', { password })
    const link = linkIn(
      await stack.mail.waitFor(member.email, ({ text }) => text.includes('confirm-delete-account')),
    )
    expect(
      (await member.post('/confirm-delete-account', {
        token: new URL(link).searchParams.get('token'),
      })).status,
    ).toBe(200)
  }
  const events = await membershipOf(admin, id)
  const lines = events.map(({ kind, user, actor }) => `${kind}: ${user?.name}, by ${actor?.name}`)
  const nameless = 'member_left: undefined, by undefined'
  expect(lines.slice(0, 3)).toEqual([
    'ownership_transferred: admin, by undefined',
    nameless,
    nameless,
  ])
  expect(new Set(lines.slice(3))).toEqual(
    new Set(['member_joined: undefined, by undefined', 'member_joined: admin, by admin']),
  )
})

test('the events of a team are deleted with the team', async () => {
  const { id, owner } = await team(stack, ['viewer'])
  expect((await owner.delete('/organization/delete', { organizationId: id })).status).toBe(200)
  expect(
    (await stack.sql.query('select from auth.events where organization_id = $1', [id])).rowCount,
  ).toBe(0)
})

test('the list of events returns each event once, page by page, without gaps', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(
    `insert into auth.events (user_id, kind, happened_at) select $1, 'password_changed', now() - n / 3 * interval '1 second' from generate_series(1, 120) n`,
    [await ann.id()],
  )
  const ids: string[] = []
  for (let path = '/list-events';;) {
    const { body } = await ann.get(path)
    if (body.length === 0) break
    ids.push(...body.map(({ id }: { id: string }) => id))
    path = `/list-events?limit=7&before=${ids.at(-1)}`
  }
  expect(ids).toHaveLength(121)
  expect(new Set(ids).size).toBe(121)
  expect((await ann.get('/list-events?limit=100')).body.map(({ id }: { id: string }) => id))
    .toEqual(ids.slice(0, 100))
})

test.each(['limit=0', 'limit=101', 'limit=1.5', 'limit=x', 'limit=', 'before='])(
  'the list of events refuses %s',
  async (query) => {
    const ann = await signedIn(stack, 'Ann')
    expect(await ann.get(`/list-events?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'VALIDATION_ERROR' },
    })
  },
)

test('the list of events cannot be paged from an event of another user or of an organization', async () => {
  const [ann, bob] = [await subscribed(stack, 'Ann'), await signedIn(stack, 'Bob')]
  const { body: { id } } = await ann.post('/organization/create', { name: 'The Team' })
  const ofAnn = (await eventsOf(ann))[0]?.['id']
  const ofTeam = (await membershipOf(ann, id))[0]?.['id']
  for (
    const path of [
      `/list-events?before=${ofTeam}`,
      `/organization/list-events?organizationId=${id}&before=${ofAnn}`,
      '/list-events?before=x',
    ]
  ) {
    expect(await ann.get(path)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } })
  }
  expect((await bob.get(`/list-events?before=${ofAnn}`)).status).toBe(404)
  expect((await person(stack).get('/list-events')).status).toBe(401)
})

test('the auth service may not insert or change events itself', async () => {
  const rights = await stack.sql.query(
    `select p from unnest(array['insert', 'update', 'truncate']) p where has_table_privilege('auth_service', 'auth.events', p)`,
  )
  expect(rights.rows).toEqual([])
})

test('two services mail each notice once, and a provider that is down delays it', async () => {
  await using both = await startStack()
  await both.startAnotherAuth()
  both.mail.mode = 'down'
  const people = await Promise.all(
    ['Ann', 'Bob', 'Cleo', 'Dan', 'Eve', 'Finn'].map((name) => signedIn(both, name)),
  )
  await both.sql.query(
    `update auth.accounts set password = repeat('0', 32) || ':' || repeat('0', 128)`,
  )
  await expect.poll(() => both.mail.requests(), { timeout: 20_000 }).toBeGreaterThan(0)
  both.mail.mode = 'ok'
  for (const { email } of people)
    expect(await subjectsTo(email, both)).toEqual(['Your password was changed'])
})
