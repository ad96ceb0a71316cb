/**
 * The organization half of the interface's table "Roles and permissions", in the engine's terms. The data half is rows in
 * private.role_permissions.
 */
import { createAccessControl } from 'better-auth/plugins/access'

const control = createAccessControl(
  {
    organization: ['update', 'delete'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
    event: ['list'],
  } as const,
)

export const accessControl = control

export const roles = {
  owner: control.newRole({ organization: ['update', 'delete'], member: ['create', 'update', 'delete'], invitation: ['create', 'cancel'], event: ['list'] }),
  admin: control.newRole({ organization: ['update'], member: ['create', 'update', 'delete'], invitation: ['create', 'cancel'], event: ['list'] }),
  editor: control.newRole({ organization: [], member: [], invitation: [], event: [] }),
  viewer: control.newRole({ organization: [], member: [], invitation: [], event: [] }),
}
