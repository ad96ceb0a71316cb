/**
 * Decides the signs of amounts by running balances, debit and credit columns, and names of rows, or
 * reports them as unclear.
 */
import { amountIn, hasPlus } from './amounts.ts'
import type { Entry } from './entries.ts'
import { isPerhapsIncome, isReceived, isWage } from './income-names.ts'
import type { Decimal } from './layout.ts'

/**
 * Minimum share of rows that a running balance must match. Not all, because banks reorder rows of
 * one day.
 */
const MIN_BALANCE_MATCH = 0.9

export type Signs = {
  /** Inverts all amounts. */
  negate: boolean
  /** The sign of expenses in the debit column, and of income in the credit column. */
  debit: 1 | -1
  credit: 1 | -1
  /** The directions of amounts without signs: true for an expense, null if nothing proves it. */
  expenses?: Map<Entry, boolean | null>
}

const isFilled = (text: string | undefined): text is string =>
  text !== undefined && text.trim() !== ''

const centsIn = (text: string | undefined, decimal: Decimal): number => {
  const cents = isFilled(text) ? amountIn(text, decimal) : 0
  return typeof cents === 'number' ? cents : 0
}

/** Returns the amount of an entry in cents before `negate`, without its fee. */
export function plainCents(
  { amount, debit, credit, out }: Entry,
  decimal: Decimal,
  signs: Signs,
): number {
  const signed = centsIn(amount, decimal) + signs.credit * centsIn(credit, decimal) -
    signs.debit * centsIn(debit, decimal)
  return out === undefined ? signed : out ? -Math.abs(signed) : Math.abs(signed)
}

/** Returns true for an amount with a plus, `CR` or the like. */
const isMarked = ({ amount = '' }: Entry) => hasPlus(amount)

const majority = (cents: number[]): 1 | -1 =>
  cents.filter((one) => one < 0).length > cents.filter((one) => one > 0).length ? -1 : 1

/** Returns true for as many positive amounts as negative ones. */
const isEven = (cents: number[]) =>
  cents.length > 0 && majority(cents) === 1 && majority(cents.map((one) => -one)) === 1

/**
 * Compares the amounts with one column of balances: same signs, opposite signs, or amounts without
 * signs. If no amount has a sign, the balances prove each by itself, so nothing proves the amount
 * before the first balance.
 */
function signsByBalance(
  entries: Entry[],
  column: number,
  cents: Map<Entry, number>,
  decimal: Decimal,
  isUnsigned: boolean,
): Pick<Signs, 'negate' | 'expenses'> | undefined {
  const last = new Map<string, Entry>()
  const pairs: Array<[before: Entry, after: Entry]> = []
  for (const entry of entries) {
    if (!isFilled(entry.balances?.[column])) continue
    const account = JSON.stringify([entry.account?.id, entry.currency])
    const before = last.get(account)
    if (before !== undefined) pairs.push([before, entry])
    last.set(account, entry)
  }
  const balance = (entry: Entry) => centsIn(entry.balances?.[column], decimal)
  // the first row is the oldest or the newest
  const orders = [true, false].map((isOldestFirst) => {
    const steps = pairs.map(([before, after]) => ({
      entry: isOldestFirst ? after : before,
      step: isOldestFirst ? balance(after) - balance(before) : balance(before) - balance(after),
    }))
      .filter(({ entry }) => cents.get(entry) !== 0)
    const share = (fits: (step: number, amount: number) => boolean) =>
      steps.filter(({ entry, step }) => fits(step, cents.get(entry)!)).length / steps.length
    return {
      steps,
      same: share((step, amount) => step === amount),
      other: share((step, amount) => step === -amount),
      either: share((step, amount) => Math.abs(step) === Math.abs(amount)),
    }
  }).filter(({ steps }) => steps.length > 0)
  const same = orders.some((order) => order.same >= MIN_BALANCE_MATCH)
  const other = orders.some((order) => order.other >= MIN_BALANCE_MATCH)
  if (same !== other && !isUnsigned) return { negate: other }
  const mixed = orders.filter(({ either }) => either === 1)
  if ((same && !isUnsigned) || mixed.length !== 1) return undefined
  const isExpense = new Map(mixed[0]!.steps.map(({ entry, step }) => [entry, step < 0]))
  return {
    negate: false,
    expenses: new Map(
      entries.filter((entry) => cents.get(entry) !== 0).map((
        entry,
      ) => [entry, isExpense.get(entry) ?? (isMarked(entry) ? false : null)]),
    ),
  }
}

/** Returns the indexes of the columns that can be balances. */
const balanceColumns = (entries: Entry[]) => [...(entries[0]?.balances ?? []).keys()]

