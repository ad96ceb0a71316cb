/**
 * Weakenings that by themselves no data request can tell from the real thing, each with the reason. Where a second piece
 * keeps the same rule, `keptBy` names it, and the two are weakened together: that must be noticed. What is not here must
 * be noticed alone.
 */
export type Equivalent = {
  name: RegExp
  reason: string
  /** The other piece's name, as a pattern; $1 and so on are what `name` has captured. */
  keptBy?: string
}

const uid = String.raw`user_id = \( SELECT private\.personal_id\(\) AS personal_id\) at \d+`
const team = String.raw`organization_id = \( SELECT org_id\(\) AS org_id\) at \d+`
const keepOwner = String.raw`^trigger $1_keep_owner on api\.$1: disabled$`

export const equivalents: Equivalent[] = [
  {
    name: /^policy (line_items|transaction_tags|activity)_\w+ on api\.\1: (?:using|with check) without organization_id IS NULL at \d+$/,
    reason: 'a part, or a row of activity, that has a user has no organization, which a constraint keeps',
  },
  // --- kept twice
  {
    name: new RegExp(`^policy (\\w+)_create on api\\.\\1: with check without ${uid}$`),
    keptBy: String.raw`^trigger $1_(1_)?set_owner on api\.$1: disabled$`,
    reason: 'set_owner() refuses a foreign user_id before the policy is asked',
  },
  {
    name: new RegExp(`^policy (\\w+)_update on api\\.\\1: with check without (?:organization_id IS NULL at \\d+|${uid}|${team})$`),
    keptBy: keepOwner,
    reason: 'an update that passes USING and moves nothing cannot break this; keep_identity() refuses the moves',
  },
  {
    name: /^unique index api\.(transactions)_(?:personal|team)_import: dropped$/,
    keptBy: String.raw`^trigger $1_2_recognize_import on api\.$1: disabled$`,
    reason: 'recognize_import() finds the row first; the index is there for two imports at the same moment',
  },
  {
    name: new RegExp(`^policy (line_items|transaction_tags)_create on api\\.\\1: with check without ${team}$`),
    keptBy: String.raw`^trigger $1_1_set_owner on api\.$1: disabled$`,
    reason: 'set_owner_of_part() gives a part the pair of a transaction that the caller sees',
  },
  {
    name: /^trigger 0_((?:past_)?budgets)_check_category on api\.\1: disabled$/,
    keptBy: String.raw`^trigger $1_2_check_category_of_key on api\.$1: disabled$`,
    reason: 'the category of a budget is asked before its key, too',
  },
  // --- kept by something that cannot be weakened alone
  {
    name: /^policy \w+ on api\.\w+: using without private\.is_plain_query\(\)/,
    reason: 'it decides about questions and not about rows; values.test.ts takes it away and sees the estimates',
  },
  {
    name: /^policy transactions_read on api\.transactions: using without \(?\(transaction_date\)::timestamp with time zone >= /,
    reason: 'it leaves out rows of the caller that a page would not show, and saves reading them; plans-of-lists.test.ts counts them',
  },
  {
    name: /using without \( SELECT private\.can\('\w+'::text, 'list'::text\) AS can\) at \d+$/,
    reason: 'each of the four roles may list, and no token with another role gets past private.pre_request()',
  },
  {
    name: /^policy dashboards_(?:update|delete) on api\.dashboards: using without (?:visibility|\( SELECT private\.can\('dashboards'::text, 'list_private')/,
    reason: 'it hides rows from a viewer, who may change no row of the team, and whose filters see what the policy for select shows',
  },
  {
    name: /^execute on api\.(?:get_\w+|create_transfer|delete_category|import_transactions|record_subscription|undo)\(.*\): granted to anon$/,
    reason: 'the functions it calls in private are not granted to anon',
  },
  { name: /^insert on api\.\w+: granted to anon$/, reason: 'a trigger before the policy asks a function of private that is not granted to anon' },
  { name: /^right of the \w+ to (?:create|get|update|delete) activity: given$/, reason: 'no role is granted to write it, and reading it is the right to list' },
  {
    name: /^constraint (?:past_)?budgets_organization_id_fkey on api\.(?:past_)?budgets: dropped$/,
    reason: 'a budget goes with its category, which goes with the organization',
  },
  {
    name: /^(?:trigger budgets_start\w*|trigger \w*_keep_past\w*|function private\.(?:keep_past_of_\w+|keep_past_budget|restate_budget))\b/,
    reason: 'it keeps the figures of past months, within one tenant: tests/data/budgets.test.ts',
  },
  { name: /^right of the (?:owner|admin) to list_own activity: given$/, reason: 'these roles list all of it' },
  {
    name: /^constraint transactions_import_id_fkey on api\.transactions: dropped$/,
    reason: 'take_import_back() deletes the transactions of an import before the reference could be missed',
  },
  {
    name: /^trigger (?:0_imports_check_account|imports_(?:1_set_owner|keep_owner)) on /,
    reason: 'callers are granted neither insert nor update; begin_import() makes the row',
  },
  {
    name: /^right of the \w+ to (?:create|update) imports: given$/,
    reason: 'an import stores transactions, which asks the right to create those; update is not granted',
  },
  {
    name: new RegExp(`^policy transaction_tags_update on api\\.transaction_tags: using without ${team}$`),
    reason: 'a filter shows what the policy for select shows; an update without one gives all the same tag, which the key refuses',
  },
  {
    name: /^(?:(?:policy imports_delete|trigger imports_require_delete) on api\.imports: |right of the \w+ to delete imports: given$)/,
    reason:
      'an import of the world has transactions that were changed, so none can be deleted, whoever asks: tests/data/import-files.test.ts has a stranger try',
  },
  {
    name: /^constraint (\w+)_have_(?:an|one)_owner on api\.\1: dropped$/,
    reason: 'no caller can make a row without an owner, and deleting a user deletes the personal rows first',
  },
  {
    name: /^trigger transactions_pass_owner_on on /,
    reason: 'no caller changes the tenant of a transaction: tests/data/owner.test.ts does, as the owner of the database',
  },
  { name: /^constraint app_subscriptions_product_id_fkey/, reason: 'callers do not write this table; it guards the operator' },
  { name: /^execute on api\.\w+\(json\): /, reason: 'it answers a call with arguments that no function takes, and no row' },
  // --- not about who sees and changes what: tests/data walks them
  { name: /^trigger \w+_0_count_(?:created|changed) on /, reason: 'it counts the rows of a request: tests/data/activity-of-many.test.ts' },
  { name: /^trigger \w+_record_(?:creation|change|deletion) on /, reason: 'it records what was done, and decides nothing: tests/data/activity.test.ts' },
  { name: /^constraint activity_has_one_owner on api\.activity: dropped$/, reason: 'callers do not write this table' },
  {
    name: /^trigger \w+_(?:set_timestamps|updated_at|lower_\w+|mask_account_number|take_(?:usd|currency)|z_[23]_\w+_(?:known|fits_currency)|z_0_\w+) on /,
    reason: 'it keeps the form of a value',
  },
  { name: /^trigger \w+_z_1_explain_refusal on /, reason: 'it adds words to what a constraint refuses: tests/data/errors.test.ts' },
  {
    name:
      /^trigger (?:accounts_keep_currency|line_items_(?:note_\w+|fit|amount_fits_currency|keep_\w*items_of_transfer)|transactions_(?:note_\w+|fit|keep_\w+_transfer|keep_transfer_of_items|change_other_halves|delete_other_halves)) on /,
    reason: 'it keeps what money adds up to, within one tenant: tests/data/{accounts,transfers,line-items}.test.ts',
  },
  {
    name: /^trigger (?:transactions_(?:keep|distrust|forget)_bank_values|imports_take_updates_back|activity_forget_import_updates) on /,
    reason: 'it keeps what the bank said of a transaction, within one tenant: tests/data/import-updates.test.ts',
  },
  {
    name: /^(?:trigger \w+_|function private\.)(?:take_turn|write_once)\b/,
    reason: 'it decides who of two waits and what an upsert may name twice: tests/data/turns.test.ts',
  },
]
