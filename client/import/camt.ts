/** Reads CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications (ISO 20022, https://www.iso20022.org) of every version. */
import { clean, type Entry, type ParsedFile, reference } from './entries.ts'
import { child, every, textAt, type Tree, xmlTree } from './tree.ts'
import { type Problem, StatementError } from './types.ts'

/** Returns the reference unless it is a short number: many banks only number the entries of each file. */
const uniqueReference = (text: string) => /^\d{1,6}$/.test(text) ? '' : reference(text)

const isTrue = (text: string) => text === 'true' || text === '1'

/** Returns `BOOK`, `PDNG`, `INFO` or `FUTR`. Later versions put it one level deeper. */
const stateOf = (entry: Tree) => textAt(entry, 'Sts/Cd') || textAt(entry, 'Sts')

const dayOf = (date: Tree | undefined) => textAt(date, 'Dt') || textAt(date, 'DtTm').slice(0, 10)

/** Returns the name of a party. Later versions put it one level deeper. */
const partyOf = (parties: Tree | undefined, role: string) => textAt(parties, `${role}/Nm`) || textAt(parties, `${role}/Pty/Nm`)

/** Returns the transaction type, as the ISO code or as the bank's own code. */
const kindOf = (code: Tree | undefined) => {
  const family = ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd'].map((path) => textAt(code, path)).filter((part) => part !== '')
  return family.length > 0 ? family.join('/') : textAt(code, 'Prtry/Cd')
}

const isDebit = (element: Tree | undefined, byDefault: boolean) => {
  const indicator = textAt(element, 'CdtDbtInd')
  return indicator === '' ? byDefault : indicator === 'DBIT'
}

/** Returns the cents of an XML decimal, which has a point and no groups. */
const centsOf = (text: string) => Math.round(Number(text) * 100)

/** Returns the amount of one transaction of an entry, if it is in the entry's currency. */
function partOf(details: Tree, currency: string | undefined): string | undefined {
  const amounts = ['Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/InstdAmt/Amt'].map((path) => child(details, path))
  return amounts.find((amount) => amount !== undefined && amount.attributes['Ccy'] === currency)?.text
}

/**
 * Returns true if the transactions of an entry add up to its amount. Then each becomes a row. Otherwise the whole entry is one row,
 * because its amount is the change of the account's balance.
 */
function addsUp(entry: Tree, parts: Tree[], debit: boolean): boolean {
  const amount = child(entry, 'Amt')
  let sum = 0
  for (const part of parts) {
    const text = partOf(part, amount?.attributes['Ccy'])
    if (text === undefined) return false
    sum += isDebit(part, debit) === debit ? centsOf(text) : -centsOf(text)
  }
  return sum === centsOf(amount?.text ?? '')
}

/** Returns the row of an entry, or of one of its transactions. */
function entryOf(entry: Tree, details: Tree | undefined, part: { line: number, amount: string, out: boolean, id: string }): Entry {
  const isReversal = isTrue(textAt(entry, 'RvslInd'))
  const parties = child(details, 'RltdPties')
  // a reversal names the parties of the original transaction, in their original roles
  const other = part.out === isReversal ? 'Dbtr' : 'Cdtr'
  const remittance = child(details, 'RmtInf')
  const unstructured = (remittance?.children ?? []).filter(({ name }) => name === 'Ustrd').map(({ text }) => text).join(' ')
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
  const parts = entry.children.filter(({ name }) => name === 'NtryDtls').flatMap(({ children }) => children.filter(({ name }) => name === 'TxDtls'))
  const amount = textAt(entry, 'Amt')
  const out = isDebit(entry, false)
  if (!['DBIT', 'CRDT'].includes(textAt(entry, 'CdtDbtInd'))) {
    problems.push({ line: entry.line, field: 'amount', message: 'This entry does not say whether money came or went (CdtDbtInd).' })
    return []
  }
  const entryId = reference(textAt(entry, 'AcctSvcrRef')) || uniqueReference(textAt(entry, 'NtryRef'))
  if (parts.length < 2) return [entryOf(entry, parts[0], { line: entry.line, amount, out, id: entryId || reference(textAt(parts[0], 'Refs/AcctSvcrRef')) })]
  if (!addsUp(entry, parts, out)) {
    const batch = entryOf(entry, undefined, { line: entry.line, amount, out, id: entryId })
    if (parts.some((part) => partOf(part, child(entry, 'Amt')?.attributes['Ccy']) !== undefined)) {
      problems.push({ line: entry.line, field: 'amount', message: `The ${parts.length} transactions of this entry do not add up to it, so it is one row.` })
    }
    return [{ ...batch, metadata: { ...batch.metadata, transactions: parts.length } }]
  }
  return parts.map((part, index) => {
    const isOut = isDebit(part, out)
    const id = reference(textAt(part, 'Refs/AcctSvcrRef'))
    return entryOf(entry, part, {
      line: part.line,
      amount: partOf(part, child(entry, 'Amt')?.attributes['Ccy']) ?? '',
      out: isOut,
      // a part without an id of its own gets its number in the entry
      id: id !== '' && id !== entryId ? id : entryId === '' ? '' : `${entryId}/${index + 1}`,
    })
  })
}

