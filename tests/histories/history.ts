/**
 * What a history is made of, and what the interface says each step does: the membership half. The data half is the model
 * of tests/isolation. Pure: a step changes a state and says what the real stack must answer.
 */
import { insert, list, remove, update, type Caller, type Role, type Row, type Verdict } from '../isolation/model.ts'

export type Member = { id: string, verified: boolean, subscribed: boolean, active: string | null, session: number }
export type Invitation = { id: string, team: string, to: string, role: Role, status: 'pending' | 'accepted' | 'rejected' | 'canceled' }
/** What a token said when it was issued. */
export type Token = { value: string, person: string, session: number, team: string | null, role: Role | null }
export type State = {
  people: Member[]
  teams: Map<string, Map<string, Role>>
  invitations: Invitation[]
  tokens: Token[]
  rows: Row[]
}

/** What must come of it: a status, and what an error may be called. Where several reasons hold, any may be named. */
export type Answer = { statuses: number[], errors: string[] }
const done: Answer = { statuses: [200], errors: [] }
const refused = (status: number, ...errors: string[]): Answer => ({ statuses: [status], errors })
const anyOf = (answers: Answer[]): Answer => ({ statuses: answers.flatMap(({ statuses }) => statuses), errors: answers.flatMap(({ errors }) => errors) })
/** "To an outsider an organization answers as if it did not exist." */
const unknown = refused(404, 'NOT_FOUND')
const forbidden = refused(403, 'FORBIDDEN')
const ownerFirst = refused(403, 'OWNER_REQUIRED', 'FORBIDDEN')

/** "owner and admin: invite, update, remove" */
const managesMembers = (role: Role | undefined): boolean => role === 'owner' || role === 'admin'
const roleIn = (state: State, team: string, person: string): Role | undefined => state.teams.get(team)?.get(person)

/** Whoever is no longer a member has no longer that organization active. */
function settle(state: State): void {
  for (const one of state.people) if (one.active !== null && roleIn(state, one.active, one.id) === undefined) one.active = null
}

export function create(state: State, who: Member, id: string | undefined): Answer {
  if (!who.verified) return refused(403, 'EMAIL_NOT_VERIFIED')
  if (!who.subscribed) return refused(403, 'SUBSCRIPTION_REQUIRED')
  const owned = [...state.teams.values()].filter((members) => members.get(who.id) === 'owner').length
  // "5 organizations per user"
  if (owned >= 5) return refused(403, 'ORGANIZATION_LIMIT_REACHED')
  if (id !== undefined) state.teams.set(id, new Map([[who.id, 'owner']]))
  return done
}

export function invite(state: State, who: Member, team: string, whom: Member, role: Role, id: string | undefined): Answer {
  const mine = roleIn(state, team, who.id)
  if (mine === undefined) return unknown
  if (!managesMembers(mine)) return forbidden
  if (roleIn(state, team, whom.id) !== undefined) return refused(409, 'ALREADY_MEMBER')
  if (state.invitations.some((one) => one.team === team && one.to === whom.id && one.status === 'pending')) return refused(409, 'ALREADY_INVITED')
  if (id !== undefined) state.invitations.push({ id, team, to: whom.id, role, status: 'pending' })
  return done
}

/** Accepting makes a member, and changes nobody's active organization. */
export function answer(state: State, who: Member, invitation: Invitation, how: 'accept' | 'reject'): Answer {
  const against = [
    ...(who.verified ? [] : [refused(403, 'EMAIL_NOT_VERIFIED')]),
    ...(invitation.status === 'pending' && state.teams.has(invitation.team) ? [] : [unknown]),
    ...(invitation.to === who.id ? [] : [forbidden, unknown]),
  ]
  if (against.length > 0) return anyOf(against)
  invitation.status = how === 'accept' ? 'accepted' : 'rejected'
  if (how === 'accept') {
    state.teams.get(invitation.team)?.set(who.id, invitation.role)
  }
  return done
}

/** Canceling again is answered as the first time was: it says what is so. */
export function cancel(state: State, who: Member, invitation: Invitation): Answer {
  const mine = roleIn(state, invitation.team, who.id)
  if (mine === undefined) return anyOf([unknown, forbidden])
  const against = [...(managesMembers(mine) ? [] : [forbidden]), ...(['pending', 'canceled'].includes(invitation.status) ? [] : [unknown])]
  if (against.length > 0) return anyOf(against)
  invitation.status = 'canceled'
  return done
}

