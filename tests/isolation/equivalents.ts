/**
 * Weakenings that no data request can detect alone, with the reason. If a second piece enforces the same rule, `keptBy` names it. The suite must
 * notice if both are weakened together. It must notice every other weakening alone.
 */
export type Equivalent = {
  name: RegExp
  reason: string
  /** The other piece's name as a pattern. $1 and so on are the groups of `name`. */
  keptBy?: string
}

const uid = String.raw`user_id = \( SELECT private\.personal_id\(\) AS personal_id\) at \d+`
const team = String.raw`organization_id = \( SELECT org_id\(\) AS org_id\) at \d+`
const beforeRow = String.raw`^trigger [23]_before_row on api\.$1: disabled$`

export const equivalents: Equivalent[] = [
  {
    name: /^policy (line_items|transaction_tags|attachments|activity)_\w+ on api\.\1: (?:using|with check) without organization_id IS NULL at \d+$/,
    reason: 'a part, or a row of activity, that has a user has no organization, which a constraint enforces',
  },
  // Rules that two pieces enforce.
  {
    name: new RegExp(`^policy (\\w+)_create on api\\.\\1: with check without ${uid}$`),
    keptBy: beforeRow,
    reason: 'before_row() refuses a foreign user_id before the policy is checked',
  },
  {
    name: new RegExp(`^policy (\\w+)_update on api\\.\\1: with check without (?:organization_id IS NULL at \\d+|${uid}|${team})$`),
    keptBy: beforeRow,
    reason: 'an update that passes USING and keeps the owner pair cannot violate this; before_row() refuses a change of the pair',
  },
  {
    name: /^unique index api\.(transactions)_(?:personal|team)_import: dropped$/,
    keptBy: beforeRow,
    reason: 'before_row() finds the row first; the index protects concurrent imports',
  },
  {
    name: new RegExp(`^policy (line_items|transaction_tags)_create on api\\.\\1: with check without ${team}$`),
    keptBy: beforeRow,
    reason: 'before_row() gives a part the pair of a transaction that the caller sees',
  },
  // Rules that another piece enforces, which cannot be weakened alone.
  {
    name: /^policy \w+ on api\.\w+: using without private\.is_not_explained\(\)/,
    reason: 'it decides on requests and not on rows; values.test.ts removes it and gets estimates',
  },
  {
    name: /^policy transactions_read on api\.transactions: using without \(?\(transaction_date\)::timestamp with time zone >= /,
    reason: 'it leaves out rows of the caller that a page would not show, and saves reading them; plans-of-lists.test.ts counts them',
  },
  {
    name: /using without \( SELECT private\.can\('\w+'::text, 'list'::text\) AS can\) at \d+$/,
    reason: 'each of the four roles may list, and no token with another role passes private.pre_request()',
  },
  {
    name: /^policy dashboards_(?:update|delete) on api\.dashboards: using without (?:visibility|\( SELECT private\.can\('dashboards'::text, 'list_private')/,
    reason: 'it hides rows from a viewer, who may change no row of the team, and whose filters see what the policy for select shows',
  },
  {
    name:
      /^execute on api\.(?:get_\w+|create_transfer|current_balance|delete_category|import_transactions|link_transfer|record_subscription|search_text|set_balance|sort_name|undo|unlink_transfer)\(.*\): granted to anon$/,
    reason: 'the functions it calls in private are not granted to anon',
  },
  { name: /^insert on api\.\w+: granted to anon$/, reason: 'a trigger before the policy calls a function of private that is not granted to anon' },
  { name: /^right of the \w+ to (?:create|get|update|delete) activity: given$/, reason: 'no role is granted to write it, and reading it is the right to list' },
  {
    name: /^constraint (\w+)_organization_id_fkey on api\.\1: dropped$/,
    reason: 'delete_rows_of_tenant() deletes the rows of an organization before the foreign key would have an effect',
  },
  {
    name: /^(?:trigger 3_check_(?:new|changed)_family|constraint categories_parent_id_fkey) on api\.categories: (?:disabled|dropped)$/,
    reason: 'it keeps the two levels of the categories of one tenant: tests/data/categories.test.ts, also with a parent of another context',
  },
  {
    name: /^trigger 3_after_row on api\.(?:budgets|categories): disabled$/,
    reason: 'it stores the budgets of past months, within one tenant: tests/data/budgets.test.ts',
  },
  { name: /^right of the (?:owner|admin) to list_own activity: given$/, reason: 'these roles list all of it' },
  {
    name: /^constraint transactions_import_id_fkey on api\.transactions: dropped$/,
    reason: 'delete_import_transactions() deletes the transactions of an import before the foreign key would have an effect',
  },
  {
    name: /^right of the \w+ to (?:create|update) imports: given$/,
    reason: 'an import stores transactions, which needs the right to create those; update is not granted',
  },
  {
    name: new RegExp(`^policy transaction_tags_update on api\\.transaction_tags: using without ${team}$`),
    reason: 'a filter only matches rows that the select policy allows; an update without one sets the same tag everywhere, which the key refuses',
  },
  {
    name: /^(?:policy imports_delete on api\.imports: |right of the \w+ to delete imports: given$)/,
    reason: 'an import of the world has transactions that were changed, so no caller can delete one: in tests/data/import-files.test.ts a stranger tries',
  },
  {
    name: /^constraint (\w+)_have_(?:an|one)_owner on api\.\1: dropped$/,
    reason: 'no caller can make a row without an owner, and deleting a user deletes the personal rows first',
  },
  {
    name: /^trigger 6_after_update_by_owner on api\.transactions: disabled$/,
    reason: 'no caller changes the tenant of a transaction: tests/data/owner.test.ts does, as the owner of the database',
  },
  { name: /^constraint app_subscriptions_product_id_fkey/, reason: 'callers do not write this table; it guards the operator' },
  { name: /^execute on api\.\w+\(json\): /, reason: 'it handles calls with unknown arguments, and returns no row' },
  // Pieces that do not decide who sees and changes rows. tests/data covers them.
  { name: /^trigger \d_record_(?:creation|change|deletion) on /, reason: 'it records changes, and decides nothing: tests/data/activity.test.ts' },
  { name: /^constraint activity_has_one_owner on api\.activity: dropped$/, reason: 'callers do not write this table' },
  {
    name: /^trigger (?:1_updated_at on api\.app_subscriptions|2_before_naming_day on api\.transactions): disabled$/,
    reason: 'it normalizes a value',
  },
  {
    name:
      /^trigger (?:3_after_(?:row|delete) on api\.accounts|[45]_\w+ on api\.line_items|(?:5_after_\w+_by_caller|7_change_other_halves|7_after_delete|7_note_deletion|9_line_items) on api\.transactions): disabled$/,
    reason: 'it keeps sums and the values of the bank consistent, within one tenant: tests/data/{accounts,transfers,line-items,import-updates}.test.ts',
  },
  {
    name: /^trigger (?:3_take_updates_back on api\.imports|1_forget_import_updates on api\.activity): disabled$/,
    reason: 'it keeps the values of the bank for a transaction, within one tenant: tests/data/import-updates.test.ts',
  },
  {
    name: /^trigger \d_keep_closed_\w+ on api\.\w+: disabled$/,
    reason: 'it refuses changes in closed days, within one tenant: tests/data/closed-days.test.ts',
  },
  {
    name: /^trigger \d_note_(?:creation|change|deletion) on api\.(?:dashboards|app_subscriptions): disabled$/,
    reason: 'it notes changes for live streams, and decides nothing: tests/auth/changes.test.ts',
  },
  {
    name: /^trigger 3_(?:keep|release)_files on api\.attachments: disabled$/,
    reason: 'it keeps the file of a deleted attachment for an undo, within one tenant: tests/data/attachments.test.ts',
  },
  { name: /^trigger 1_before_statement on /, reason: 'it decides which of two requests waits: tests/data/turns.test.ts' },
]
