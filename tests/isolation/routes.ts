/**
 * The outcome of each route of the auth surface for callers without the right to it. It is written
 * from the interface and docs/auth.md, and not from the policies of the rows. A route that is
 * missing here must refuse a caller without a session.
 */
import type { Role } from './model.ts'

/**
 * "Sign-up, sign-in, verify-email, forget-password, reset-password and jwks need no credential",
 * and what docs/auth.md adds: the status without any.
 */
export const publicRoutes: Record<string, number> = {
  'POST /sign-up/email': 200,
  'POST /sign-in/email': 401,
  'GET /verify-email': 400,
  'POST /disown-account': 400,
  'POST /send-verification-email': 200,
  'POST /forget-password': 200,
  'POST /reset-password': 400,
  'POST /confirm-email-change': 400,
  'POST /stop-email-change': 400,
  'GET /jwks': 200,
  'GET /session-status': 200,
  'POST /two-factor/verify-totp': 401,
  'POST /two-factor/verify-backup-code': 401,
  'POST /passkey/generate-authenticate-options': 200,
  'POST /passkey/verify-authentication': 400,
  'GET /sign-in/methods': 200,
  'POST /sign-in/oidc': 404,
  'GET /callback/oidc': 404,
  'GET /organization/get-invitation': 404,
  'PUT /files/{ticket}': 404,
  'GET /files/{ticket}': 404,
  'GET /calendar/{secret}.ics': 404,
}

/** "An API key can only request tokens", and read the live stream. */
export const routesWithKey = ['POST /token', 'GET /changes']
/** "The JWT is the credential for the data surface", and for the live stream. */
export const routesWithToken = ['GET /changes']

/**
 * The fields that name an object of a user or of a team. Another person's object is 404, like one
 * that does not exist.
 */
export const objectFields = [
  'organizationId',
  'sessionId',
  'passkeyId',
  'invitationId',
  'keyId',
  'webhookId',
  'calendarId',
  'before',
] as const

/** Routes to which an object of another person is not 404. */
export const otherOutcomes: Record<string, number> = {
  // the id is in the mailed link, and its holder may read the invitation
  'GET /organization/get-invitation': 200,
  // the holder of the link knows that the invitation exists
  'POST /organization/accept-invitation': 403,
  'POST /organization/reject-invitation': 403,
}

const everyRole: Role[] = ['viewer', 'editor', 'admin', 'owner']
const managers: Role[] = ['admin', 'owner']

/** The part of a team that a case needs: the ids of the members, and a new pending invitation. */
export type TeamOfCase = {
  id: string
  members: Record<Role, string>
  invite: () => Promise<string>
}
type TeamRoute = {
  /** The roles that may use the route, in the order of the requests. */
  roles: Role[]
  input?: (team: TeamOfCase, role: Role) => object | Promise<object>
  /** The error of every other role. Default: FORBIDDEN. */
  refusal?: string
}

/** Gives each role a member with less rights to act on. A role without rights acts on the admin. */
const memberFor = ({ members }: TeamOfCase, role: Role) => ({
  userId: role === 'owner' ? members.editor : role === 'admin' ? members.viewer : members.admin,
})

/**
 * "Roles and permissions" of the interface: "invite, update, remove" members, "update, delete,
 * transfer ownership" of the organization.
 */
export const teamRoutes: Record<string, TeamRoute> = {
  'GET /organization/get': { roles: everyRole },
  'GET /organization/list-members': { roles: everyRole },
  'POST /organization/set-active': { roles: everyRole },
  'PATCH /organization/update': { roles: managers, input: () => ({ name: 'Renamed' }) },
  'DELETE /organization/delete': { roles: ['owner'] },
  'PATCH /organization/update-member-role': {
    roles: managers,
    input: (team, role) => ({ ...memberFor(team, role), role: 'viewer' }),
  },
  'POST /organization/remove-member': { roles: managers, input: memberFor },
  'POST /organization/leave': { roles: ['viewer', 'editor', 'admin'], refusal: 'OWNER_REQUIRED' },
  'POST /organization/transfer-ownership': { roles: ['owner'], input: memberFor },
  'POST /organization/invite-member': {
    roles: managers,
    input: (_, role) => ({ email: `new-of-${role}@example.org`, role: 'viewer' }),
  },
  'POST /organization/cancel-invitation': {
    roles: managers,
    input: async ({ invite }) => ({ invitationId: await invite() }),
  },
  'GET /organization/list-invitations': { roles: managers },
  'GET /organization/list-events': { roles: managers },
  'POST /api-key/create': {
    roles: ['editor', 'admin', 'owner'],
    input: () => ({ role: 'editor' }),
  },
  'POST /webhook/create': { roles: managers },
  'POST /calendar/create': { roles: everyRole },
}
