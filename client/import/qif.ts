/** QIF, as Quicken and those who copied it write it: a letter at the start of each line, `^` at the end of each record. */
import { clean, type Entry, type Found, type Split } from './entries.ts'
import { type Problem, StatementError } from './types.ts'

/** Lists that move money. */
const MONEY = ['bank', 'ccard', 'cash', 'oth a', 'oth l']

type Field = { letter: string, text: string, line: number }

const named = (record: Field[], letter: string) => record.find((field) => field.letter === letter)?.text.trim() ?? ''

/** The parts of a split: each begins with its category. */
function splitsOf(record: Field[]): Split[] {
  const splits: Split[] = []
  for (const { letter, text } of record) {
    if (letter === 'S') splits.push({ category: clean(text) })
    const last = splits.at(-1)
    if (last === undefined) continue
    if (letter === 'E' && text.trim() !== '') last.memo = clean(text)
    if (letter === '$') last.amount = text
  }
  return splits
}

function entryOf(record: Field[], account: string | undefined): Entry {
  const category = clean(named(record, 'L'))
  const transfer = /^\[(.*)\]/.exec(category)?.[1]
  const splits = splitsOf(record)
  const check = named(record, 'N')
  return {
    line: record[0]?.line ?? 1,
    ...account === undefined ? {} : { account },
    date: named(record, 'D'),
    // U is T once more, of later versions, which wrote larger numbers there
    amount: named(record, 'T') || named(record, 'U'),
    name: named(record, 'P'),
    otherwise: clean(category || check),
    description: named(record, 'M'),
    reference_no: check,
    metadata: transfer === undefined ? { category } : { transfer },
    ...splits.length === 0 ? {} : { splits },
  }
}

/** @throws StatementError if it has no list of transactions */
export function readQif(text: string): Found {
  const entries: Entry[] = []
  const problems: Problem[] = []
  const used = new Set<string>()
  const kinds = new Set<string>()
  let list = ''
  let lists = 0
  let account: string | undefined
  let record: Field[] = []
  let leftOut = 0
  const end = () => {
    const fields = record
    record = []
    if (fields.every(({ text: value }) => value.trim() === '')) return
    if (list === 'account') {
      account = clean(named(fields, 'N'))
    } else if (MONEY.includes(list)) {
      entries.push(entryOf(fields, account))
      kinds.add(list)
      if (account !== undefined) used.add(account)
    } else if (list === 'invst') leftOut += 1
  }
  const lines = text.split('\n')
  for (const [index, content] of lines.entries()) {
    const [letter = '', value] = [content.trimStart()[0], content.trimStart().slice(1)]
    if (letter === '') continue
    if (letter === '^') end()
    else if (letter === '!') {
      end()
      const [, kind = ''] = /^(?:type:)?(.*)$/i.exec(value.trim().toLowerCase()) ?? []
      // switches say how Quicken is to take the list of accounts, and begin none
      if (/^(?:option|clear):/.test(kind)) continue
      list = kind
      if (MONEY.includes(list)) lists += 1
      if (list === 'invst') problems.push({ line: index + 1, message: 'The transactions of an investment account were left out.' })
    } else record.push({ letter, text: value, line: index + 1 })
  }
  if (record.length > 0 && MONEY.includes(list))
    problems.push({ line: lines.length, message: 'The file breaks off here: its last transaction has no end. Something may be missing.' })
  end()
  if (lists === 0 && leftOut === 0) throw new StatementError('This QIF file has no list of transactions (!Type:Bank, !Type:CCard or !Type:Cash).')
  // programs write the purchases of a card with either sign
  return { signs: kinds.size === 1 && kinds.has('ccard') ? 'open' : 'defined', entries, problems, accounts: [...used].map((id) => ({ id, name: id })) }
}
