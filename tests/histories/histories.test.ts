/**
 * Random histories: people sign up, invite, accept, change roles, remove, leave, transfer, switch, take tokens and use
 * them, old ones too, in any order, against the real stack. The model never disagrees, and every organization has one
 * owner after every step. `HISTORIES=500` runs more of them; a failure prints the seed and the shortest history found.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Role, type Row, type Verdict } from '../isolation/model.ts'
import { person, signedIn, subscribed, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import * as model from './history.ts'
import type { Answer, Member, State, Token } from './history.ts'

const runs = Number(process.env['HISTORIES'] ?? 50)
const secondsAtMost = process.env['HISTORIES'] === undefined ? 30 : 3_600

let stack: Stack
/** The same people live through all histories, because making one costs a password hash. */
const pool: Person[] = []
const ids: string[] = []

beforeAll(async () => {
  stack = await startStack({ data: true })
  pool.push(await subscribed(stack, 'Olga'), await subscribed(stack, 'Otto'), await signedIn(stack, 'Ada'), await signedIn(stack, 'Bob'))
  for (const someone of pool) ids.push(await someone.id())
})
afterAll(() => stack.close())

const who = fc.nat({ max: 4 })
const team = fc.nat({ max: 3 })
const given = fc.constantFrom<Role>('admin', 'editor', 'viewer')
const any = fc.nat({ max: 30 })
const table = fc.constantFrom('transactions', 'dashboards')
/** Mostly those who can, or histories would be all refusals; else whoever. */
const eager = fc.nat({ max: 3 }).map((n) => n > 0)
/** Plain objects, because a failure prints them. */
const record = <Fields>(fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }) => fc.record(fields, { noNullPrototype: true })
const step = fc.oneof(
  { weight: 1, arbitrary: record({ does: fc.constantFrom('sign up', 'verify', 'subscribe'), who }) },
  { weight: 1, arbitrary: record({ does: fc.constant('sign out and in'), who }) },
  { weight: 3, arbitrary: record({ does: fc.constant('create'), who: fc.nat({ max: 1 }) }) },
  { weight: 6, arbitrary: record({ does: fc.constant('invite'), who, team, whom: who, role: given, eager }) },
  { weight: 7, arbitrary: record({ does: fc.constantFrom('accept', 'accept', 'accept', 'reject', 'cancel'), who, any, eager }) },
  { weight: 4, arbitrary: record({ does: fc.constant('change role'), who, team, whom: who, role: given, eager }) },
  { weight: 4, arbitrary: record({ does: fc.constantFrom('remove', 'transfer'), who, team, whom: who, eager }) },
  { weight: 2, arbitrary: record({ does: fc.constant('leave'), who, team, eager }) },
  { weight: 1, arbitrary: record({ does: fc.constant('delete team'), who, team }) },
  { weight: 5, arbitrary: record({ does: fc.constant('set active'), who, team: fc.option(team), eager }) },
  { weight: 7, arbitrary: record({ does: fc.constant('token'), who }) },
  { weight: 8, arbitrary: record({ does: fc.constant('read'), any, table }) },
  {
    weight: 7,
    arbitrary: record({
      does: fc.constant('write'),
      any,
      table,
      owner: fc.constantFrom('as filled', 'personal', 'some team', 'somebody else'),
      team,
      whom: who,
      visibility: fc.constantFrom('private', 'shared'),
    }),
  },
  { weight: 6, arbitrary: record({ does: fc.constantFrom('change', 'erase'), any, row: any }) },
)
type Step = {
  does: string
  who?: number
  whom?: number
  team?: number | null
  role?: Role
  any?: number
  row?: number
  table?: string
  owner?: string
  visibility?: string
  eager?: boolean
}

/** A history under way: the model's state, and the people in their browsers. */
type History = { state: State, people: Person[] }