/** Returns true if the amounts with these signs are the changes of a running balance. */
function agreesWithBalance(entries: Entry[], decimal: Decimal, signs: Signs): boolean {
  const cents = new Map(entries.map((entry) => [entry, plainCents(entry, decimal, signs)]))
  return balanceColumns(entries).some((column) => {
    const proved = signsByBalance(entries, column, cents, decimal, false)
    return proved?.negate === false && proved.expenses === undefined
  })
}

/** Returns the amounts of one column in cents, without those that are 0. */
const centsOf = (entries: Entry[], column: 'debit' | 'credit', decimal: Decimal) =>
  entries.map((entry) => centsIn(entry[column], decimal)).filter((cents) => cents !== 0)

/**
 * Returns true if debits are positive and credits negative: the changes of a debt, which expenses
 * raise.
 */
const isDebt = (entries: Entry[], decimal: Decimal) => {
  const [debits, credits] = [
    centsOf(entries, 'debit', decimal),
    centsOf(entries, 'credit', decimal),
  ]
  return credits.length > 0 && majority(credits) === -1 && majority(debits) === 1
}

/**
 * Returns the signs of a file whose format, preset or user defines them.
 *
 * @param magnitudes true if debit and credit columns define the direction, regardless of their own
 * signs
 */
export function definedSigns(
  entries: Entry[],
  decimal: Decimal,
  negate: boolean,
  magnitudes = false,
): Signs {
  const signs: Signs = { negate, debit: majority(centsOf(entries, 'debit', decimal)), credit: 1 }
  if (magnitudes) return { ...signs, credit: majority(centsOf(entries, 'credit', decimal)) }
  return negate && isDebt(entries, decimal) ? { negate, debit: -1, credit: 1 } : signs
}

/**
 * Returns the signs of debit and credit columns: debits are expenses and credits income, whatever
 * sign most of them have. A running balance can prove that a minus in the credit column is a
 * correction.
 */
function namedSigns(entries: Entry[], decimal: Decimal): Signs {
  const signs = definedSigns(entries, decimal, false, true)
  const isCorrection = signs.credit === -1 &&
    agreesWithBalance(entries, decimal, { ...signs, credit: 1 })
  const isOfDebt = agreesWithBalance(entries, decimal, { negate: false, debit: -1, credit: 1 })
  return isCorrection && !isOfDebt ? { ...signs, credit: 1 } : signs
}

/** The amounts of a file with some signs, before balances and names decide. */
type Amounts = {
  signs: Signs
  cents: Map<Entry, number>
  /** The entries with an amount for which the file names no direction. */
  open: Entry[]
  /** Those of `open` with a minus, and the others. */
  below: Entry[]
  above: Entry[]
  /** Those of `open` with a plus, `CR` or the like. */
  marked: Set<Entry>
  hasColumns: boolean
  /**
   * No amount has a minus. A file that also marks some amounts with CR or a plus can mean either by
   * the others.
   */
  isUnsigned: boolean
}

function amountsOf(entries: Entry[], decimal: Decimal, signs: Signs): Amounts {
  const cents = new Map(entries.map((entry) => [entry, plainCents(entry, decimal, signs)]))
  const open = entries.filter((entry) => entry.out === undefined && cents.get(entry) !== 0)
  const isNegative = (entry: Entry) => cents.get(entry)! < 0
  const [below, above] = [open.filter(isNegative), open.filter((entry) => !isNegative(entry))]
  const marked = new Set(open.filter(isMarked))
  const hasColumns = (['debit', 'credit'] as const).some((column) =>
    centsOf(entries, column, decimal).length > 0
  )
  const isUnsigned = !hasColumns && open.length > marked.size && below.length === 0
  return { signs, cents, open, below, above, marked, hasColumns, isUnsigned }
}

/** Returns the signs of a column with as many positive amounts as negative ones. */
function signsOfEven(
  entries: Entry[],
  decimal: Decimal,
  negate: boolean | undefined,
  even: 'debit' | 'credit',
  { open }: Amounts,
): Signs | { unclear: Entry[] } {
  const named = namedSigns(entries, decimal)
  if (negate !== undefined) return { ...named, [even]: (even === 'debit') === negate ? 1 : -1 }
  const proved = ([1, -1] as const).map((sign) => ({ ...named, [even]: sign })).filter((one) =>
    agreesWithBalance(entries, decimal, one)
  )
  return proved.length === 1
    ? proved[0]!
    : { unclear: open.filter((entry) => centsIn(entry[even], decimal) > 0).slice(0, 1) }
}

