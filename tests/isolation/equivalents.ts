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

const uid = String.raw`user_id = \( SELECT uid\(\) AS uid\) at \d+`
const team = String.raw`organization_id = \( SELECT org_id\(\) AS org_id\) at \d+`
const keepOwner = String.raw`^trigger $1_keep_owner on api\.$1: disabled$`

export const equivalents: Equivalent[] = [
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
  // --- kept by something that cannot be weakened alone
  {
    name: /^policy \w+ on api\.\w+: using without private\.is_plain_query\(\)/,
    reason: 'it decides about questions and not about rows; values.test.ts takes it away and sees the estimates',
  },
  {
    name: /using without \( SELECT private\.can\('\w+'::text, 'list'::text\) AS can\) at \d+$/,
    reason: 'each of the four roles may list, and no token with another role gets past private.pre_request()',
  },
  {
    name: /^policy dashboards_(?:update|delete) on api\.dashboards: using without (?:visibility|\( SELECT private\.can\('dashboards'::text, 'list_private')/,
    reason: 'it hides rows from a viewer, who may change no row of the team, and whose filters see what the policy for select shows',
  },
  { name: /^execute on api\.get_\w+\(.*\): granted to anon$/, reason: 'the functions it calls in private are not granted to anon' },
  {
    name: /^constraint (\w+)_have_an_owner on api\.\1: dropped$/,
    reason: 'no caller can make a row without an owner, and deleting a user deletes the personal rows first',
  },
  { name: /^constraint app_subscriptions_product_id_fkey/, reason: 'callers do not write this table; it guards the operator' },
  { name: /^execute on api\.\w+\(json\): /, reason: 'it answers a call with arguments that no function takes, and no row' },
  // --- not about who sees and changes what: tests/data walks them
  { name: /^trigger \w+_(?:set_timestamps|updated_at|lower_currency|mask_account_number) on /, reason: 'it keeps the form of a value' },
  {
    name: /^(?:trigger \w+_|function private\.)(?:take_turn|write_once)\b/,
    reason: 'it decides who of two waits and what an upsert may name twice: tests/data/turns.test.ts',
  },
]
