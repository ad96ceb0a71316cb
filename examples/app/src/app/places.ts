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

/** The pages that a person is offered. @param canWrite `rights.write`: a person who changes nothing has no activity */
export const placesFor = (canWrite: boolean) => places.filter(({ to }) => to !== '/activity' || canWrite)