/** Of members, by members: the part that role changes and removals share. */
function againstManaging(state: State, who: Member, team: string, whom: Member): Answer | undefined {
  const mine = roleIn(state, team, who.id)
  const theirs = roleIn(state, team, whom.id)
  if (mine === undefined) return unknown
  const against = [
    ...(managesMembers(mine) ? [] : [forbidden]),
    ...(theirs === undefined ? [unknown] : []),
    ...(theirs === 'owner' ? [ownerFirst] : []),
  ]
  return against.length === 0 ? undefined : anyOf(against)
}

export function changeRole(state: State, who: Member, team: string, whom: Member, role: Role): Answer {
  const against = againstManaging(state, who, team, whom)
  if (against !== undefined) return against
  state.teams.get(team)?.set(whom.id, role)
  return done
}

export function removeMember(state: State, who: Member, team: string, whom: Member): Answer {
  const against = againstManaging(state, who, team, whom)
  if (against !== undefined) return against
  state.teams.get(team)?.delete(whom.id)
  settle(state)
  return done
}

export function leave(state: State, who: Member, team: string): Answer {
  const mine = roleIn(state, team, who.id)
  if (mine === undefined) return unknown
  if (mine === 'owner') return ownerFirst
  state.teams.get(team)?.delete(who.id)
  settle(state)
  return done
}

/** "One owner per organization, always": the former one is an admin. */
export function transfer(state: State, who: Member, team: string, whom: Member): Answer {
  const mine = roleIn(state, team, who.id)
  if (mine === undefined) return unknown
  // to oneself: a request that makes no sense, besides one that is perhaps not allowed
  if (who.id === whom.id) return anyOf([refused(400, 'VALIDATION_ERROR'), ...(mine === 'owner' ? [] : [forbidden])])
  const isThere = roleIn(state, team, whom.id) !== undefined
  if (mine !== 'owner' || !isThere) return anyOf([...(mine === 'owner' ? [] : [forbidden]), ...(isThere ? [] : [unknown])])
  const owned = [...state.teams.values()].filter((members) => members.get(whom.id) === 'owner').length
  if (owned >= 5) return refused(403, 'ORGANIZATION_LIMIT_REACHED')
  state.teams.get(team)?.set(who.id, 'admin').set(whom.id, 'owner')
  return done
}

export function setActive(state: State, who: Member, team: string | null): Answer {
  if (team !== null && roleIn(state, team, who.id) === undefined) return unknown
  who.active = team
  return done
}

export function deleteTeam(state: State, who: Member, team: string): Answer {
  const mine = roleIn(state, team, who.id)
  if (mine === undefined) return unknown
  if (mine !== 'owner') return forbidden
  state.teams.delete(team)
  state.invitations = state.invitations.filter((one) => one.team !== team)
  state.rows = state.rows.filter((row) => row.organization !== team)
  settle(state)
  return done
}

/** What a new token says: the active organization and the role in it now. */
export function claims(state: State, who: Member): { team: string | null, role: Role | null } {
  return { team: who.active, role: who.active === null ? null : roleIn(state, who.active, who.id) ?? null }
}

/** "A token ends with what it stands for": its session, and the membership and role it names. */
export function callerOf(state: State, token: Token): Caller {
  const session = state.people.find(({ id }) => id === token.person)?.session
  const holds = token.team === null || roleIn(state, token.team, token.person) === token.role
  return session === token.session && holds ? { kind: 'user', user: token.person, organization: token.team, role: token.role } : { kind: 'refused' }
}

const find = (state: State) => (table: string, key: string): Row | undefined => state.rows.find((row) => row.table === table && row.key === key)
const isAllowed = (verdict: Verdict): boolean => 'rows' in verdict

export function write(state: State, token: Token, row: Row): Verdict {
  const verdict = insert(callerOf(state, token), [row], find(state))
  if (isAllowed(verdict)) state.rows.push(row)
  return verdict
}

export const change = (state: State, token: Token, row: Row): Verdict => update(callerOf(state, token), row.table, [row], {}, find(state))

export function erase(state: State, token: Token, row: Row): Verdict {
  const verdict = remove(callerOf(state, token), row.table, [row], state.rows)
  if ('rows' in verdict) state.rows = state.rows.filter((one) => !verdict.rows.includes(one))
  return verdict
}

export const visible = (state: State, token: Token, table: string): Row[] => list(callerOf(state, token), state.rows.filter((row) => row.table === table))
