/**
 * Stateful tests with random histories. Users sign up, invite, accept, change roles, remove, leave,
 * transfer, switch, get tokens and use them, including old ones, in any order against the real
 * stack. After each step the stack agrees with the model, and every organization has one owner.
 * `HISTORIES=500` runs more histories. A failure prints the seed and the shortest history.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Role, type Row, type Verdict } from '../isolation/model.ts'
import { person, signedIn, subscribed, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import * as model from './model.ts'
import type { Answer, Member, State, Token } from './model.ts'

const runs = Number(process.env['HISTORIES'] ?? 50)
const secondsAtMost = process.env['HISTORIES'] === undefined ? 30 : 3_600

let stack: Stack
/** Users shared by all histories, because creating a user costs a password hash. */
const pool: Person[] = []
const ids: string[] = []

beforeAll(async () => {
  stack = await startStack({ data: true })
  pool.push(
    await subscribed(stack, 'Olga'),
    await subscribed(stack, 'Otto'),
    await signedIn(stack, 'Ada'),
    await signedIn(stack, 'Bob'),
  )
  for (const browser of pool) ids.push(await browser.id())
})
afterAll(() => stack.close())

const userIndex = fc.nat({ max: 4 })
const team = fc.nat({ max: 3 })
const invitableRole = fc.constantFrom<Role>('admin', 'editor', 'viewer')
const any = fc.nat({ max: 30 })
const table = fc.constantFrom('transactions', 'dashboards')
/**
 * True in most steps: the step picks a user with the necessary rights. Otherwise histories would be
 * mostly errors.
 */
const pickAllowed = fc.nat({ max: 3 }).map((n) => n > 0)
/** Generates plain objects, because a failure prints them. */
const record = <Fields>(fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }) =>
  fc.record(fields, { noNullPrototype: true })
const step = fc.oneof(
  {
    weight: 1,
    arbitrary: record({
      does: fc.constantFrom('sign up', 'verify', 'subscribe'),
      actor: userIndex,
    }),
  },
  { weight: 1, arbitrary: record({ does: fc.constant('sign out and in'), actor: userIndex }) },
  { weight: 3, arbitrary: record({ does: fc.constant('create'), actor: fc.nat({ max: 1 }) }) },
  {
    weight: 6,
    arbitrary: record({
      does: fc.constant('invite'),
      actor: userIndex,
      team,
      target: userIndex,
      role: invitableRole,
      pickAllowed,
    }),
  },
  {
    weight: 7,
    arbitrary: record({
      does: fc.constantFrom('accept', 'accept', 'accept', 'reject', 'cancel'),
      actor: userIndex,
      any,
      pickAllowed,
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      does: fc.constant('change role'),
      actor: userIndex,
      team,
      target: userIndex,
      role: invitableRole,
      pickAllowed,
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      does: fc.constantFrom('remove', 'transfer'),
      actor: userIndex,
      team,
      target: userIndex,
      pickAllowed,
    }),
  },
  {
    weight: 2,
    arbitrary: record({ does: fc.constant('leave'), actor: userIndex, team, pickAllowed }),
  },
  { weight: 1, arbitrary: record({ does: fc.constant('delete team'), actor: userIndex, team }) },
  {
    weight: 5,
    arbitrary: record({
      does: fc.constant('set active'),
      actor: userIndex,
      team: fc.option(team),
      pickAllowed,
    }),
  },
  { weight: 7, arbitrary: record({ does: fc.constant('token'), actor: userIndex }) },
  { weight: 8, arbitrary: record({ does: fc.constant('read'), any, table }) },
  {
    weight: 7,
    arbitrary: record({
      does: fc.constant('write'),
      any,
      table,
      owner: fc.constantFrom('as filled', 'personal', 'some team', 'somebody else'),
      team,
      target: userIndex,
      visibility: fc.constantFrom('private', 'shared'),
    }),
  },
  { weight: 6, arbitrary: record({ does: fc.constantFrom('change', 'erase'), any, row: any }) },
)
type Step = {
  does: string
  actor?: number
  target?: number
  team?: number | null
  role?: Role
  any?: number
  row?: number
  table?: string
  owner?: string
  visibility?: string
  pickAllowed?: boolean
}

