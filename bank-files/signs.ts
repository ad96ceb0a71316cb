/**
 * Decides the signs of amounts by running balances, debit and credit columns, and names of rows, or
 * reports them as unclear.
 */
import { amountIn, hasPlus } from './amounts.ts'
import type { Entry } from './entries.ts'
import type { Decimal } from './layout.ts'

/** Names of payments to a card's account. They are never expenses. */
const RECEIVED = new RegExp(
  'payment.{0,20}(?:thank|received)|thank you.{0,20}pa?ym|(?:zahlung|einzahlung).{0,12}(?:erhalten|dank)|ihre (?:ein)?zahlung|zahlungseingang'
    + '|paiement (?:reçu|recu)|merci.{0,20}paiement|pago recibido|su pago|pagamento (?:recebido|ricevuto)|betaling ontvangen|betalning mottagen'
    + '|inn?betaling mott|wpłata własna|spłata karty',
  'i',
)

/** Names of wages, which people receive. */
const WAGES =
  /payroll|direct dep|salary|gehalt|\blohn\b|salaire|n[oó]mina|sal[aá]rio|stipendio|salaris|wynagrodzenie/i

/**
 * Names of refunds and of payments to a card. An account that pays a card uses them for expenses.
 */
const PERHAPS_INCOME =
  /autopay|automatic payment|e-?payment|(?:online|mobile|bill) payment|^payment\b|refund|erstattung|remboursement|reembolso|rimborso|estorno/i

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

const isReceived = ({ name, description = '', fallbackName = '' }: Entry) =>
  RECEIVED.test(`${name} ${description} ${fallbackName}`)

const isPerhapsIncome = ({ name, description = '' }: Entry) =>
  PERHAPS_INCOME.test(`${name} ${description}`)

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
  const open = entries.filter((entry) =>
    entry.out === undefined && plainCents(entry, decimal, signs) !== 0
  )
  const cents = new Map(entries.map((entry) => [entry, plainCents(entry, decimal, signs)]))
  const isNegative = (entry: Entry) => cents.get(entry)! < 0
  const debits = centsOf(entries, 'debit', decimal)
  const columns = [...debits, ...centsOf(entries, 'credit', decimal)].length > 0
  const marked = new Set(open.filter(isMarked))
  // a file that marks some amounts with CR or a plus, and none with a minus, can mean either by the
  // others
  const isUnsigned = !columns && open.length > marked.size && !open.some(isNegative)
  // either half of a column can be refunds or corrections
  const even = (['debit', 'credit'] as const).find((column) =>
    isEven(centsOf(entries, column, decimal))
  )
  if (even !== undefined) {
    const named = namedSigns(entries, decimal)
    if (negate !== undefined) return { ...named, [even]: (even === 'debit') === negate ? 1 : -1 }
    const proved = ([1, -1] as const).map((sign) => ({ ...named, [even]: sign })).filter((one) =>
      agreesWithBalance(entries, decimal, one)
    )
    return proved.length === 1
      ? proved[0]!
      : { unclear: open.filter((entry) => centsIn(entry[even], decimal) > 0).slice(0, 1) }
  }
  if (negate !== undefined && !isUnsigned) return signs

  const below = open.filter(isNegative)
  const above = open.filter((entry) => !isNegative(entry))
  const contrary = below.filter(isReceived)
  if (contrary.length === 0) {
    for (const column of balanceColumns(entries)) {
      const proved = open.length === 0
        ? undefined
        : signsByBalance(entries, column, cents, decimal, isUnsigned)
      if (proved === undefined || (columns && proved.expenses !== undefined)) continue
      // positive debits and negative credits are the changes of a debt
      if (proved.negate && isDebt(entries, decimal)) return signs
      // debits that raise the balance: it is a debt, or the columns are those of a ledger, which
      // also has credits
      const credited = open.filter(({ credit }) => centsIn(credit, decimal) > 0)
      if (proved.negate && columns)
        return credited.length === 0
          ? signs
          : { unclear: credited.slice(0, 1) }
      // an expense with a minus raises the balance of a debt
      if (proved.negate && below.length >= above.length) return { unclear: below.slice(0, 1) }
      // a payment or a refund with a minus lowers the balance of a debt
      if (!proved.negate && !columns && above.length > below.length && below.some(isPerhapsIncome))
        continue
      // purchases by card raise the balance of a debt, which payments lower
      const canBeDebt = proved.expenses !== undefined &&
        ([...proved.expenses].every(([, expense]) => expense !== true)
          || [...proved.expenses].some(([entry, expense]) => expense === true && isReceived(entry)))
      if (canBeDebt) continue
      return { ...signs, ...proved }
    }
  }
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
  if (columns || open.length === 0) return signs
  if (isUnsigned) return { unclear: above.filter((entry) => !marked.has(entry)).slice(0, 1) }
  // a file with explicit plus signs also writes the minus signs
  if (marked.size > 0) return signs
  if (contrary.length > 0) return { unclear: [...contrary.slice(0, 1), ...above.slice(0, 1)] }
  // a received payment without a minus is money that came
  if (above.some(isReceived)) return signs
  const isMore = below.length > above.length
  const total = open.reduce((sum, entry) => sum + cents.get(entry)!, 0)
  const income = below.filter((entry) =>
    WAGES.test(`${entry.name} ${entry.description ?? ''}`) || (!isMore && isPerhapsIncome(entry))
  )
  // people spend more often than they earn, or as often and not more
  const isOrdinary = isMore || (below.length === above.length && total >= 0)
  return isOrdinary && income.length === 0
    ? signs
    : { unclear: [...above.slice(0, 1), ...income.slice(0, 1)] }
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
