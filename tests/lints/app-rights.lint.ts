/** The rights of the reference app match the database and the auth surface. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { roles } from '../../auth/roles.ts'
import { rightsOf } from '../../app/src/shell/rights.ts'

const everyRole = ['owner', 'admin', 'editor', 'viewer'] as const

test('in the personal context a user may change rows, but not manage a team', () => {
  expect(rightsOf(null)).toEqual({ write: true, manage: false, own: false })
})

test('the app offers each role what the auth surface allows', () => {
  for (const role of everyRole) {
    const { manage, own } = rightsOf(role)
    expect([role, manage, own]).toEqual([
      role,
      roles[role].authorize({ invitation: ['create'], member: ['update'] }).success,
      roles[role].authorize({ organization: ['delete'] }).success,
    ])
  }
})

test('the app offers each role what the database allows', async () => {
  const rules = (file: string) => readFile(new URL(`../../db/${file}.sql`, import.meta.url), 'utf8')
  const gives = (sql: string, ...words: string[]) =>
    sql.split('union all').some((select) => words.every((word) => select.includes(`'${word}'`)))
  const [, usual = ''] = (await rules('core/role_permissions')).split('usual_rights')
  const activity = await rules('activity/activity')
  const files = [
    'transactions/transactions',
    'accounts/accounts',
    'categories/categories',
    'budgets/budgets',
    'recurring/subscriptions',
    'rates/exchange_rates',
    'dashboards/dashboards',
    'imports/imports',
  ]
  for (const role of everyRole) {
    const { write } = rightsOf(role)
    // A role that changes rows may at least list its own changes, and so can undo them.
    expect([role, write]).toEqual([
      role,
      gives(activity, role, 'list') || gives(activity, role, 'list_own'),
    ])
    for (const file of files) {
      const table = file.split('/')[1] ?? ''
      expect(await rules(file)).toContain(`select role, '${table}', action from usual_rights;`)
      expect([role, table, write]).toEqual([role, table, gives(usual, role, 'update')])
    }
  }
})
