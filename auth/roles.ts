/** The roles of an organization's members. Source: interface "Roles and permissions". */

export const roleNames = ['owner', 'admin', 'editor', 'viewer'] as const
export type RoleName = typeof roleNames[number]
/** Roles that can be given: ownership is transferred, never given. */
export const givenRoleNames = ['admin', 'editor', 'viewer'] as const
