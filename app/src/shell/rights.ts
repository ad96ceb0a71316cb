/** The actions that a role may see. */

export type Role = 'owner' | 'admin' | 'editor' | 'viewer'

/**
 * Actions to offer. The database and the auth surface decide; this repeats
 * `private.role_permissions` and the interface's table of roles.
 */
export type Rights = {
  /** Create, change and delete rows, and undo one's own changes. */
  write: boolean
  /** Invite, remove, change roles, rename. */
  manage: boolean
  /** Delete the team, transfer the ownership. */
  own: boolean
}

/** @param role null in the personal context, which is the user's own */
export const rightsOf = (role: Role | null): Rights => ({
  write: role !== 'viewer',
  manage: role === 'owner' || role === 'admin',
  own: role === 'owner',
})
