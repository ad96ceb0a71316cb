/** Calendars: what is due, for calendar programs, at an address with a secret. */
import { createHash } from 'node:crypto'
import ICAL from 'ical.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true, env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
})
afterAll(() => stack.close())

type Options = {
  name?: string
  organizationId?: string | null
  amounts?: boolean
  password?: string
}
const postCalendar = (user: Person, options: Options = {}) =>
  user.post('/calendar/create', { name: 'What is due', ...options })
/** Creates a calendar. @returns its id, and its path below base_url */
const createCalendar = async (user: Person, options: Options = {}) => {
  const { status, body } = await postCalendar(user, options)
  expect(status).toBe(200)
  return { id: body.id as string, path: new URL(body.url).pathname }
}
const read = (path: string, headers: Record<string, string> = {}, at = stack.url) =>
  fetch(`${at}${path}`, { headers })

type Event = {
  uid: string
  day: string
  days: number
  summary: string
  category: string
  stamp: string
}
/** Reads a calendar with a parser of other authors. */
async function eventsAt(path: string): Promise<Event[]> {
  const response = await read(path)
  expect(response.status).toBe(200)
  const calendar = new ICAL.Component(ICAL.parse(await response.text()))
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component)
    expect(event.startDate.isDate).toBe(true)
    return {
      uid: event.uid,
      day: event.startDate.toString(),
      days: event.endDate.subtractDate(event.startDate).toSeconds() / 86_400,
      summary: event.summary,
      category: String(component.getFirstPropertyValue('categories')),
      stamp: String(component.getFirstPropertyValue('dtstamp')),
    }
  })
}

