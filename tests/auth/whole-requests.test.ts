/**
 * Each request that writes is stored whole or not at all: the database ends the connection before
 * each of its statements. Then the response is 503, nothing has changed, and the client keeps its
 * cookies, until the request is complete.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { routes } from '../../auth/rooms.ts'
import { currentRequest } from '../../http/policy.ts'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { authenticator, withTwoFactors } from '../support/authenticator-app.ts'
import { linksIn } from '../support/mail-sink.ts'
import { callbackFromProvider, oidcProvider, type TestProvider } from '../support/oidc.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import {
  password,
  person,
  signedIn,
  subscribed,
  team,
  type Answer,
  type Person,
} from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

/** The statement of a request before which its connection ends, counted from 1; 0 for none. */
let cutBefore = 0
let statements = 0

// oxlint-disable-next-line typescript/unbound-method -- called with `apply`
const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
async function cutThenQuery(client: pg.Client, args: unknown[]): Promise<unknown> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  client.once('end', resolve)
  await stack.sql.query('select pg_terminate_backend($1)', [
    (client as unknown as { processID: number }).processID,
  ])
  await ended
  return query.apply(client, args)
}

let provider: TestProvider
let stack: Stack
beforeAll(async () => {
  // before the service opens its connections
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(
    function counted(this: pg.Client, ...args: unknown[]): unknown {
      if (
        cutBefore === 0 || currentRequest.getStore() === undefined ||
        typeof args.at(-1) === 'function'
      ) return query.apply(this, args)
      statements += 1
      return statements === cutBefore ? cutThenQuery(this, args) : query.apply(this, args)
    },
  )
  provider = await oidcProvider()
  // no round of webhooks between two reads of the tables
  stack = await startStack({
    env: provider.env,
    receivers: localReceivers,
    webhookPauseMs: 3_600_000,
  })
  provider.serve(stack.publicUrl)
})
afterAll(async () => {
  await stack.close()
  await provider.close()
  vi.restoreAllMocks()
})

/** Tables that other requests and the service itself write. */
const others = ['auth.rate_limits']

