/**
 * A model of users, memberships and tokens, written from the interface. The model of the data
 * surface is in tests/isolation. A step changes the state and returns the response that the real
 * stack must give.
 */
import {
  insert,
  list,
  remove,
  update,
  type Caller,
  type Role,
  type Row,
  type Verdict,
} from '../isolation/model.ts'

export type Member = {
  id: string
  verified: boolean
  subscribed: boolean
  active: string | null
  session: number
}
export type Invitation = {
  id: string
  team: string
  to: string
  role: Role
  by: string
  status: 'pending' | 'accepted' | 'rejected' | 'canceled'
}
/** A token with its claims. */
export type Token = {
  value: string
  person: string
  session: number
  team: string | null
  role: Role | null
}
export type State = {
  people: Member[]
  teams: Map<string, Map<string, Role>>
  invitations: Invitation[]
  tokens: Token[]
  rows: Row[]
}

/**
 * The expected status and error codes. If a request breaks several rules, the stack may report any
 * of them.
 */
export type Answer = { statuses: number[], errors: string[] }
const done: Answer = { statuses: [200], errors: [] }
const refused = (status: number, ...errors: string[]): Answer => ({ statuses: [status], errors })
const anyOf = (answers: Answer[]): Answer => ({
  statuses: answers.flatMap(({ statuses }) => statuses),
  errors: answers.flatMap(({ errors }) => errors),
})
/** "To an outsider an organization answers as if it did not exist." */
const unknown = refused(404, 'NOT_FOUND')
const forbidden = refused(403, 'FORBIDDEN')
const ownerFirst = refused(403, 'OWNER_REQUIRED', 'FORBIDDEN')

/** "owner and admin: invite, update, remove" */
const managesMembers = (role: Role | undefined): boolean => role === 'owner' || role === 'admin'
const roleIn = (state: State, team: string, person: string): Role | undefined =>
  state.teams.get(team)?.get(person)

/** Clears the active organization of users who are no longer members of it. */
function clearActiveOrganizations(state: State): void {
  for (const one of state.people)
    if (one.active !== null && roleIn(state, one.active, one.id) === undefined) one.active = null
}

export function create(state: State, actor: Member, id: string | undefined): Answer {
  if (!actor.verified) return refused(403, 'EMAIL_NOT_VERIFIED')
  if (!actor.subscribed) return refused(403, 'SUBSCRIPTION_REQUIRED')
  const owned =
    [...state.teams.values()].filter((members) => members.get(actor.id) === 'owner').length
  // "5 organizations per user"
  if (owned >= 5) return refused(403, 'ORGANIZATION_LIMIT_REACHED')
  if (id !== undefined) state.teams.set(id, new Map([[actor.id, 'owner']]))
  return done
}

export function invite(
  state: State,
  actor: Member,
  team: string,
  target: Member,
  role: Role,
  id: string | undefined,
): Answer {
  const actorRole = roleIn(state, team, actor.id)
  if (actorRole === undefined) return unknown
  if (!managesMembers(actorRole)) return forbidden
  if (roleIn(state, team, target.id) !== undefined) return refused(409, 'ALREADY_MEMBER')
  if (
    state.invitations.some((one) =>
      one.team === team && one.to === target.id && one.status === 'pending'
    )
  ) return refused(409, 'ALREADY_INVITED')
  if (id !== undefined)
    state.invitations.push({ id, team, to: target.id, role, by: actor.id, status: 'pending' })
  return done
}

/** Accepts or rejects an invitation. Accepting does not change the active organization. */
export function respondToInvitation(
  state: State,
  actor: Member,
  invitation: Invitation,
  response: 'accept' | 'reject',
): Answer {
  const errors = [
    ...(actor.verified ? [] : [refused(403, 'EMAIL_NOT_VERIFIED')]),
    ...(invitation.status === 'pending' && state.teams.has(invitation.team) ? [] : [unknown]),
    ...(invitation.to === actor.id ? [] : [forbidden, unknown]),
  ]
  if (errors.length > 0) return anyOf(errors)
  invitation.status = response === 'accept' ? 'accepted' : 'rejected'
  if (response === 'accept') {
    state.teams.get(invitation.team)?.set(actor.id, invitation.role)
  }
  return done
}

/** Cancels an invitation. Canceling it again succeeds. */
export function cancel(state: State, actor: Member, invitation: Invitation): Answer {
  const actorRole = roleIn(state, invitation.team, actor.id)
  if (actorRole === undefined) return anyOf([unknown, forbidden])
  const errors = [
    ...(managesMembers(actorRole) ? [] : [forbidden]),
    ...(['pending', 'canceled'].includes(invitation.status) ? [] : [unknown]),
  ]
  if (errors.length > 0) return anyOf(errors)
  invitation.status = 'canceled'
  return done
}