/** A running history: the state of the model, and the users' browsers. */
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
      people: ids.map((id, at) => ({
        id,
        verified: true,
        subscribed: at < 2,
        active: null,
        session: 0,
      })),
    },
  }
}

const pick = <Item>(items: Item[], at: number | undefined): Item | undefined =>
  items[(at ?? 0) % Math.max(1, items.length)]

async function asData(
  token: Token,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number, body: any }> {
  const response = await fetch(stack.dataUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token.value}`,
      prefer: 'return=representation',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  count(method, response.status)
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** Counts of step and status, printed at the end to show how many steps succeeded. */
const stepCounts = new Map<string, number>()
const count = (does: string, status: number): void => {
  stepCounts.set(`${does} ${status}`, (stepCounts.get(`${does} ${status}`) ?? 0) + 1)
}

/** Expects that the response to a data request matches the verdict of the model. */
function expectVerdict(
  answer: { status: number, body: any },
  verdict: Verdict,
  allowed: number,
): void {
  if ('rows' in verdict) {
    expect(answer.status, JSON.stringify(answer.body)).toBe(allowed)
    return
  }
  const statuses = {
    token: 401,
    anonymous: 401,
    denied: 403,
    missing: 409,
    taken: 409,
    kept: 400,
    'changed since': 409,
  }
  expect(verdict.refused.map((reason) => statuses[reason]), JSON.stringify(answer.body)).toContain(
    answer.status,
  )
  if (answer.status === 403) expect(answer.body.code).toBe('42501')
  if (answer.status === 401) expect(answer.body.code).toMatch(/301$/)
}

function expectAnswer(answer: { status: number, body: any }, expected: Answer): void {
  count('auth', answer.status)
  expect(expected.statuses, JSON.stringify(answer.body)).toContain(answer.status)
  if (answer.status >= 400) expect(expected.errors).toContain(answer.body.error)
}

/**
 * Expects the model's members and active organizations in the database, and one owner per
 * organization.
 */
async function expectAgreement({ state }: History): Promise<void> {
  const members = await stack.sql.query<{ text: string }>(
    `select organization_id || ' ' || user_id || ' ' || role as text from auth.members`,
  )
  const owners = await stack.sql.query(`
    select o.id from auth.organizations o left join auth.members m on m.organization_id = o.id and m.role = 'owner' group by o.id having count(m.id) <> 1`)
  const active = await stack.sql.query<{ text: string }>(
    `select user_id || ' ' || coalesce(active_organization_id, '-') as text from auth.sessions`,
  )
  expect(owners.rows).toEqual([])
  const expected = [...state.teams].flatMap(([organization, people]) =>
    [...people].map(([id, role]) => `${organization} ${id} ${role}`)
  )
  expect(members.rows.map(({ text }) => text).toSorted()).toEqual(expected.toSorted())
  expect(active.rows.map(({ text }) => text).toSorted()).toEqual(
    state.people.map(({ id, active: team_ }) => `${id} ${team_ ?? '-'}`).toSorted(),
  )
}

/** Signs up one new user per history. */
async function signUp({ state, people }: History): Promise<void> {
  if (people.length > pool.length) return
  const browser = person(stack, 'Nina')
  expect((await browser.signUp()).status).toBe(200)
  people.push(browser)
  state.people.push({
    id: await browser.id(),
    verified: false,
    subscribed: false,
    active: null,
    session: 0,
  })
}

/**
 * Resolves the users of a step: the numbered ones, or with `pickAllowed` users for whom the step is
 * allowed.
 */
function resolveUsers(
  { state }: History,
  one: Step,
  organizationId: string | null | undefined,
): { actor: number, target: number } {
  const members = state.teams.get(organizationId ?? '')
  const userWith = (fits: (id: string) => boolean, at: number | undefined): number => {
    const fitting = state.people.flatMap(({ id }, index) =>
      one.pickAllowed === true && fits(id) ? [index] : []
    )
    return pick(fitting, at) ?? at ?? 0
  }
  const role = (id: string): Role | undefined => members?.get(id)
  switch (one.does) {
    case 'invite':
      return {
        actor: userWith((id) => role(id) === 'owner' || role(id) === 'admin', one.actor),
        target: userWith((id) => role(id) === undefined, one.target),
      }
    case 'change role':
    case 'remove':
      return {
        actor: userWith((id) => role(id) === 'owner' || role(id) === 'admin', one.actor),
        target: userWith((id) => role(id) !== undefined && role(id) !== 'owner', one.target),
      }
    case 'transfer':
      return {
        actor: userWith((id) => role(id) === 'owner', one.actor),
        target: userWith((id) => role(id) !== undefined && role(id) !== 'owner', one.target),
      }
    case 'leave':
    case 'set active':
      return { actor: userWith((id) => role(id) !== undefined, one.actor), target: 0 }
    case 'accept':
    case 'reject':
      return {
        actor: userWith(
          (id) => state.invitations.some(({ to, status }) => to === id && status === 'pending'),
          one.actor,
        ),
        target: 0,
      }
    default:
      return { actor: one.actor ?? 0, target: one.target ?? 0 }
  }
}

/**
 * Applies a step to the real stack and to the model, and compares them. Does nothing if the step's
 * user does not exist.
 */
async function takeStep(history: History, one: Step): Promise<void> {
  const { state, people } = history
  const at = (index: number | undefined): [Person, Member] | undefined => {
    const [browser, member] = [people[index ?? 0], state.people[index ?? 0]]
    return browser === undefined || member === undefined ? undefined : [browser, member]
  }
  const organizationId = one.team === null ? null : pick([...state.teams.keys()], one.team)
  const { actor: actorIndex, target: targetIndex } = resolveUsers(history, one, organizationId)
  const subject = at(actorIndex)
  const object = at(targetIndex)
  const token = pick(state.tokens.slice(-12), one.any)
  const row = pick(state.rows, one.row)
  if (subject === undefined && one.does !== 'sign up') return
  const [browser, actor] = subject ?? [people[0], state.people[0]]
  if (browser === undefined || actor === undefined) return

  switch (one.does) {
    case 'sign up':
      return signUp(history)
    case 'verify':
      await stack.sql.query('update auth.users set email_verified = true where id = $1', [actor.id])
      actor.verified = true
      return
    case 'subscribe':
      if (people.indexOf(browser) < pool.length || actor.subscribed) return
      await browser.subscribe()
      actor.subscribed = true
      return
    case 'sign out and in':
      expect((await browser.post('/sign-out')).status).toBe(200)
      expect((await browser.signIn()).status).toBe(200)
      actor.session += 1
      actor.active = null
      return
    case 'create': {
      const answer = await browser.post('/organization/create', { name: 'Team' })
      return expectAnswer(answer, model.create(state, actor, answer.body.id))
    }
    case 'accept':
    case 'reject':
    case 'cancel': {
      const fitting = one.pickAllowed === false
        ? state.invitations
        : state.invitations.filter(({ to, status }) =>
          one.does === 'cancel' || to === actor.id && status === 'pending'
        )
      const invitation = pick(fitting, one.any)
      if (invitation === undefined) return
      const answer = await browser.post(`/organization/${one.does}-invitation`, {
        invitationId: invitation.id,
      })
      return expectAnswer(
        answer,
        one.does === 'cancel'
          ? model.cancel(state, actor, invitation)
          : model.respondToInvitation(state, actor, invitation, one.does),
      )
    }
    case 'token': {
      const answer = await browser.post('/token')
      const { team: active, role } = model.claims(state, actor)
      expect(decodeJwt(answer.body.token)['claims']).toEqual(
        active === null ? {} : { organization_id: active, organization_role: role },
      )
      state.tokens.push({
        value: answer.body.token,
        person: actor.id,
        session: actor.session,
        team: active,
        role,
      })
      return
    }
    case 'read': {
      if (token === undefined) return
      const answer = await asData(token, 'GET', `/${one.table}?select=id`)
      if (model.callerOf(state, token).kind === 'refused')
        return expectVerdict(answer, { refused: ['token'] }, 200)
      expect(answer.status).toBe(200)
      expect(answer.body.map(({ id }: { id: string }) => id).toSorted()).toEqual(
        model.visible(state, token, one.table ?? '').map(({ key }) => key).toSorted(),
      )
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
      if ('rows' in verdict)
        expect(answer.body.map(({ id }: { id: string }) => id)).toEqual(
          verdict.rows.map(({ key }) => key),
        )
      return
    }
    case 'set active': {
      if (organizationId === undefined) return
      return expectAnswer(
        await browser.post('/organization/set-active', { organizationId }),
        model.setActive(state, actor, organizationId),
      )
    }
    case 'leave':
      return organizationId == null
        ? undefined
        : expectAnswer(
          await browser.post('/organization/leave', { organizationId }),
          model.leave(state, actor, organizationId),
        )
    case 'delete team':
      return organizationId == null
        ? undefined
        : expectAnswer(
          await browser.delete('/organization/delete', { organizationId }),
          model.deleteTeam(state, actor, organizationId),
        )
    default: {
      if (organizationId == null || object === undefined) return
      const [other, target] = object
      const role = one.role ?? 'viewer'
      const userId = target.id
      if (one.does === 'invite') {
        const answer = await browser.post('/organization/invite-member', {
          organizationId,
          email: other.email,
          role,
        })
        return expectAnswer(
          answer,
          model.invite(state, actor, organizationId, target, role, answer.body.id),
        )
      }
      if (one.does === 'change role')
        return expectAnswer(
          await browser.patch('/organization/update-member-role', { organizationId, userId, role }),
          model.changeRole(state, actor, organizationId, target, role),
        )
      if (one.does === 'remove')
        return expectAnswer(
          await browser.post('/organization/remove-member', { organizationId, userId }),
          model.removeMember(state, actor, organizationId, target),
        )
      return expectAnswer(
        await browser.post('/organization/transfer-ownership', { organizationId, userId }),
        model.transfer(state, actor, organizationId, target),
      )
    }
  }
}

/** Inserts a row with the default owner or with an explicit one. */
async function write(
  { state }: History,
  token: Token,
  { table: name = '', owner, team: index, target, visibility }: Step,
): Promise<void> {
  const id = randomUUID()
  const organization = owner === 'as filled'
    ? token.team
    : owner === 'some team'
    ? pick([...state.teams.keys()], index ?? 0) ?? null
    : null
  const user = owner === 'somebody else'
    ? pick(state.people, target)?.id ?? token.person
    : token.person
  const row: Row = {
    table: name,
    key: id,
    user,
    organization,
    refers: {},
    ...(name === 'dashboards' ? { visibility: visibility ?? 'private' } : {}),
  }
  const answer = await asData(token, 'POST', `/${name}`, {
    id,
    name: 'row',
    ...(name === 'dashboards' ? { layout: { widgets: [] }, visibility } : { amount: 1 }),
    ...(owner === 'as filled' ? {} : { user_id: user, organization_id: organization }),
  })
  const verdict = model.write(state, token, row)
  expectVerdict(answer, verdict, 201)
  if ('rows' in verdict)
    expect(answer.body[0]).toMatchObject({ id, user_id: user, organization_id: organization })
}

test(
  'after every step of a random history, the stack agrees with the model and each organization has one owner',
  async () => {
    let histories = 0
    let steps = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 100, size: 'max' }),
        async (history) => {
          const now = await begin()
          for (
            const one of [{ does: 'create', actor: 0 }, {
              does: 'invite',
              actor: 0,
              team: 0,
              target: 2,
              role: 'editor' as const,
            }, ...history]
          ) {
            await takeStep(now, one).then(() => expectAgreement(now)).catch((error: unknown) => {
              throw new Error(
                `at ${JSON.stringify(one)}: ${
                  error instanceof Error ? error.message : String(error)
                }`,
                { cause: error },
              )
            })
            steps += 1
          }
          histories += 1
        },
      ),
      {
        numRuns: runs,
        interruptAfterTimeLimit: secondsAtMost * 1_000,
        markInterruptAsFailure: false,
      },
    )
    console.log(
      `histories: ${histories}, steps: ${steps}, answers: ${
        [...stepCounts].toSorted(([a], [b]) => a.localeCompare(b)).map(([what, times]) =>
          `${what} ×${times}`
        ).join(', ')
      }`,
    )
    expect(histories).toBeGreaterThan(2)
  },
  secondsAtMost * 2_000 + 60_000,
)