/** Returns the signs that a running balance decides; undefined if none does. */
function signsOfBalance(
  entries: Entry[],
  decimal: Decimal,
  { signs, cents, open, below, above, hasColumns, isUnsigned }: Amounts,
): Signs | { unclear: Entry[] } | undefined {
  if (open.length === 0) return undefined
  for (const column of balanceColumns(entries)) {
    const proved = signsByBalance(entries, column, cents, decimal, isUnsigned)
    if (proved === undefined || (hasColumns && proved.expenses !== undefined)) continue
    // positive debits and negative credits are the changes of a debt
    if (proved.negate && isDebt(entries, decimal)) return signs
    // debits that raise the balance: it is a debt, or the columns are those of a ledger, which
    // also has credits
    const credited = open.filter(({ credit }) => centsIn(credit, decimal) > 0)
    if (proved.negate && hasColumns)
      return credited.length === 0
        ? signs
        : { unclear: credited.slice(0, 1) }
    // an expense with a minus raises the balance of a debt
    if (proved.negate && below.length >= above.length) return { unclear: below.slice(0, 1) }
    // a payment or a refund with a minus lowers the balance of a debt
    if (!proved.negate && !hasColumns && above.length > below.length && below.some(isPerhapsIncome))
      continue
    // purchases by card raise the balance of a debt, which payments lower
    const canBeDebt = proved.expenses !== undefined &&
      ([...proved.expenses].every(([, expense]) => expense !== true)
        || [...proved.expenses].some(([entry, expense]) => expense === true && isReceived(entry)))
    if (canBeDebt) continue
    return { ...signs, ...proved }
  }
  return undefined
}

/** Returns the signs if the amounts with a minus can be the expenses, and none is income. */
function signsOfMajority(
  { signs, cents, open, below, above }: Amounts,
): Signs | { unclear: Entry[] } {
  const isMore = below.length > above.length
  const total = open.reduce((sum, entry) => sum + cents.get(entry)!, 0)
  const income = below.filter((entry) => isWage(entry) || (!isMore && isPerhapsIncome(entry)))
  // people spend more often than they earn, or as often and not more
  const isOrdinary = isMore || (below.length === above.length && total >= 0)
  return isOrdinary && income.length === 0
    ? signs
    : { unclear: [...above.slice(0, 1), ...income.slice(0, 1)] }
}

/**
 * Returns the signs of a file that the file must prove, or the entries that make them unclear.
 *
 * @param negate the user's answer, if there is one
 */
export function signsOf(
  entries: Entry[],
  decimal: Decimal,
  negate: boolean | undefined,
): Signs | { unclear: Entry[] } {
  const bothMinus = majority(centsOf(entries, 'debit', decimal)) === -1 &&
    majority(centsOf(entries, 'credit', decimal)) === -1
  const signs = negate === undefined
    ? namedSigns(entries, decimal)
    : definedSigns(entries, decimal, negate && !bothMinus, negate && bothMinus)
  const amounts = amountsOf(entries, decimal, signs)
  const { open, below, above, marked, hasColumns, isUnsigned } = amounts
  // either half of a column can be refunds or corrections
  const even = (['debit', 'credit'] as const).find((column) =>
    isEven(centsOf(entries, column, decimal))
  )
  if (even !== undefined) return signsOfEven(entries, decimal, negate, even, amounts)
  if (negate !== undefined && !isUnsigned) return signs

  const contrary = below.filter(isReceived)
  const proved = contrary.length === 0 ? signsOfBalance(entries, decimal, amounts) : undefined
  if (proved !== undefined) return proved
  if (negate !== undefined) {
    return marked.size === 0
      ? signs
      : {
        ...signs,
        negate: false,
        expenses: new Map(open.map((entry) => [entry, negate && !marked.has(entry)])),
      }
  }
  if (bothMinus)
    return { unclear: open.filter(({ credit }) => centsIn(credit, decimal) < 0).slice(0, 1) }
  if (hasColumns || open.length === 0) return signs
  if (isUnsigned) return { unclear: above.filter((entry) => !marked.has(entry)).slice(0, 1) }
  // a file with explicit plus signs also writes the minus signs
  if (marked.size > 0) return signs
  if (contrary.length > 0) return { unclear: [...contrary.slice(0, 1), ...above.slice(0, 1)] }
  // a received payment without a minus is money that came
  return above.some(isReceived) ? signs : signsOfMajority(amounts)
}

/**
 * Returns true if all hinted expenses are positive, false if all are negative, and undefined if
 * nothing is hinted or the hints differ.
 */
export function signsByHints(entries: Entry[], decimal: Decimal): boolean | undefined {
  const proofs = new Set(
    entries.filter(({ hint, amount }) => hint !== undefined && centsIn(amount, decimal) !== 0)
      .map(({ hint, amount }) => hint === centsIn(amount, decimal) > 0),
  )
  return proofs.size === 1 ? proofs.has(true) : undefined
}
