/** The pages of the navigation, and the actions that a role may see. */
import { common } from '../messages/common.ts'
import { shell as m } from '../messages/shell.ts'

/** The first four are in a phone's bottom bar; the menu has the others. */
const pages = [
  { to: '/', name: m.overview },
  { to: '/transactions', name: common.transactions },
  { to: '/accounts', name: m.accounts },
  { to: '/recurring', name: m.recurring },
  { to: '/categories', name: m.categories },
  { to: '/import', name: m.import },
  { to: '/dashboards', name: m.dashboards },
  { to: '/activity', name: m.activity },
  { to: '/team', name: m.teams },
] as const

export const inBottomBar = 4

/** A viewer changes nothing and therefore has no activity. */
export const pagesFor = ({ write }: Rights) => pages.filter(({ to }) => to !== '/activity' || write)

export type Role = 'owner' | 'admin' | 'editor' | 'viewer'

/** Actions to offer. The database and the auth surface decide; this repeats `private.role_permissions` and the interface's table of roles. */
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
