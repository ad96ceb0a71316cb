/**
 * Reads CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications (ISO 20022,
 * https://www.iso20022.org) of every version.
 */
import {
  clean,
  currencyIn,
  type Entry,
  type FileAccount,
  type FileBalance,
  type FileStatement,
  type ParsedFile,
  reference,
} from './entries.ts'
import { thousandths } from './statement-sums.ts'
import { child, every, textAt, type Tree, xmlTree } from './tree.ts'
import { type Problem, StatementError } from './types.ts'

/**
 * Returns the reference unless it is a short number: many banks only number the entries of each
 * file.
 */
const uniqueReference = (text: string) => /^\d{1,6}$/.test(text) ? '' : reference(text)

const isTrue = (text: string) => text === 'true' || text === '1'

/** Returns `BOOK`, `PDNG`, `INFO` or `FUTR`. Later versions put it one level deeper. */
const stateOf = (entry: Tree) => textAt(entry, 'Sts/Cd') || textAt(entry, 'Sts')

const dayOf = (date: Tree | undefined) => textAt(date, 'Dt') || textAt(date, 'DtTm').slice(0, 10)

/** Returns the name of a party. Later versions put it one level deeper. */
const partyOf = (parties: Tree | undefined, role: string) =>
  textAt(parties, `${role}/Nm`) || textAt(parties, `${role}/Pty/Nm`)

/** Returns the transaction type, as the ISO code or as the bank's own code. */
const kindOf = (code: Tree | undefined) => {
  const family = ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd'].map((path) =>
    textAt(code, path)
  ).filter((part) => part !== '')
  return family.length > 0 ? family.join('/') : textAt(code, 'Prtry/Cd')
}

const isDebit = (element: Tree | undefined, byDefault: boolean) => {
  const indicator = textAt(element, 'CdtDbtInd')
  return indicator === '' ? byDefault : indicator === 'DBIT'
}

/** Returns the amount of one transaction of an entry, if it is in the entry's currency. */
function partOf(details: Tree, currency: string | undefined): string | undefined {
  const amounts = ['Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/InstdAmt/Amt'].map((path) =>
    child(details, path)
  )
  return amounts.find((amount) => amount !== undefined && amount.attributes['Ccy'] === currency)
    ?.text
}

/**
 * Returns true if the transactions of an entry add up to its amount. Then each becomes a row.
 * Otherwise the whole entry is one row, because its amount is the change of the account's balance.
 */
function addsUp(entry: Tree, parts: Tree[], debit: boolean): boolean {
  const amount = child(entry, 'Amt')
  let sum = 0
  for (const part of parts) {
    const text = partOf(part, amount?.attributes['Ccy'])
    if (text === undefined) return false
    sum += (isDebit(part, debit) === debit ? 1 : -1) * (thousandths(text) ?? Number.NaN)
  }
  return sum === thousandths(amount?.text)
}

/** Returns the row of an entry, or of one of its transactions. */
function entryOf(
  entry: Tree,
  details: Tree | undefined,
  part: { line: number, amount: string, out: boolean, id: string },
): Entry {
  const isReversal = isTrue(textAt(entry, 'RvslInd'))
  const parties = child(details, 'RltdPties')
  // a reversal names the parties of the original transaction, in their original roles
  const other = part.out === isReversal ? 'Dbtr' : 'Cdtr'
  const remittance = child(details, 'RmtInf')
  const unstructured = (remittance?.children ?? []).filter(({ name }) => name === 'Ustrd')
    .map(({ text }) => text).join(' ')
  const structured = textAt(remittance, 'Strd/CdtrRefInf/Ref')
  const more = textAt(details, 'AddtlTxInf') || textAt(entry, 'AddtlNtryInf')
  const booked = dayOf(child(entry, 'BookgDt')) || dayOf(child(entry, 'ValDt'))
  const valued = dayOf(child(entry, 'ValDt'))
  const state = stateOf(entry)
  return {
    line: part.line,
    date: booked,
    amount: part.amount,
    out: part.out,
    name: partyOf(parties, other) || partyOf(parties, `Ultmt${other}`),
    fallbackName: more || kindOf(child(entry, 'BkTxCd')),
    description: unstructured || more,
    reference_no: structured || reference(textAt(details, 'Refs/EndToEndId')),
    external_id: part.id,
    currency: child(entry, 'Amt')?.attributes['Ccy'] ?? '',
    status: state === 'PDNG' || state === 'FUTR' ? 'pending' : 'paid',
    metadata: {
      iban: textAt(parties, `${other}Acct/Id/IBAN`),
      kind: clean(kindOf(child(entry, 'BkTxCd'))),
      value_date: valued === booked ? undefined : valued,
      reversal: isReversal ? true : undefined,
    },
  }
}

