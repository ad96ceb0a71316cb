/** CAMT.053 and CAMT.052, statements and reports of ISO 20022, of every version. https://www.iso20022.org */
import { clean, type Entry, type Found, reference } from './entries.ts'
import { child, every, textAt, type Tree, xmlTree } from './tree.ts'
import { type Problem, StatementError } from './types.ts'

/** Many banks only count the entries of each statement here, from 1 in every file. */
const lasting = (text: string) => /^\d{1,6}$/.test(text) ? '' : reference(text)

const isTrue = (text: string) => text === 'true' || text === '1'

/** `BOOK`, `PDNG`, `INFO` or `FUTR`, which later versions put one level deeper. */
const stateOf = (entry: Tree) => textAt(entry, 'Sts/Cd') || textAt(entry, 'Sts')

const dayOf = (date: Tree | undefined) => textAt(date, 'Dt') || textAt(date, 'DtTm').slice(0, 10)

/** A party's name, which later versions put one level deeper. */
const partyOf = (parties: Tree | undefined, role: string) => textAt(parties, `${role}/Nm`) || textAt(parties, `${role}/Pty/Nm`)

/** The bank's own words for what kind of booking it is. */
const kindOf = (code: Tree | undefined) => {
  const family = ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd'].map((path) => textAt(code, path)).filter((part) => part !== '')
  return family.length > 0 ? family.join('/') : textAt(code, 'Prtry/Cd')
}

const isDebit = (element: Tree | undefined, otherwise: boolean) => {
  const says = textAt(element, 'CdtDbtInd')
  return says === '' ? otherwise : says === 'DBIT'
}

/** Cents of XML's decimals, which have a point and no groups. */
const centsOf = (text: string) => Math.round(Number(text) * 100)

/** The amount of one of several transactions of an entry, if it is in the entry's currency. */
function partOf(details: Tree, currency: string | undefined): string | undefined {
  const amounts = ['Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/InstdAmt/Amt'].map((path) => child(details, path))
  return amounts.find((amount) => amount !== undefined && amount.attributes['Ccy'] === currency)?.text
}

/**
 * Whether the transactions of an entry add up to it, so that each can have a row. Otherwise the entry has one row, because
 * what the account has moved by is the entry's amount.
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

/** One row: of an entry, or of one of its transactions. */
function entryOf(entry: Tree, details: Tree | undefined, part: { line: number, amount: string, out: boolean, id: string }): Entry {
  const back = isTrue(textAt(entry, 'RvslInd'))
  const parties = child(details, 'RltdPties')
  // the parties are those of the original transaction, which a reversal turns round
  const other = part.out === back ? 'Dbtr' : 'Cdtr'
  const remittance = child(details, 'RmtInf')
  const words = (remittance?.children ?? []).filter(({ name }) => name === 'Ustrd').map(({ text }) => text).join(' ')
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
    otherwise: more || kindOf(child(entry, 'BkTxCd')),
    description: words || more,
    reference_no: structured || reference(textAt(details, 'Refs/EndToEndId')),
    external_id: part.id,
    currency: child(entry, 'Amt')?.attributes['Ccy'] ?? '',
    status: state === 'PDNG' || state === 'FUTR' ? 'pending' : 'paid',
    metadata: {
      iban: textAt(parties, `${other}Acct/Id/IBAN`),
      kind: clean(kindOf(child(entry, 'BkTxCd'))),
      value_date: valued === booked ? undefined : valued,
      reversal: back ? true : undefined,
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
  const own = reference(textAt(entry, 'AcctSvcrRef')) || lasting(textAt(entry, 'NtryRef'))
  if (parts.length < 2) return [entryOf(entry, parts[0], { line: entry.line, amount, out, id: own || reference(textAt(parts[0], 'Refs/AcctSvcrRef')) })]
  if (!addsUp(entry, parts, out)) {
    const batch = entryOf(entry, undefined, { line: entry.line, amount, out, id: own })
    if (parts.some((part) => partOf(part, child(entry, 'Amt')?.attributes['Ccy']) !== undefined)) {
      problems.push({ line: entry.line, field: 'amount', message: `The ${parts.length} transactions of this entry do not add up to it, so it is one row.` })
    }
    return [{ ...batch, metadata: { ...batch.metadata, transactions: parts.length } }]
  }
  return parts.map((part, index) => {
    const gone = isDebit(part, out)
    const id = reference(textAt(part, 'Refs/AcctSvcrRef'))
    return entryOf(entry, part, {
      line: part.line,
      amount: partOf(part, child(entry, 'Amt')?.attributes['Ccy']) ?? '',
      out: gone,
      // the place in the batch where each part has no id of its own
      id: id !== '' && id !== own ? id : own === '' ? '' : `${own}/${index + 1}`,
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

/** The account as its IBAN or the number that it has instead. */
function accountOf(statement: Tree): Found['accounts'][number] {
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

/** @throws StatementError if it is not well-formed, or another message than a statement */
export function readCamt(text: string): Found {
  const tree = xmlTree(text)
  const statements = every(tree, ['Stmt', 'Rpt'])
  if (statements.length === 0) throw new StatementError('This XML is no statement of an account (CAMT.053).')
  const entries: Entry[] = []
  const problems: Problem[] = []
  const accounts = new Map<string, Found['accounts'][number]>()
  for (const statement of statements) {
    const account = accountOf(statement)
    // a file has a statement for each day
    const known = accounts.get(account.id)
    if (known === undefined) accounts.set(account.id, account)
    else if (account.balance !== undefined && account.balance.on >= (known.balance?.on ?? '')) known.balance = account.balance
    for (const entry of statement.children.filter(({ name }) => name === 'Ntry')) {
      if (stateOf(entry) === 'INFO') problems.push({ line: entry.line, message: 'This entry only informs and moves no money, so it was left out.' })
      else for (const row of rowsOf(entry, problems)) entries.push({ ...withDay(row, statement), account: account.id })
    }
  }
  return { signs: 'defined', entries, problems, accounts: [...accounts.values()] }
}