/** Gives an entry without a date the last day of its statement. */
function withDay(row: Entry, statement: Tree): Entry {
  const end = textAt(statement, 'FrToDt/ToDtTm') || accountOf(statement).balance?.on || textAt(statement, 'CreDtTm')
  if (row.date !== '' || end === '') return row
  const date = end.slice(0, 10)
  return { ...row, date, notes: [{ field: 'transaction_date', message: `This entry has no date, so it has the statement's: ${date}.` }] }
}

/** Returns the account of a statement. Its id is the IBAN, otherwise the account number. */
function accountOf(statement: Tree): ParsedFile['accounts'][number] {
  const account = child(statement, 'Acct')
  const currency = textAt(account, 'Ccy').toLowerCase()
  const name = clean(textAt(account, 'Nm') || textAt(account, 'Ownr/Nm'))
  const closing = statement.children.find((balance) => balance.name === 'Bal' && (textAt(balance, 'Tp/CdOrPrtry/Cd') === 'CLBD'))
  return {
    id: textAt(account, 'Id/IBAN') || textAt(account, 'Id/Othr/Id'),
    ...name === '' ? {} : { name },
    ...currency === '' ? {} : { currency },
    ...closing === undefined ? {} : { balance: { amount: (isDebit(closing, false) ? '-' : '') + textAt(closing, 'Amt'), on: dayOf(child(closing, 'Dt')) } },
  }
}

/** Statements of many banks have a batch as one entry, and only the notification has its transactions. */
const SPLIT_BATCH = 'This batch is read as its transactions. A statement (CAMT.053) can hold it as one row: then import only one of the two files.'

/** @throws StatementError if the XML is not well-formed, or is no statement */
export function readCamt(text: string): ParsedFile {
  const tree = xmlTree(text)
  const statements = every(tree, ['Stmt', 'Rpt', 'Ntfctn'])
  if (statements.length === 0) throw new StatementError('This XML is no statement of an account (CAMT.052, .053 or .054).')
  const entries: Entry[] = []
  const problems: Problem[] = []
  const accounts = new Map<string, ParsedFile['accounts'][number]>()
  for (const statement of statements) {
    const account = accountOf(statement)
    // a file can have one statement per day; the latest balance counts
    const existing = accounts.get(account.id)
    if (existing === undefined) accounts.set(account.id, account)
    else if (account.balance !== undefined && account.balance.on >= (existing.balance?.on ?? '')) existing.balance = account.balance
    for (const entry of statement.children.filter(({ name }) => name === 'Ntry')) {
      if (stateOf(entry) === 'INFO') problems.push({ line: entry.line, message: 'This entry only informs and moves no money, so it was left out.' })
      else {
        const rows = rowsOf(entry, problems)
        if (statement.name === 'Ntfctn' && rows.length > 1) problems.push({ line: entry.line, message: SPLIT_BATCH })
        for (const row of rows) entries.push({ ...withDay(row, statement), account: account.id })
      }
    }
  }
  return { signs: 'defined', entries, problems, accounts: [...accounts.values()] }
}
