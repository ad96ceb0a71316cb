/** The widgets of this app and their settings. Widgets of other apps stay unchanged. */
import type { DashboardLayout } from 'finance-client'
import type { Widget } from '../../data/dashboards.ts'
import { common } from '../../messages/common.ts'
import { dashboards as m } from '../../messages/dashboards.ts'

type Setting = { label: string, choices: Record<string, string> }

type Kind = { name: string, size: { w: number, h: number }, settings: Record<string, Setting> }

export const kinds = {
  stat: {
    name: m.number,
    size: { w: 4, h: 2 },
    settings: {
      measure: {
        label: m.measure,
        choices: {
          balance: m.incomeLessExpenses,
          income: m.income,
          expense: m.expenses,
          count: common.transactions,
        },
      },
    },
  },
  cash_flow: {
    name: common.cashFlow,
    size: { w: 6, h: 4 },
    settings: {
      grouping: {
        label: m.periods,
        choices: { monthly: m.months, weekly: m.weeks, quarterly: m.quarters, yearly: m.years },
      },
      periods: { label: m.numberShown, choices: { 6: '6', 12: '12', 3: '3' } },
    },
  },
  distribution: {
    name: m.byCategory,
    size: { w: 6, h: 4 },
    settings: {
      transaction_type: { label: m.kindShown, choices: { expense: m.expenses, income: m.income } },
    },
  },
  budgets: { name: m.budgets, size: { w: 6, h: 4 }, settings: {} },
  balances: { name: m.balances, size: { w: 6, h: 4 }, settings: {} },
  upcoming: { name: m.dueNext, size: { w: 6, h: 4 }, settings: {} },
  transactions: {
    name: m.newestTransactions,
    size: { w: 6, h: 4 },
    settings: { rows: { label: m.numberShown, choices: { 5: '5', 10: '10', 20: '20' } } },
  },
} satisfies Record<string, Kind>

export type KindName = keyof typeof kinds

export const kindOf = (type: string): Kind | undefined => (kinds as Record<string, Kind>)[type]

/** Returns a setting of a widget; the first choice if its `config` is invalid. */
export function settingOf(widget: Pick<Widget, 'type' | 'config'>, name: string): string {
  const choices = Object.keys(kindOf(widget.type)?.settings[name]?.choices ?? {})
  const config =
    typeof widget.config === 'object' && widget.config !== null && !Array.isArray(widget.config)
      ? widget.config
      : {}
  const stored = config[name]
  const validChoice = choices.find((choice) =>
    choice === stored || choice === JSON.stringify(stored)
  )
  // numeric keys of objects are sorted, so the default is not the first one
  return validChoice ?? (name === 'periods' ? '6' : choices[0] ?? '')
}

/** The heading of a widget: the user's, otherwise its content. */
export function titleOf(widget: Widget): string {
  const { config, type } = widget
  const userTitle = typeof config === 'object' && config !== null && !Array.isArray(config)
    ? config['title']
    : undefined
  if (typeof userTitle === 'string' && userTitle !== '') return userTitle
  const kind = kindOf(type)
  const first = type === 'stat'
    ? kind?.settings['measure']?.choices[settingOf(widget, 'measure')]
    : undefined
  return first ??
    (type === 'distribution'
      ? m.kindByCategory(settingOf(widget, 'transaction_type') === 'income' ? m.income : m.expenses)
      : kind?.name ?? type)
}

export const newWidget = (type: KindName, config: Record<string, string> = {}): Widget => ({
  id: crypto.randomUUID(),
  type,
  position: { x: 0, y: 0 },
  size: kinds[type].size,
  config,
})

/** The widgets of a new dashboard. */
export const usualLayout = (): DashboardLayout['widgets'] => [
  newWidget('stat', { measure: 'income' }),
  newWidget('stat', { measure: 'expense' }),
  newWidget('stat', { measure: 'balance' }),
  newWidget('cash_flow'),
  newWidget('distribution'),
  newWidget('budgets'),
  newWidget('transactions'),
]