function rowsOf(entry: Tree, problems: Problem[]): Entry[] {
  const parts = entry.children.filter(({ name }) => name === 'NtryDtls').flatMap(({ children }) =>
    children.filter(({ name }) => name === 'TxDtls')
  )
  const amount = textAt(entry, 'Amt')
  const out = isDebit(entry, false)
  if (!['DBIT', 'CRDT'].includes(textAt(entry, 'CdtDbtInd'))) {
    problems.push({
      line: entry.line,
      field: 'amount',
      message: 'This entry does not say whether it is a credit or a debit (CdtDbtInd).',
    })
    return []
  }
  const entryId = reference(textAt(entry, 'AcctSvcrRef')) ||
    uniqueReference(textAt(entry, 'NtryRef'))
  if (parts.length < 2)
    return [
      entryOf(entry, parts[0], {
        line: entry.line,
        amount,
        out,
        id: entryId || reference(textAt(parts[0], 'Refs/AcctSvcrRef')),
      }),
    ]
  if (!addsUp(entry, parts, out)) {
    const batch = entryOf(entry, undefined, { line: entry.line, amount, out, id: entryId })
    if (parts.some((part) => partOf(part, child(entry, 'Amt')?.attributes['Ccy']) !== undefined)) {
      problems.push({
        line: entry.line,
        field: 'amount',
        message:
          `The ${parts.length} transactions of this entry do not add up to its amount, so it was read as one row.`,
      })
    }
    return [{ ...batch, metadata: { ...batch.metadata, transactions: parts.length } }]
  }
  const batch = { id: entryId }
  return parts.map((part, index) => {
    const isOut = isDebit(part, out)
    const id = reference(textAt(part, 'Refs/AcctSvcrRef'))
    const read = entryOf(entry, part, {
      line: part.line,
      amount: partOf(part, child(entry, 'Amt')?.attributes['Ccy']) ?? '',
      out: isOut,
      // a part without an id of its own gets its number in the entry
      id: id !== '' && id !== entryId ? id : entryId === '' ? '' : `${entryId}/${index + 1}`,
    })
    return { ...read, batch }
  })
}

/** Gives an entry without a date the last day of its statement. */
function withDay(row: Entry, element: Tree, { closing }: FileStatement): Entry {
  const end = textAt(element, 'FrToDt/ToDtTm') || closing?.on || textAt(element, 'CreDtTm')
  if (row.date !== '' || end === '') return row
  const date = end.slice(0, 10)
  return {
    ...row,
    date,
    notes: [{
      field: 'transaction_date',
      message: `This entry has no date, so the date of the statement was used: ${date}.`,
    }],
  }
}

const currencyOf = (amount: Tree | undefined) => currencyIn(amount?.attributes['Ccy'])

/** Returns a balance without the credit line that the bank may include. */
function balanceIn(element: Tree): FileBalance {
  const line = child(element, 'CdtLine')
  const amount = (isDebit(element, false) ? '-' : '') + textAt(element, 'Amt')
  const credit = line !== undefined && isTrue(textAt(line, 'Incl'))
    ? thousandths(textAt(line, 'Amt')) ?? 0
    : 0
  const total = thousandths(amount)
  return {
    line: element.line,
    amount: credit === 0 || total === undefined ? amount : String((total - credit) / 1000),
    on: dayOf(child(element, 'Dt')),
  }
}

/** The statements of one element by currency: it can have balances and entries in several. */
type Statements = Map<string | undefined, FileStatement>

/** Returns the account without its currency. Its id is the IBAN, otherwise the account number. */
function accountOf(element: Tree): Pick<FileAccount, 'id' | 'name'> {
  const account = child(element, 'Acct')
  const name = clean(textAt(account, 'Nm') || textAt(account, 'Ownr/Nm'))
  return {
    id: textAt(account, 'Id/IBAN') || textAt(account, 'Id/Othr/Id'),
    ...name === '' ? {} : { name },
  }
}

/** Returns the statement in a currency, by default the account's. */
function statementIn(
  statements: Statements,
  element: Tree,
  currency = currencyIn(textAt(element, 'Acct/Ccy')),
): FileStatement {
  const existing = statements.get(currency)
  if (existing !== undefined) return existing
  const number = textAt(element, 'Id')
  const sequence = (textAt(element, 'ElctrncSeqNb') || textAt(element, 'LglSeqNb')).padStart(
    12,
    '0',
  )
  const statement: FileStatement = {
    line: element.line,
    account: { ...accountOf(element), ...currency === undefined ? {} : { currency } },
    ...number === '' ? {} : { number },
    sequence: /[1-9]/.test(sequence) ? sequence : textAt(element, 'CreDtTm'),
  }
  statements.set(currency, statement)
  return statement
}

