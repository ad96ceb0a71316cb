/** The pages of the navigation. The first four are in the bottom bar of a phone, whose menu has the others. */
export const places = [
  { to: '/', name: 'Overview' },
  { to: '/transactions', name: 'Transactions' },
  { to: '/accounts', name: 'Accounts' },
  { to: '/recurring', name: 'Recurring' },
  { to: '/categories', name: 'Categories' },
  { to: '/import', name: 'Import' },
  { to: '/dashboards', name: 'Dashboards' },
  { to: '/activity', name: 'Activity' },
  { to: '/team', name: 'Teams' },
] as const

export const inBottomBar = 4

/** @param canUndo `rights.undo`: who may read what was changed */
export const placesFor = (canUndo: boolean) => places.filter(({ to }) => to !== '/activity' || canUndo)