/** Returns all rows of the tables. */
async function stored(without: string[] = []): Promise<Record<string, unknown>> {
  const { rows: tables } = await stack.sql.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('auth', 'api', 'private') order by 1`,
  )
  const found = await Promise.all(
    tables.filter(({ name }) => ![...others, ...without].includes(name)).map(async ({ name }) => {
      const isOwn = name === 'private.jobs'
        ? `where task not in ('housekeeping', 'log_signing_key', 'download_rates')`
        : ''
      const { rows } = await stack.sql.query(
        `select to_jsonb(t) as row from ${name} t ${isOwn} order by 1`,
      )
      return [name, rows] as const
    }),
  )
  return Object.fromEntries(found)
}

const count = async (sql: string) =>
  Number((await stack.sql.query<{ count: string }>(sql)).rows[0]?.count)
/**
 * Waits until the mails of earlier requests are sent, and deletes the tenants that housekeeping
 * would delete during a request.
 */
const settled = async () => {
  await expect.poll(() =>
    count(
      `select count(*) from private.jobs where task in ('send_mail', 'request_password_reset', 'request_verification', 'queue_notice')`,
    )
  )
    .toBe(0)
  await stack.sql.query('select private.forget_tenants()')
}

const linked = async (to: string, part: string) =>
  new URL(
    linksIn(await stack.mail.waitFor(to, ({ text }) => text.includes(part))).find((link) =>
      link.includes(part)
    ) ?? '',
  )
const tokenOf = async (to: string, part: string) =>
  (await linked(to, part)).searchParams.get('token')
const userOf = ({ email }: Person) => person(stack, 'Ann', email)
const unverified = async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  return ann
}
const visitor = () => person(stack, 'Visitor')

type Request = { by: Person, body?: object | (() => Promise<object>), path?: () => Promise<string> }
type Case = Request & {
  /** Whether an attempt uses its challenge up even if it fails. */
  spends?: true
}

/** Ann with a second factor, after the password in another browser. */
async function beforeTheCode() {
  const { user, app, backupCodes } = await withTwoFactors(stack, 'Ann')
  const browser = userOf(user)
  await browser.signIn()
  return { browser, app, backupCodes }
}
async function annWithPasskey() {
  const [ann, phone] = [await signedIn(stack, 'Ann'), passkeyDevice(stack.publicUrl)]
  const options = (await ann.post('/passkey/generate-register-options', {})).body
  const { body } = await ann.post('/passkey/verify-registration', {
    response: phone.create(options),
    name: 'Phone',
  })
  return { ann, phone, passkeyId: body.id as string }
}
async function invited() {
  const { id, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  const { body } = await owner.post('/organization/invite-member', {
    organizationId: id,
    email: bob.email,
    role: 'editor',
  })
  return { owner, bob, invitationId: body.id as string }
}
async function emailChange() {
  const ann = await signedIn(stack, 'Ann')
  const to = `new-${ann.email}`
  await ann.post('/request-email-change', { newEmail: to, password })
  return { ann, to }
}
const webhook = (user: Person) =>
  user.post('/webhook/create', {
    name: 'Hook',
    url: 'http://127.0.0.1:9/hook',
    tables: null,
    password,
  })
async function annWithWebhook() {
  const ann = await signedIn(stack, 'Ann')
  return { ann, webhookId: (await webhook(ann)).body.id as string }
}

/** A request of each route that writes. */
const cases: Record<string, () => Promise<Case>> = {
  'POST /sign-up/email': async () => {
    const ann = visitor()
    return { by: ann, body: { email: ann.email, password, name: 'Ann' } }
  },
  'POST /sign-in/email': async () => {
    const ann = userOf(await unverified())
    return { by: ann, body: { email: ann.email, password } }
  },
  'GET /verify-email': async () => {
    const { search } = await linked((await unverified()).email, '/verify-email')
    return { by: visitor(), path: () => Promise.resolve(`/verify-email${search}`) }
  },
  'POST /disown-account': async () => ({
    by: visitor(),
    body: { token: await tokenOf((await unverified()).email, '/disown-account') },
  }),
  'POST /send-verification-email': async () => ({
    by: visitor(),
    body: { email: (await unverified()).email },
  }),
  'POST /forget-password': async () => ({
    by: visitor(),
    body: { email: (await signedIn(stack, 'Ann')).email },
  }),
  'POST /reset-password': async () => {
    const ann = await signedIn(stack, 'Ann')
    await webhook(ann)
    await visitor().post('/forget-password', { email: ann.email })
    return {
      by: visitor(),
      body: { token: await tokenOf(ann.email, '/reset-password'), password: 'battery staple' },
    }
  },
  'POST /change-password': async () => {
    const ann = await signedIn(stack, 'Ann')
    await userOf(ann).signIn()
    return { by: ann, body: { currentPassword: password, newPassword: 'battery staple' } }
  },
  'POST /update-user': async () => ({
    by: await signedIn(stack, 'Ann'),
    body: { name: 'Ann Example' },
  }),
  'POST /request-email-change': async () => {
    const ann = await signedIn(stack, 'Ann')
    return { by: ann, body: { newEmail: `new-${ann.email}`, password } }
  },
  'POST /confirm-email-change': async () => ({
    by: visitor(),
    body: { token: await tokenOf((await emailChange()).to, '/confirm-email-change') },
  }),
  'POST /stop-email-change': async () => {
    const { ann, to } = await emailChange()
    await visitor().post('/confirm-email-change', {
      token: await tokenOf(to, '/confirm-email-change'),
    })
    return { by: visitor(), body: { token: await tokenOf(ann.email, '/stop-email-change') } }
  },
  'POST /delete-account': async () => ({
    by: (await team(stack, ['editor'])).owner,
    body: { password },
  }),
  'POST /confirm-delete-account': async () => {
    const { owner } = await team(stack, ['editor', 'admin'])
    await stack.sql.query(
      `insert into api.transactions (user_id, organization_id, name, amount, currency)
        select u.id, o.id, 'Rent', -1, 'usd' from auth.users u cross join (select null as id union all select organization_id from auth.members m join auth.users u on u.id = m.user_id where u.email = $1) o
        where u.email = $1`,
      [owner.email],
    )
    await owner.post('/delete-account', { password })
    return { by: owner, body: { token: await tokenOf(owner.email, '/confirm-delete-account') } }
  },
  'POST /sign-out': async () => ({ by: await signedIn(stack, 'Ann') }),
  'POST /revoke-session': async () => {
    const ann = await signedIn(stack, 'Ann')
    return { by: ann, body: { sessionId: (await userOf(ann).signIn()).body.session.id } }
  },
  'POST /revoke-other-sessions': async () => {
    const ann = await signedIn(stack, 'Ann')
    for (const browser of [userOf(ann), userOf(ann)]) await browser.signIn()
    return { by: ann }
  },
  'POST /two-factor/enable': async () => ({ by: await signedIn(stack, 'Ann'), body: { password } }),
  'POST /two-factor/verify-totp': async () => {
    const { browser, app } = await beforeTheCode()
    await stack.sql.query('update auth.two_factors set last_step = 0')
    return { by: browser, body: () => Promise.resolve({ code: app.code(), trustDevice: true }) }
  },
  'POST /two-factor/verify-totp, the first code': async () => {
    const ann = await signedIn(stack, 'Ann')
    await userOf(ann).signIn()
    const app = authenticator((await ann.post('/two-factor/enable', { password })).body.totp_uri)
    return { by: ann, body: () => Promise.resolve({ code: app.code() }) }
  },
  'POST /two-factor/verify-backup-code': async () => {
    const { browser, backupCodes: [code] } = await beforeTheCode()
    return { by: browser, body: { code } }
  },
  'POST /two-factor/generate-backup-codes': async () => ({
    by: (await withTwoFactors(stack, 'Ann')).user,
    body: { password },
  }),
  'POST /two-factor/disable': async () => ({
    by: (await withTwoFactors(stack, 'Ann')).user,
    body: { password },
  }),
  'POST /passkey/generate-register-options': async () => ({
    by: await signedIn(stack, 'Ann'),
    body: { password },
  }),
  'POST /passkey/verify-registration': async () => {
    const [ann, phone] = [await signedIn(stack, 'Ann'), passkeyDevice(stack.publicUrl)]
    const body = async () => ({
      response: phone.create((await ann.post('/passkey/generate-register-options', {})).body),
      name: 'Phone',
    })
    return { by: ann, spends: true, body }
  },
  'POST /passkey/generate-authenticate-options': async () => ({ by: visitor(), body: {} }),
  'POST /passkey/verify-authentication': async () => {
    const [{ phone }, browser] = [await annWithPasskey(), visitor()]
    const body = async () => ({
      response: phone.get((await browser.post('/passkey/generate-authenticate-options', {})).body),
    })
    return { by: browser, spends: true, body }
  },
  'POST /passkey/update': async () => {
    const { ann, passkeyId } = await annWithPasskey()
    return { by: ann, body: { passkeyId, name: 'Laptop' } }
  },
  'POST /passkey/delete': async () => {
    const { ann, passkeyId } = await annWithPasskey()
    await ann.post('/passkey/require', { required: true, password })
    return { by: ann, body: { passkeyId, password } }
  },
  'POST /passkey/require': async () => {
    const { ann } = await annWithPasskey()
    await userOf(ann).signIn()
    return { by: ann, body: { required: true, password } }
  },
  'POST /remove-password': async () => ({ by: (await annWithPasskey()).ann, body: { password } }),
  'POST /sign-in/oidc': async () => ({ by: visitor(), body: {} }),
  'GET /callback/oidc': async () => {
    const ann = visitor()
    provider.people.set('ann', { email: ann.email, email_verified: true, name: 'Ann' })
    return {
      by: ann,
      spends: true,
      path: async () => `/callback/oidc${(await callbackFromProvider(ann, 'ann')).search}`,
    }
  },
  'POST /organization/create': async () => ({
    by: await subscribed(stack, 'Ann'),
    body: { name: 'The Household' },
  }),
  'PATCH /organization/update': async () => {
    const { id: organizationId, owner } = await team(stack, [])
    return { by: owner, body: { organizationId, name: 'The New Household' } }
  },
  'DELETE /organization/delete': async () => {
    const { id: organizationId, owner } = await team(stack, ['editor'])
    await stack.sql.query(
      `insert into api.transactions (organization_id, name, amount, currency) values ($1, 'Rent', -1, 'usd')`,
      [organizationId],
    )
    return { by: owner, body: { organizationId } }
  },
  'POST /organization/set-active': async () => ({
    by: (await team(stack, [])).owner,
    body: { organizationId: null },
  }),
  'PATCH /organization/update-member-role': async () => {
    const { id: organizationId, owner, admin } = await team(stack, ['admin'])
    return { by: owner, body: { organizationId, userId: await admin.id(), role: 'viewer' } }
  },
  'POST /organization/remove-member': async () => {
    const { id: organizationId, owner, editor } = await team(stack, ['editor'])
    return { by: owner, body: { organizationId, userId: await editor.id() } }
  },
  'POST /organization/leave': async () => {
    const { id: organizationId, editor } = await team(stack, ['editor'])
    return { by: editor, body: { organizationId } }
  },
  'POST /organization/transfer-ownership': async () => {
    const { id: organizationId, owner, editor } = await team(stack, ['editor'])
    return { by: owner, body: { organizationId, userId: await editor.id() } }
  },
  'POST /organization/invite-member': async () => {
    const { id: organizationId, owner } = await team(stack, [])
    return { by: owner, body: { organizationId, email: 'guest@example.org', role: 'viewer' } }
  },
  'POST /organization/accept-invitation': async () => {
    const { owner } = await team(stack, [])
    const guest = await unverified()
    const [{ id: organizationId }] = (await owner.get('/organization/list')).body
    const { body } = await owner.post('/organization/invite-member', {
      organizationId,
      email: guest.email,
      role: 'editor',
    })
    return {
      by: guest,
      body: { invitationId: body.id, token: await tokenOf(guest.email, '/accept-invitation') },
    }
  },
  'POST /organization/reject-invitation': async () => {
    const { bob, invitationId } = await invited()
    return { by: bob, body: { invitationId } }
  },
  'POST /organization/cancel-invitation': async () => {
    const { owner, invitationId } = await invited()
    return { by: owner, body: { invitationId } }
  },
  'POST /api-key/create': async () => ({
    by: await signedIn(stack, 'Ann'),
    body: { name: 'Program', role: 'viewer', expiresInDays: 30, password },
  }),
  'POST /api-key/revoke': async () => {
    const ann = await signedIn(stack, 'Ann')
    return {
      by: ann,
      body: {
        keyId: (await ann.post('/api-key/create', {
          name: 'Program',
          role: 'viewer',
          expiresInDays: 30,
          password,
        })).body.id,
      },
    }
  },
  'POST /webhook/create': async () => ({
    by: await signedIn(stack, 'Ann'),
    body: { name: 'Hook', url: 'http://127.0.0.1:9/hook', tables: null, password },
  }),
  'POST /webhook/enable': async () => {
    const { ann, webhookId } = await annWithWebhook()
    await stack.sql.query('update auth.webhooks set disabled_at = now()')
    return { by: ann, body: { webhookId } }
  },
  'POST /webhook/rotate-secret': async () => {
    const { ann, webhookId } = await annWithWebhook()
    return { by: ann, body: { webhookId, password } }
  },
  'POST /webhook/delete': async () => {
    const { ann, webhookId } = await annWithWebhook()
    return { by: ann, body: { webhookId } }
  },
  'POST /calendar/create': async () => ({
    by: await signedIn(stack, 'Ann'),
    body: { name: 'Due', password },
  }),
  'POST /calendar/revoke': async () => {
    const ann = await signedIn(stack, 'Ann')
    return {
      by: ann,
      body: { calendarId: (await ann.post('/calendar/create', { name: 'Due', password })).body.id },
    }
  },
}

/**
 * Routes that are no GET and store nothing, or not in one request: tests/auth/files.test.ts has the
 * parts of a file.
 */
const exceptions = ['POST /token', 'POST /webhook/test', 'PUT /files/{ticket}']

test('each route that writes has a case', () => {
  const writing = routes.filter(({ method, isAtomic }) => method !== 'GET' || isAtomic === true)
    .map(({ method, path }) => `${method} ${path}`)
  const covered = Object.keys(cases).map((name) => name.split(',')[0])
  expect(new Set([...covered, ...exceptions])).toEqual(new Set([...writing, 'GET /callback/oidc']))
})

test.each(Object.keys(cases))(
  'a lost connection between any two statements of %s changes nothing, and the response is 503 until the request is complete',
  async (name) => {
    const [method = '', route = ''] = name.split(/,? /)
    const { by, body, path, spends } = await cases[name]?.() ?? expect.fail()
    const hidden = spends ? ['auth.verifications'] : []
    const codes: number[] = []
    for (let before = 1; codes.at(-1) !== 200; before++) {
      const at = await path?.() ?? route
      const sent = typeof body === 'function' ? await body() : body
      await settled()
      const [rows, cookies] = [await stored(hidden), new Map(by.cookies)]
      let answer: Answer
      try {
        ;[cutBefore, statements] = [before, 0]
        answer = await by.call(method, at, sent)
      } finally {
        cutBefore = 0
      }
      codes.push(answer.status)
      if (answer.status === 200) break
      expect(answer, `before statement ${before}`).toMatchObject({
        status: 503,
        body: { error: 'SERVICE_BUSY' },
      })
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(await stored(hidden), `before statement ${before}`).toEqual(rows)
      if (!spends) expect(by.cookies).toEqual(cookies)
    }
    expect(codes.length).toBeGreaterThan(1)
  },
  600_000,
)