async function begin(): Promise<History> {
  await stack.sql.query('delete from auth.organizations')
  await stack.sql.query('delete from auth.users where id <> all ($1)', [ids])
  await stack.sql.query('delete from api.transactions')
  await stack.sql.query('delete from api.dashboards')
  return {
    people: [...pool],
    state: {
      teams: new Map(),
      invitations: [],
      tokens: [],
      rows: [],
      people: ids.map((id, at) => ({ id, verified: true, subscribed: at < 2, active: null, session: 0 })),
    },
  }
}

const pick = <Item>(items: Item[], at: number | undefined): Item | undefined => items[(at ?? 0) % Math.max(1, items.length)]

async function asData(token: Token, method: string, path: string, body?: unknown): Promise<{ status: number, body: any }> {
  const response = await fetch(stack.dataUrl + path, {
    method,
    headers: { authorization: `Bearer ${token.value}`, prefer: 'return=representation', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  count(method, response.status)
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** How often each kind of step was answered how, so that it shows whether the histories get anywhere. */
const tally = new Map<string, number>()
const count = (does: string, status: number): void => {
  tally.set(`${does} ${status}`, (tally.get(`${does} ${status}`) ?? 0) + 1)
}

/** That a data request was answered as the verdict says. */
function expectVerdict(answer: { status: number, body: any }, verdict: Verdict, allowed: number): void {
  if ('rows' in verdict) {
    expect(answer.status, JSON.stringify(answer.body)).toBe(allowed)
    return
  }
  const statuses = { token: 401, anonymous: 401, denied: 403, missing: 409, taken: 409, kept: 400, 'changed since': 409 }
  expect(verdict.refused.map((reason) => statuses[reason]), JSON.stringify(answer.body)).toContain(answer.status)
  if (answer.status === 403) expect(answer.body.code).toBe('42501')
  if (answer.status === 401) expect(answer.body.code).toMatch(/301$/)
}

function expectAnswer(answer: { status: number, body: any }, expected: Answer): void {
  count('auth', answer.status)
  expect(expected.statuses, JSON.stringify(answer.body)).toContain(answer.status)
  if (answer.status >= 400) expect(expected.errors).toContain(answer.body.error)
}

/** The members and active organizations in the database are the model's, and each organization has one owner. */
async function expectAgreement({ state }: History): Promise<void> {
  const members = await stack.sql.query<{ text: string }>(`select organization_id || ' ' || user_id || ' ' || role as text from auth.members`)
  const owners = await stack.sql.query(`
    select o.id from auth.organizations o left join auth.members m on m.organization_id = o.id and m.role = 'owner' group by o.id having count(m.id) <> 1`)
  const active = await stack.sql.query<{ text: string }>(`select user_id || ' ' || coalesce(active_organization_id, '-') as text from auth.sessions`)
  expect(owners.rows).toEqual([])
  const expected = [...state.teams].flatMap(([organization, people]) => [...people].map(([id, role]) => `${organization} ${id} ${role}`))
  expect(members.rows.map(({ text }) => text).toSorted()).toEqual(expected.toSorted())
  expect(active.rows.map(({ text }) => text).toSorted()).toEqual(state.people.map(({ id, active: team_ }) => `${id} ${team_ ?? '-'}`).toSorted())
}

/** Someone signs up in the middle of a history, once. */
async function signUp({ state, people }: History): Promise<void> {
  if (people.length > pool.length) return
  const someone = person(stack, 'Nina')
  expect((await someone.signUp()).status).toBe(200)
  people.push(someone)
  state.people.push({ id: await someone.id(), verified: false, subscribed: false, active: null, session: 0 })
}

/** Whom a step is about: the person it names, or, when eager, one of those who can take it. */
function cast({ state }: History, one: Step, organizationId: string | null | undefined): { who: number, whom: number } {
  const members = state.teams.get(organizationId ?? '')
  const those = (fits: (id: string) => boolean, at: number | undefined): number => {
    const fitting = state.people.flatMap(({ id }, index) => one.eager === true && fits(id) ? [index] : [])
    return pick(fitting, at) ?? at ?? 0
  }
  const role = (id: string): Role | undefined => members?.get(id)
  switch (one.does) {
    case 'invite':
      return { who: those((id) => role(id) === 'owner' || role(id) === 'admin', one.who), whom: those((id) => role(id) === undefined, one.whom) }
    case 'change role':
    case 'remove':
      return {
        who: those((id) => role(id) === 'owner' || role(id) === 'admin', one.who),
        whom: those((id) => role(id) !== undefined && role(id) !== 'owner', one.whom),
      }
    case 'transfer':
      return { who: those((id) => role(id) === 'owner', one.who), whom: those((id) => role(id) !== undefined && role(id) !== 'owner', one.whom) }
    case 'leave':
    case 'set active':
      return { who: those((id) => role(id) !== undefined, one.who), whom: 0 }
    case 'accept':
    case 'reject':
      return { who: those((id) => state.invitations.some(({ to, status }) => to === id && status === 'pending'), one.who), whom: 0 }
    default:
      return { who: one.who ?? 0, whom: one.whom ?? 0 }
  }
}

/** Each step does something to the real stack and to the model, and compares. A step whose subject is not there does nothing. */
async function take(history: History, one: Step): Promise<void> {
  const { state, people } = history
  const at = (index: number | undefined): [Person, Member] | undefined => {
    const [browser, member] = [people[index ?? 0], state.people[index ?? 0]]
    return browser === undefined || member === undefined ? undefined : [browser, member]
  }
  const organizationId = one.team === null ? null : pick([...state.teams.keys()], one.team)
  const { who: whoIndex, whom: whomIndex } = cast(history, one, organizationId)
  const subject = at(whoIndex)
  const object = at(whomIndex)
  const token = pick(state.tokens.slice(-12), one.any)
  const row = pick(state.rows, one.row)
  if (subject === undefined && one.does !== 'sign up') return
  const [browser, me] = subject ?? [people[0], state.people[0]]
  if (browser === undefined || me === undefined) return

  switch (one.does) {
    case 'sign up':
      return signUp(history)
    case 'verify':
      await stack.sql.query('update auth.users set email_verified = true where id = $1', [me.id])
      me.verified = true
      return
    case 'subscribe':
      if (people.indexOf(browser) < pool.length || me.subscribed) return
      await browser.subscribe()
      me.subscribed = true
      return
    case 'sign out and in':
      expect((await browser.post('/sign-out')).status).toBe(200)
      expect((await browser.signIn()).status).toBe(200)
      me.session += 1
      me.active = null
      return
    case 'create': {
      const answer = await browser.post('/organization/create', { name: 'Team' })
      return expectAnswer(answer, model.create(state, me, answer.body.id))
    }
    case 'accept':
    case 'reject':
    case 'cancel': {
      const fitting = one.eager === false
        ? state.invitations
        : state.invitations.filter(({ to, status }) => one.does === 'cancel' || to === me.id && status === 'pending')
      const invitation = pick(fitting, one.any)
      if (invitation === undefined) return
      const answer = await browser.post(`/organization/${one.does}-invitation`, { invitationId: invitation.id })
      return expectAnswer(answer, one.does === 'cancel' ? model.cancel(state, me, invitation) : model.answer(state, me, invitation, one.does))
    }
    case 'token': {
      const answer = await browser.post('/token')
      const { team: active, role } = model.claims(state, me)
      expect(decodeJwt(answer.body.token)['claims']).toEqual(active === null ? {} : { organization_id: active, organization_role: role })
      state.tokens.push({ value: answer.body.token, person: me.id, session: me.session, team: active, role })
      return
    }
    case 'read': {
      if (token === undefined) return
      const answer = await asData(token, 'GET', `/${one.table}?select=id`)
      if (model.callerOf(state, token).kind === 'refused') return expectVerdict(answer, { refused: ['token'] }, 200)
      expect(answer.status).toBe(200)
      expect(answer.body.map(({ id }: { id: string }) => id).toSorted()).toEqual(model.visible(state, token, one.table ?? '').map(({ key }) => key).toSorted())
      return
    }
    case 'write':
      return token === undefined ? undefined : write(history, token, one)
    case 'change':
    case 'erase': {
      if (token === undefined || row === undefined) return
      const path = `/${row.table}?id=eq.${row.key}`
      const [answer, verdict] = one.does === 'change'
        ? [await asData(token, 'PATCH', path, { name: 'changed' }), model.change(state, token, row)]
        : [await asData(token, 'DELETE', path), model.erase(state, token, row)]
      expectVerdict(answer, verdict, 200)
      if ('rows' in verdict) expect(answer.body.map(({ id }: { id: string }) => id)).toEqual(verdict.rows.map(({ key }) => key))
      return
    }
    case 'set active': {
      if (organizationId === undefined) return
      return expectAnswer(await browser.post('/organization/set-active', { organizationId }), model.setActive(state, me, organizationId))
    }
    case 'leave':
      return organizationId == null
        ? undefined
        : expectAnswer(await browser.post('/organization/leave', { organizationId }), model.leave(state, me, organizationId))
    case 'delete team':
      return organizationId == null
        ? undefined
        : expectAnswer(await browser.delete('/organization/delete', { organizationId }), model.deleteTeam(state, me, organizationId))
    default: {
      if (organizationId == null || object === undefined) return
      const [other, them] = object
      const role = one.role ?? 'viewer'
      const userId = them.id
      if (one.does === 'invite') {
        const answer = await browser.post('/organization/invite-member', { organizationId, email: other.email, role })
        return expectAnswer(answer, model.invite(state, me, organizationId, them, role, answer.body.id))
      }
      if (one.does === 'change role')
        return expectAnswer(
          await browser.patch('/organization/update-member-role', { organizationId, userId, role }),
          model.changeRole(state, me, organizationId, them, role),
        )
      if (one.does === 'remove')
        return expectAnswer(await browser.post('/organization/remove-member', { organizationId, userId }), model.removeMember(state, me, organizationId, them))
      return expectAnswer(await browser.post('/organization/transfer-ownership', { organizationId, userId }), model.transfer(state, me, organizationId, them))
    }
  }
}

/** A new row, with the owner that the token fills in, or another. */
async function write({ state }: History, token: Token, { table: name = '', owner, team: index, whom, visibility }: Step): Promise<void> {
  const id = randomUUID()
  const organization = owner === 'as filled' ? token.team : owner === 'some team' ? pick([...state.teams.keys()], index ?? 0) ?? null : null
  const user = owner === 'somebody else' ? pick(state.people, whom)?.id ?? token.person : token.person
  const row: Row = { table: name, key: id, user, organization, refers: {}, ...(name === 'dashboards' ? { visibility: visibility ?? 'private' } : {}) }
  const answer = await asData(token, 'POST', `/${name}`, {
    id,
    name: 'row',
    ...(name === 'dashboards' ? { layout: { widgets: [] }, visibility } : { amount: 1 }),
    ...(owner === 'as filled' ? {} : { user_id: user, organization_id: organization }),
  })
  const verdict = model.write(state, token, row)
  expectVerdict(answer, verdict, 201)
  if ('rows' in verdict) expect(answer.body[0]).toMatchObject({ id, user_id: user, organization_id: organization })
}

test('the model and the real stack never disagree, and an organization always has one owner', async () => {
  let histories = 0
  let steps = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 100, size: 'max' }), async (history) => {
      const now = await begin()
      for (const one of [{ does: 'create', who: 0 }, { does: 'invite', who: 0, team: 0, whom: 2, role: 'editor' as const }, ...history]) {
        await take(now, one).then(() => expectAgreement(now)).catch((error: unknown) => {
          throw new Error(`at ${JSON.stringify(one)}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
        })
        steps += 1
      }
      histories += 1
    }),
    { numRuns: runs, interruptAfterTimeLimit: secondsAtMost * 1_000, markInterruptAsFailure: false },
  )
  console.log(
    `histories: ${histories}, steps: ${steps}, answers: ${
      [...tally].toSorted(([a], [b]) => a.localeCompare(b)).map(([what, times]) => `${what} ×${times}`).join(', ')
    }`,
  )
  expect(histories).toBeGreaterThan(2)
}, secondsAtMost * 2_000 + 60_000)