/** Returns the errors that role changes and removals share. */
function managementErrors(
  state: State,
  actor: Member,
  team: string,
  target: Member,
): Answer | undefined {
  const actorRole = roleIn(state, team, actor.id)
  const targetRole = roleIn(state, team, target.id)
  if (actorRole === undefined) return unknown
  const errors = [
    ...(managesMembers(actorRole) ? [] : [forbidden]),
    ...(targetRole === undefined ? [unknown] : []),
    ...(targetRole === 'owner' ? [ownerFirst] : []),
  ]
  return errors.length === 0 ? undefined : anyOf(errors)
}

/** Cancels the pending invitations of members who may no longer invite. */
function cancelInvitations(state: State): void {
  for (const one of state.invitations) {
    const isOfManager = managesMembers(roleIn(state, one.team, one.by))
    if (one.status === 'pending' && !isOfManager) one.status = 'canceled'
  }
}

export function changeRole(
  state: State,
  actor: Member,
  team: string,
  target: Member,
  role: Role,
): Answer {
  const errors = managementErrors(state, actor, team, target)
  if (errors !== undefined) return errors
  state.teams.get(team)?.set(target.id, role)
  cancelInvitations(state)
  return done
}

export function removeMember(state: State, actor: Member, team: string, target: Member): Answer {
  const errors = managementErrors(state, actor, team, target)
  if (errors !== undefined) return errors
  state.teams.get(team)?.delete(target.id)
  cancelInvitations(state)
  clearActiveOrganizations(state)
  return done
}

export function leave(state: State, actor: Member, team: string): Answer {
  const actorRole = roleIn(state, team, actor.id)
  if (actorRole === undefined) return unknown
  if (actorRole === 'owner') return ownerFirst
  state.teams.get(team)?.delete(actor.id)
  cancelInvitations(state)
  clearActiveOrganizations(state)
  return done
}

/** "One owner per organization, always": the former owner becomes an admin. */
export function transfer(state: State, actor: Member, team: string, target: Member): Answer {
  const actorRole = roleIn(state, team, actor.id)
  if (actorRole === undefined) return unknown
  // A transfer to oneself is invalid, and it may also be forbidden.
  if (actor.id === target.id)
    return anyOf([refused(400, 'VALIDATION_ERROR'), ...(actorRole === 'owner' ? [] : [forbidden])])
  const targetIsMember = roleIn(state, team, target.id) !== undefined
  if (actorRole !== 'owner' || !targetIsMember)
    return anyOf([
      ...(actorRole === 'owner' ? [] : [forbidden]),
      ...(targetIsMember ? [] : [unknown]),
    ])
  const owned =
    [...state.teams.values()].filter((members) => members.get(target.id) === 'owner').length
  if (owned >= 5) return refused(403, 'ORGANIZATION_LIMIT_REACHED')
  state.teams.get(team)?.set(actor.id, 'admin').set(target.id, 'owner')
  return done
}

export function setActive(state: State, actor: Member, team: string | null): Answer {
  if (team !== null && roleIn(state, team, actor.id) === undefined) return unknown
  actor.active = team
  return done
}

export function deleteTeam(state: State, actor: Member, team: string): Answer {
  const actorRole = roleIn(state, team, actor.id)
  if (actorRole === undefined) return unknown
  if (actorRole !== 'owner') return forbidden
  state.teams.delete(team)
  state.invitations = state.invitations.filter((one) => one.team !== team)
  state.rows = state.rows.filter((row) => row.organization !== team)
  clearActiveOrganizations(state)
  return done
}

/** Returns the claims of a new token: the active organization and the current role in it. */
export function claims(state: State, actor: Member): { team: string | null, role: Role | null } {
  return {
    team: actor.active,
    role: actor.active === null ? null : roleIn(state, actor.active, actor.id) ?? null,
  }
}

/** Returns the caller of a token. It is refused after its session, membership or role has ended. */
export function callerOf(state: State, token: Token): Caller {
  const session = state.people.find(({ id }) => id === token.person)?.session
  const holds = token.team === null || roleIn(state, token.team, token.person) === token.role
  return session === token.session && holds
    ? { kind: 'user', user: token.person, organization: token.team, role: token.role }
    : { kind: 'refused' }
}

const find = (state: State) => (table: string, key: string): Row | undefined =>
  state.rows.find((row) => row.table === table && row.key === key)
const isAllowed = (verdict: Verdict): boolean => 'rows' in verdict

export function write(state: State, token: Token, row: Row): Verdict {
  const verdict = insert(callerOf(state, token), [row], find(state))
  if (isAllowed(verdict)) state.rows.push(row)
  return verdict
}

export const change = (state: State, token: Token, row: Row): Verdict =>
  update(callerOf(state, token), row.table, [row], {}, find(state))

export function erase(state: State, token: Token, row: Row): Verdict {
  const verdict = remove(callerOf(state, token), row.table, [row], state.rows)
  if ('rows' in verdict) state.rows = state.rows.filter((one) => !verdict.rows.includes(one))
  return verdict
}

export const visible = (state: State, token: Token, table: string): Row[] =>
  list(callerOf(state, token), state.rows.filter((row) => row.table === table))
