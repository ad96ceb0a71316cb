/**
 * Weakenings that no data request can detect alone, with the reason. If a second piece enforces the
 * same rule, `keptBy` names it. The suite must notice if both are weakened together. It must notice
 * every other weakening alone.
 */
export type Equivalent = {
  name: RegExp
  reason: string
  /** The other piece's name as a pattern. $1 and so on are the groups of `name`. */
  keptBy?: string
}

const beforeRow = String.raw`^trigger [12]_before_row on api\.$1: disabled$`

export const equivalents: Equivalent[] = [
  {
    name: /^unique index api\.(transactions)_tenant_import: dropped$/,
    keptBy: beforeRow,
    reason: 'before_row() finds the row first; the index protects concurrent imports',
  },
  // Rules that another piece enforces, which cannot be weakened alone.
  {
    name: /^constraint (\w+)_tenant_is_of_owner on api\.\1: dropped$/,
    reason: 'before_row() sets the tenant of every row that a caller writes',
  },
  {
    name: /^policy \w+ on api\.\w+: using without private\.is_not_explained\(\)/,
    reason: 'it decides on requests and not on rows; values.test.ts removes it and gets estimates',
  },
  {
    name:
      /^policy transactions_read on api\.transactions: using without \(?\(transaction_date\)::timestamp with time zone >= /,
    reason:
      'it leaves out rows of the caller that a page would not show, and saves reading them; plans-of-lists.test.ts counts them',
  },
  {
    name:
      /^policy dashboards_(?:update|delete) on api\.dashboards: using without (?:visibility|\( SELECT private\.can\('dashboards'::text, 'list_private')/,
    reason:
      'it hides rows from a viewer, who may change no row of the team, and whose filters see what the policy for select shows',
  },
  {
    name:
      /^execute on api\.(?:get_\w+|create_transfer|begin_upload|current_balance|delete_category|import_transactions|link_transfer|open_attachment|record_subscription|search_text|set_balance|sort_name|undo|unlink_transfer)\(.*\): granted to anon$/,
    reason: 'the functions it calls in private are not granted to anon',
  },
  {
    name: /^insert on api\.\w+: granted to anon$/,
    reason: 'a trigger before the policy calls a function of private that is not granted to anon',
  },
  {
    name: /^right of the \w+ to (?:create|get|update|delete) activity: given$/,
    reason: 'no role is granted to write it, and reading it is the right to list',
  },
  {
    name: /^constraint (\w+)_organization_id_fkey on api\.\1: dropped$/,
    reason:
      'delete_rows_of_tenant() deletes the rows of an organization before the foreign key would have an effect',
  },
  {
    name: /^constraint categories_parent_id_fkey on api\.categories: dropped$/,
    reason:
      "check_category_family() refuses another tenant's parent too: tests/data/categories.test.ts",
  },
  {
    name: /^right of the (?:owner|admin) to list_own activity: given$/,
    reason: 'these roles list all of it',
  },
  {
    name: /^constraint transactions_import_id_fkey on api\.transactions: dropped$/,
    reason:
      'delete_import_transactions() deletes the transactions of an import before the foreign key would have an effect',
  },
  {
    name: /^right of the \w+ to (?:create|update) imports: given$/,
    reason:
      'an import stores transactions, which needs the right to create those; update is not granted',
  },
  {
    name: /^policy transaction_tags_update on api\.transaction_tags: using without tenant = /,
    reason:
      'a filter only matches rows that the select policy allows; an update without one sets the same tag everywhere, which the key refuses',
  },
  {
    name: /^(?:policy imports_delete on api\.imports: |right of the \w+ to delete imports: given$)/,
    reason:
      'an import of the world has transactions that were changed, so no caller can delete one: in tests/data/import-files.test.ts a stranger tries',
  },
  {
    name: /^constraint (\w+)_have_(?:an|one)_owner on api\.\1: dropped$/,
    reason:
      'no caller can make a row without an owner, and deleting a user deletes the personal rows first',
  },
  {
    name: /^constraint app_subscriptions_product_id_fkey/,
    reason: 'callers do not write this table; it guards the operator',
  },
  {
    name: /^execute on api\.\w+\(json\): /,
    reason: 'it handles calls with unknown arguments, and returns no row',
  },
  // Pieces that do not decide who sees and changes rows. tests/data covers them.
  {
    name: /^trigger \d_record_(?:creation|change|deletion) on /,
    reason: 'it records changes, and decides nothing: tests/data/activity.test.ts',
  },
  {
    name: /^constraint activity_has_one_owner on api\.activity: dropped$/,
    reason: 'callers do not write this table',
  },
  {
    name: /^trigger 1_note_sent_day on api\.transactions: disabled$/,
    reason: 'it normalizes a value',
  },
  {
    name:
      /^trigger (?:2_after_row on api\.(?:budgets|categories)|(?:3_after_row|4_\w+) on api\.transactions|line_item_checks_check on private\.line_item_checks): disabled$/,
    reason:
      'it keeps sums, families, past budgets, closed days and the values of the bank consistent, within one tenant: '
      + 'tests/data/{accounts,budget-changes,budgets,categories,closed-days,transfers,line-items,import-updates,owner}.test.ts',
  },
  {
    name: /^trigger \d_note_change on api\.(?:dashboards|app_subscriptions): disabled$/,
    reason: 'it notes changes for live streams, and decides nothing: tests/auth/changes.test.ts',
  },
]
