/** The pages of the navigation, in their order. */
import {
  ChartColumn,
  FileDown,
  History,
  House,
  Inbox,
  Landmark,
  ReceiptText,
  Repeat,
  Tags,
  Users,
  Wallet,
} from 'lucide-react'
import { common } from '../messages/common.ts'
import { shell as m } from '../messages/shell.ts'
import type { Rights } from './rights.ts'

/**
 * A page in `isDaily` is also in the bottom bar of a phone, whose menu has the others. `begins`
 * separates it from the pages before.
 */
const pages = [
  { to: '/', name: m.overview, Icon: House, isDaily: true, begins: false },
  {
    to: '/transactions',
    name: common.transactions,
    Icon: ReceiptText,
    isDaily: true,
    begins: false,
  },
  { to: '/inbox', name: m.inbox, Icon: Inbox, isDaily: false, begins: false },
  { to: '/accounts', name: m.accounts, Icon: Landmark, isDaily: true, begins: false },
  { to: '/budgets', name: m.budgets, Icon: Wallet, isDaily: false, begins: true },
  { to: '/recurring', name: m.recurring, Icon: Repeat, isDaily: false, begins: false },
  { to: '/categories', name: m.categories, Icon: Tags, isDaily: false, begins: false },
  { to: '/dashboards', name: m.dashboards, Icon: ChartColumn, isDaily: false, begins: false },
  { to: '/import', name: m.import, Icon: FileDown, isDaily: false, begins: true },
  { to: '/activity', name: m.activity, Icon: History, isDaily: false, begins: false },
  { to: '/team', name: m.teams, Icon: Users, isDaily: false, begins: false },
] as const

/**
 * Returns the pages of a user. A viewer changes nothing and therefore has no inbox and no activity.
 */
export const pagesFor = ({ write }: Rights) =>
  pages.filter(({ to }) => write || (to !== '/activity' && to !== '/inbox'))
