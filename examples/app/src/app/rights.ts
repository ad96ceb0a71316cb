/**
 * What somebody may do in a context. The database and the auth surface decide; this says what is worth being offered, in the
 * words of `private.role_permissions` and of the interface's table of roles.
 */

export type Role = 'owner' | 'admin' | 'editor' | 'viewer'

export type Rights = {
  /** Create, change and delete rows, and take one's own changes back. */
  write: boolean
  /** Invite, remove, give roles, rename. */
  manage: boolean
  /** Delete the team, pass the ownership on. */
  own: boolean
}

/** @param role null in the personal context, where everything is one's own */
export const rightsOf = (role: Role | null): Rights => ({
  write: role !== 'viewer',
  manage: role === 'owner' || role === 'admin',
  own: role === 'owner',
})
