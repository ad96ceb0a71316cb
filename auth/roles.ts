/**
 * The roles of an organization's members, and the rights of each role on the organization.
 * The rights on data are rows of private.role_permissions.
 */
import { createAccessControl } from 'better-auth/plugins/access'

export const roleNames = ['owner', 'admin', 'editor', 'viewer'] as const
export type RoleName = typeof roleNames[number]
/**
 * The roles that an invitation, an update of a member or an API key can have. Ownership is
 * transferred instead.
 */
export const givenRoleNames = ['admin', 'editor', 'viewer'] as const

const statements = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
  event: ['list'],
} as const

export const accessControl = createAccessControl(statements)

const none = { organization: [], member: [], invitation: [], event: [] }

export const roles = {
  owner: accessControl.newRole(statements),
  admin: accessControl.newRole({ ...statements, organization: ['update'] }),
  editor: accessControl.newRole(none),
  viewer: accessControl.newRole(none),
}