const subscription = async (user: Person, row: object): Promise<string> => {
  const response = await fetch(`${stack.dataUrl}/subscriptions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await user.token()}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify({
      title: 'Rent',
      amount: 900,
      period: 'monthly',
      currency: 'eur',
      ...row,
    }),
  })
  expect(response.status).toBe(201)
  return (await response.json() as [{ id: string }])[0].id
}

/** The day that many days from today, in UTC. */
const dayFromNow = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

test('a calendar is an address with a secret that is shown once, and the database stores only its hash', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { body: { url, ...rest } } = await postCalendar(ann)
  expect(rest).toEqual({
    id: expect.any(String),
    name: 'What is due',
    organization_id: null,
    amounts: false,
    created_at: expect.any(String),
    last_read_at: null,
  })
  const secret =
    new RegExp(`^${stack.publicUrl}/api/auth/calendar/(cal_[\\w-]{43})\\.ics$`).exec(url)?.[1] ?? ''
  expect((await ann.get('/calendar/list')).body).toEqual([rest])
  const { rows: [row] } = await stack.sql.query('select * from auth.calendars where id = $1', [
    rest.id,
  ])
  expect(row.secret_hash).toEqual(createHash('sha256').update(secret).digest())
  expect(JSON.stringify(row)).not.toContain(secret)
  await read(new URL(url).pathname)
  expect((await ann.get('/calendar/list')).body[0].last_read_at).not.toBeNull()
})

test('a calendar has the due days of the next year as events of a whole day, with stable ids and without amounts', async () => {
  const ann = await signedIn(stack, 'Ann')
  const id = await subscription(ann, { starts_on: dayFromNow(-400), interval_in_days: 100 })
  const { path } = await createCalendar(ann)
  const events = await eventsAt(path)
  const days = [0, 100, 200, 300].map(dayFromNow)
  expect(events.map(({ day }) => day)).toEqual(days)
  expect(events).toMatchObject(
    days.map((day) => ({
      uid: `${id}-${day}@localhost`,
      days: 1,
      summary: 'Rent',
      category: 'Expense',
    })),
  )
  expect(await (await read(path)).text()).not.toMatch(/900\.|EUR/i)
  expect(await eventsAt(path)).toEqual(events)
})

test('a calendar also has the last month, so that a late payment stays visible', async () => {
  const ann = await signedIn(stack, 'Ann')
  await subscription(ann, {
    starts_on: dayFromNow(-33),
    ends_on: dayFromNow(3),
    interval_in_days: 1,
  })
  const { path } = await createCalendar(ann)
  expect((await eventsAt(path)).map(({ day }) => day)).toEqual(
    Array.from({ length: 35 }, (_, index) => dayFromNow(index - 31)),
  )
})

test('a calendar has amounts only if the user asks for them', async () => {
  const ann = await signedIn(stack, 'Ann')
  await subscription(ann, { starts_on: dayFromNow(0), ends_on: dayFromNow(0) })
  const { path } = await createCalendar(ann, { amounts: true })
  expect((await eventsAt(path)).map(({ summary }) => summary)).toEqual(['Rent: 900.00 EUR'])
})

test('a calendar has income and transfers too, and no ended or inactive row', async () => {
  const ann = await signedIn(stack, 'Ann')
  const day = dayFromNow(10)
  const once = { starts_on: day, ends_on: day }
  const account = async (name: string) =>
    (await stack.sql.query(
      `insert into api.accounts (name, type, currency, user_id) values ($1, 'checking', 'eur', $2) returning id`,
      [
        name,
        await ann.id(),
      ],
    )).rows[0].id
  await subscription(ann, { ...once, title: 'Salary', kind: 'income' })
  await subscription(ann, {
    ...once,
    title: 'Savings',
    kind: 'transfer',
    account_id: await account('Giro'),
    to_account_id: await account('Savings'),
  })
  await subscription(ann, { ...once, title: 'Inactive', is_active: false })
  await subscription(ann, {
    title: 'Ended',
    starts_on: dayFromNow(-800),
    ends_on: dayFromNow(-400),
  })
  const { path } = await createCalendar(ann)
  expect((await eventsAt(path)).map(({ summary, category, day: on }) => [summary, category, on]))
    .toEqual([
      ['Salary', 'Income', day],
      ['Savings', 'Transfer', day],
    ])
})

test('a calendar has the 31st on the last day of a shorter month, as get_upcoming has it', async () => {
  const ann = await signedIn(stack, 'Ann')
  await subscription(ann, { starts_on: '2020-01-31' })
  const { path } = await createCalendar(ann)
  const days = (await eventsAt(path)).map(({ day }) => day)
  expect(days.length).toBeGreaterThanOrEqual(13)
  for (const day of days) expect(new Date(Date.parse(day) + 86_400_000).getUTCDate(), day).toBe(1)
  expect(days.filter((day) => /-02-2[89]$/.test(day))).not.toEqual([])
  const response = await fetch(
    `${stack.dataUrl}/rpc/get_upcoming?start_date=${dayFromNow(-31)}&end_date=${dayFromNow(366)}`,
    {
      headers: { authorization: `Bearer ${await ann.token()}` },
    },
  )
  expect((await response.json() as { due_on: string }[]).map(({ due_on: day }) => day)).toEqual(
    days,
  )
})

test('a calendar is the same in each time zone of the server', async () => {
  const ann = await signedIn(stack, 'Ann')
  await subscription(ann, { starts_on: '2020-01-31' })
  const { path } = await createCalendar(ann)
  const before = await (await read(path)).text()
  const { rows: [{ name }] } = await stack.sql.query('select current_database() as name')
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await stack.sql.query(`alter database "${name}" set timezone to '${zone}'`)
    expect(await (await read(path, {}, await stack.startAnotherAuth())).text()).toBe(before)
  }
  await stack.sql.query(`alter database "${name}" reset timezone`)
})

test('a calendar has texts of users escaped, in lines of at most 75 octets with CRLF', async () => {
  const ann = await signedIn(stack, 'Ann')
  const title = `Miete, Nebenkosten; "Büro"\\Lager 😀 ${'ü'.repeat(80)}`
  await subscription(ann, { title, starts_on: dayFromNow(0), ends_on: dayFromNow(0) })
  const { path } = await createCalendar(ann, { name: 'Due: a,b;c\\d' })
  const text = await (await read(path)).text()
  const lines = text.split('\r\n')
  expect(lines.at(-1)).toBe('')
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  for (const line of lines) expect(Buffer.byteLength(line), line).toBeLessThanOrEqual(75)
  expect(lines).toContain('X-WR-CALNAME:Due: a\\,b\\;c\\\\d')
  expect((await eventsAt(path)).map(({ summary }) => summary)).toEqual([title])
})

test('a calendar cannot contain another property by a title with line breaks', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(
    `insert into api.subscriptions (title, amount, period, user_id) values ($1, 1, 'yearly', $2)`,
    [
      'Rent\r\nATTACH:https://evil.example\nX:\u0007',
      await ann.id(),
    ],
  )
  const { path } = await createCalendar(ann)
  expect(await (await read(path)).text()).not.toMatch(/^(ATTACH|X:)/m)
})

test('a calendar ends after two thousand events', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(
    `insert into api.subscriptions (title, amount, period, user_id, starts_on) select 'Daily ' || n, 1, 'daily', $1, current_date - 40 from generate_series(1, 100) n`,
    [await ann.id()],
  )
  const { path } = await createCalendar(ann)
  const events = await eventsAt(path)
  expect(events).toHaveLength(2_000)
  expect(events[0]!.day).toBe(dayFromNow(-31))
  expect(events.at(-1)!.day).toBe(dayFromNow(-12))
})

test('a calendar is one of at most ten of a user, and needs a verified address and the password or a recent sign-in', async () => {
  const ann = await signedIn(stack, 'Ann')
  const answers = await Promise.all(Array.from({ length: 12 }, () => postCalendar(ann)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({
    status: 403,
    body: { error: 'CALENDAR_LIMIT_REACHED', message: expect.stringContaining('up to 10') },
  })
  const bob = await signedIn(stack, 'Bob')
  await stack.sql.query(
    `update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`,
    [await bob.id()],
  )
  expect(await postCalendar(bob)).toMatchObject({
    status: 403,
    body: { error: 'FRESH_SIGN_IN_REQUIRED' },
  })
  expect((await postCalendar(bob, { password })).status).toBe(200)
  const mallory = person(stack, 'Mallory')
  await mallory.signUp()
  expect(await postCalendar(mallory)).toMatchObject({
    status: 403,
    body: { error: 'EMAIL_NOT_VERIFIED' },
  })
})

test('a program receives text/calendar that only it may store, and no other version of an unchanged calendar', async () => {
  const ann = await signedIn(stack, 'Ann')
  const id = await subscription(ann, { starts_on: dayFromNow(0) })
  const { path } = await createCalendar(ann)
  const response = await read(path)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/calendar; charset=utf-8',
    'cache-control': 'private, max-age=3600',
    etag: expect.stringMatching(/^"[\w-]{43}"$/),
  })
  const etag = response.headers.get('etag')!
  for (const version of [etag, `W/${etag}`, `"x", ${etag}`]) {
    const again = await read(path, { 'if-none-match': version })
    expect({ status: again.status, text: await again.text(), etag: again.headers.get('etag') })
      .toEqual({ status: 304, text: '', etag })
  }
  const head = await fetch(`${stack.url}${path}`, { method: 'HEAD' })
  expect({ status: head.status, type: head.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/calendar; charset=utf-8',
  })
  await stack.sql.query(`update api.subscriptions set title = 'New rent' where id = $1`, [id])
  expect((await read(path, { 'if-none-match': etag })).status).toBe(200)
})

test('a program receives 404 for a wrong, shortened or lengthened secret', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { path } = await createCalendar(ann)
  for (
    const wrong of [
      path.replace('cal_', 'cal_x'),
      path.replace(/.\.ics$/, '.ics'),
      '/api/auth/calendar/x.ics',
      `${path}x`,
      path.replace('.ics', ''),
      `${path}/x`,
    ]
  )
    expect((await read(wrong)).status, wrong).toBe(404)
  expect((await fetch(`${stack.url}${path}`, { method: 'POST' })).status).toBe(405)
})

test('a calendar of a team shows the days of that team, also to a viewer, and no personal ones', async () => {
  const { id: organizationId, owner, viewer } = await team(stack, ['viewer'])
  const day = { starts_on: dayFromNow(5), ends_on: dayFromNow(5) }
  await subscription(owner, { title: 'Office', ...day })
  await subscription(owner, { title: 'Own flat', organization_id: null, ...day })
  await subscription(viewer, { title: 'Viewer’s flat', organization_id: null, ...day })
  const titles = async (path: string) => (await eventsAt(path)).map(({ summary }) => summary)
  expect(await titles((await createCalendar(viewer, { organizationId })).path)).toEqual(['Office'])
  expect(await titles((await createCalendar(owner)).path)).toEqual(['Own flat'])
  expect(await titles((await createCalendar(viewer)).path)).toEqual(['Viewer’s flat'])
  expect(await postCalendar(await signedIn(stack, 'Mallory'), { organizationId })).toMatchObject({
    status: 404,
  })
})

test.each<[string, (owner: Person, viewer: Person, organizationId: string) => Promise<unknown>]>([
  [
    'leaves the team',
    (_, viewer, organizationId) => viewer.post('/organization/leave', { organizationId }),
  ],
  [
    'is removed',
    async (owner, viewer, organizationId) =>
      owner.post('/organization/remove-member', { organizationId, userId: await viewer.id() }),
  ],
  [
    'deletes the account',
    async (_, viewer) =>
      stack.sql.query('delete from auth.users where id = $1', [await viewer.id()]),
  ],
  [
    'loses the team by its deletion',
    (owner, _, organizationId) => owner.delete('/organization/delete', { organizationId }),
  ],
])('a calendar of a team ends when its user %s', async (_, end) => {
  const { id: organizationId, owner, viewer } = await team(stack, ['viewer'])
  const { path } = await createCalendar(viewer, { organizationId })
  expect((await read(path)).status).toBe(200)
  await end(owner, viewer, organizationId)
  expect((await read(path)).status).toBe(404)
})

test('a revoked calendar is 404 at once; another user cannot revoke it', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id: calendarId, path } = await createCalendar(ann)
  expect(await (await signedIn(stack, 'Bob')).post('/calendar/revoke', { calendarId }))
    .toMatchObject({ status: 404 })
  expect((await read(path)).status).toBe(200)
  expect((await ann.post('/calendar/revoke', { calendarId })).body).toEqual({ success: true })
  expect((await read(path)).status).toBe(404)
  expect((await ann.get('/list-events')).body.slice(0, 2)).toMatchObject([{
    kind: 'calendar_revoked',
    name: 'What is due',
  }, { kind: 'calendar_created' }])
})

test('a password reset ends calendars, because an attacker may have made one', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { path } = await createCalendar(ann)
  await person(stack).post('/forget-password', { email: ann.email })
  const token = new URL(
    linkIn(await stack.mail.waitFor(ann.email, ({ subject }) => subject === 'Reset your password')),
  ).searchParams.get('token')
  await person(stack).post('/reset-password', { token, password: 'another long password' })
  expect((await read(path)).status).toBe(404)
})

test('the secret is in no log line, metric or label, also in a mistyped address', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { path } = await createCalendar(ann)
  const secret = path.slice(path.indexOf('cal_') + 4, -4)
  for (
    const address of [
      path,
      path.replace('.ics', ''),
      `${path}/more`,
      path.replace('/calendar/', '/calender/'),
      path.replace('/api', ''),
      path.replace('/calendar', '//calendar'),
    ]
  )
    await read(address)
  const metrics = await (await fetch(`${stack.url}/metrics`)).text()
  expect(metrics).toContain('route="/calendar/{secret}.ics"')
  expect(stack.logged.join('')).toContain('/api/auth/calendar/{secret}')
  expect(metrics + stack.logged.join('')).not.toContain(secret)
})

test('calendars that the database answers late take no connection from other requests', async () => {
  const [ann, bob] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Bob')]
  const { path } = await createCalendar(ann)
  const lock = await stack.sql.connect()
  await lock.query('begin')
  await lock.query('lock table api.subscriptions in access exclusive mode')
  const reads = Promise.all(Array.from({ length: 16 }, async () => (await read(path)).status))
  try {
    for (let index = 0; index < 5; index += 1)
      expect((await bob.get('/calendar/list')).status).toBe(200)
  } finally {
    await lock.query('rollback')
    lock.release()
  }
  expect([...new Set(await reads)]).toEqual([200])
})

test('a calendar whose rows are locked for more than a second is busy', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { path } = await createCalendar(ann)
  const lock = await stack.sql.connect()
  await lock.query('begin')
  await lock.query('lock table api.subscriptions in access exclusive mode')
  const response = await read(path)
  await lock.query('rollback')
  lock.release()
  expect({
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.json(),
  }).toEqual({
    status: 503,
    retryAfter: '5',
    body: { error: 'SERVICE_BUSY', message: expect.any(String) },
  })
})

test('wrong secrets are limited per address, and requests per calendar', async () => {
  await using limited = await startStack({
    env: { RATE_LIMIT_ENABLED: 'true', TRUSTED_PROXIES: '127.0.0.0/8' },
  })
  const ann = await signedIn(limited, 'Ann')
  const from = { 'x-forwarded-for': '203.0.113.7' }
  const wrong = `/api/auth/calendar/cal_${'x'.repeat(43)}.ics`
  const { body: { url } } = await postCalendar(ann, {})
  for (let index = 0; index < 60; index += 1)
    expect((await read(wrong, from, limited.url)).status).toBe(404)
  const over = await read(wrong, from, limited.url)
  expect({ status: over.status, retryAfter: Number(over.headers.get('retry-after')) }).toEqual({
    status: 429,
    retryAfter: expect.any(Number),
  })
  const statuses: number[] = []
  for (let index = 0; index < 31; index += 1)
    statuses.push((await read(new URL(url).pathname, from, limited.url)).status)
  expect([...new Set(statuses.slice(0, 30)), statuses[30]]).toEqual([200, 429])
})