/** Adds the balances of an element to its statements. It can have those of several days. */
function addBalances(statements: Statements, element: Tree): void {
  for (const balance of element.children.filter(({ name }) => name === 'Bal')) {
    const code = textAt(balance, 'Tp/CdOrPrtry/Cd')
    const statement = statementIn(statements, element, currencyOf(child(balance, 'Amt')))
    const read = balanceIn(balance)
    if (code === 'CLBD' && (statement.closing === undefined || read.on > statement.closing.on))
      statement.closing = read
    if (
      ['OPBD', 'PRCD'].includes(code) &&
      (statement.opening === undefined || read.on < statement.opening.on)
    ) statement.opening = read
  }
}

/** Returns true for a page of a statement of several pages. */
function isPage(element: Tree): boolean {
  const paging = element.children.find(({ name }) => name.endsWith('Pgntn'))
  return paging !== undefined &&
    !(textAt(paging, 'PgNb') === '1' && isTrue(textAt(paging, 'LastPgInd')))
}

/**
 * Returns a problem for a total of the statement that contradicts its entries. Banks count pending
 * and informational entries or not.
 */
function totalProblems(element: Tree, entries: Tree[]): Problem[] {
  const summary = child(element, 'TxsSummry')
  // banks write the total of all pages on one of them
  if (summary === undefined || isPage(element)) return []
  const booked = entries.filter((entry) => !['INFO', 'PDNG', 'FUTR'].includes(stateOf(entry)))
  const counted = [entries, entries.filter((entry) => stateOf(entry) !== 'INFO'), booked]
  const sum = (some: Tree[], sign: (entry: Tree) => number) =>
    some.reduce((total, entry) => total + sign(entry) * (thousandths(textAt(entry, 'Amt')) ?? 0), 0)
  const directions: Array<[path: string, isCounted: (entry: Tree) => boolean]> = [
    ['TtlNtries', () => true],
    ['TtlCdtNtries', (entry) => !isDebit(entry, false)],
    ['TtlDbtNtries', (entry) => isDebit(entry, false)],
  ]
  for (const [path, isCounted] of directions) {
    const total = child(summary, path)
    const lists = counted.map((list) => list.filter(isCounted))
    const number = textAt(total, 'NbOfNtries')
    const amount = thousandths(textAt(total, 'Sum'))
    const details = lists.map((list) =>
      list.reduce((count, entry) => count + Math.max(1, every(entry, ['TxDtls']).length), 0)
    )
    const isCount = number === '' ||
      [...lists.map((list) => list.length), ...details].includes(Number(number))
    // some banks write the balance of both directions
    const isSum = amount === undefined ||
      lists.some((list) =>
        sum(list, () => 1) === amount ||
        Math.abs(sum(list, (entry) => isDebit(entry, false) ? -1 : 1)) === Math.abs(amount)
      )
    if (isCount && isSum) continue
    const stated = isCount
      ? `add up to the stated total of ${textAt(total, 'Sum')}`
      : `match the stated number of ${number}`
    return [{
      line: total?.line ?? summary.line,
      message: `The transactions do not ${stated}. The file may be incomplete.`,
    }]
  }
  return []
}

/**
 * Statements of many banks have a batch as one entry, and only the notification has its
 * transactions.
 */
const SPLIT_BATCH =
  'This batch was read as individual transactions. A statement (CAMT.053) may contain it as one row, so import only one of the two files.'

/** @throws StatementError if the XML is not well-formed, or is no statement */
export function readCamt(text: string): ParsedFile {
  const tree = xmlTree(text)
  const elements = every(tree, ['Stmt', 'Rpt', 'Ntfctn'])
  if (elements.length === 0)
    throw new StatementError('This XML file is not an account statement (CAMT.052, .053 or .054).')
  const entries: Entry[] = []
  const problems: Problem[] = []
  const found: Statements[] = []
  let previous: Tree | undefined
  for (const element of elements) {
    // the pages of a statement are one statement
    const isNext = previous !== undefined && isPage(element) &&
      textAt(previous, 'Id') === textAt(element, 'Id') &&
      accountOf(previous).id === accountOf(element).id
    const statements: Statements = isNext ? found.at(-1)! : new Map()
    if (!isNext) found.push(statements)
    previous = element
    addBalances(statements, element)
    const children = element.children.filter(({ name }) => name === 'Ntry')
    for (const entry of children) {
      if (stateOf(entry) === 'INFO')
        problems.push({
          line: entry.line,
          message: 'This entry is for information only and moves no money, so it was skipped.',
        })
      else {
        const rows = rowsOf(entry, problems)
        if (element.name === 'Ntfctn' && rows.length > 1)
          problems.push({ line: entry.line, message: SPLIT_BATCH })
        const statement = statementIn(statements, element, currencyOf(child(entry, 'Amt')))
        for (const row of rows) {
          entries.push({
            ...withDay(row, element, statement),
            ...statement.account.id === '' ? {} : { account: statement.account },
            statement,
          })
        }
      }
    }
    if (statements.size === 0) statementIn(statements, element)
    problems.push(...totalProblems(element, children))
  }
  return {
    signs: 'defined',
    entries,
    problems,
    statements: found.flatMap((statements) => [...statements.values()]),
  }
}
