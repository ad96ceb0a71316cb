/**
 * Reads QIF, the format of Quicken and similar programs: a letter at the start of each line, `^` at
 * the end of each record.
 */
import { clean, type Entry, type ParsedFile, type Split } from './entries.ts'
import { type Problem, StatementError } from './types.ts'

/** Lists with transactions that become rows. */
const MONEY_LISTS = ['bank', 'ccard', 'cash', 'oth a', 'oth l']

type Field = { letter: string, text: string, line: number }

const textOf = (record: Field[], letter: string) =>
  record.find((field) => field.letter === letter)?.text.trim() ?? ''

/** Returns the parts of a split. Each begins with its category. */
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

/**
 * @param isFirst true for the first record of a list. As a transfer to its own account it is the
 * opening balance.
 */
function entryOf(record: Field[], account: string | undefined, isFirst: boolean): Entry {
  const category = clean(textOf(record, 'L'))
  const transfer = /^\[(.*)\]/.exec(category)?.[1]
  const splits = splitsOf(record)
  const check = textOf(record, 'N')
  return {
    line: record[0]?.line ?? 1,
    ...account === undefined ? {} : { account: { id: account, name: account } },
    ...isFirst && transfer !== undefined && transfer === account ? { isOpening: true } : {},
    date: textOf(record, 'D'),
    // later versions repeat T as U, which also holds larger numbers
    amount: textOf(record, 'T') || textOf(record, 'U'),
    name: textOf(record, 'P'),
    fallbackName: clean(category || check),
    description: textOf(record, 'M'),
    reference_no: check,
    metadata: transfer === undefined ? { category } : { transfer },
    ...splits.length === 0 ? {} : { splits },
  }
}

/** Returns `bank` for the header `!Type:Bank`. */
const listIn = (header: string) => /^(?:type:)?(.*)$/i.exec(header.trim().toLowerCase())?.[1] ?? ''

/**
 * Returns the source of the signs. Programs disagree about those of card purchases, unless another
 * account of the file has a minus.
 */
function signsOf(lists: ReadonlySet<string>, entries: Entry[]): ParsedFile['signs'] {
  const isSigned = lists.size > 1 &&
    entries.some(({ amount = '' }) => amount.trim().startsWith('-'))
  return lists.has('ccard') && !isSigned ? 'open' : 'defined'
}

/** @throws StatementError if the file has no list of transactions */
export function readQif(text: string): ParsedFile {
  const entries: Entry[] = []
  const problems: Problem[] = []
  const kinds = new Set<string>()
  let list = ''
  let lists = 0
  let account: string | undefined
  let record: Field[] = []
  let leftOut = 0
  let isFirst = true
  const end = () => {
    const fields = record
    record = []
    if (fields.every(({ text: value }) => value.trim() === '')) return
    if (list === 'account') {
      account = clean(textOf(fields, 'N'))
    } else if (MONEY_LISTS.includes(list)) {
      entries.push(entryOf(fields, account, isFirst))
      isFirst = false
      kinds.add(list)
    } else if (list === 'invst') leftOut += 1
  }
  const lines = text.split('\n')
  for (const [index, content] of lines.entries()) {
    const [letter = '', value] = [content.trimStart()[0], content.trimStart().slice(1)]
    if (letter === '') continue
    if (letter === '^') end()
    else if (letter === '!') {
      end()
      const next = listIn(value)
      // option and clear are switches for Quicken and begin no list
      if (/^(?:option|clear):/.test(next)) continue
      list = next
      isFirst = true
      if (MONEY_LISTS.includes(list)) lists += 1
      if (list === 'invst')
        problems.push({
          line: index + 1,
          message: 'The transactions of an investment account were skipped.',
        })
    } else record.push({ letter, text: value, line: index + 1 })
  }
  if (record.length > 0 && MONEY_LISTS.includes(list))
    problems.push({
      line: lines.length,
      message: 'The file ends too early: its last transaction is incomplete.',
    })
  end()
  if (lists === 0 && leftOut === 0)
    throw new StatementError(
      'This QIF file has no list of transactions (!Type:Bank, !Type:CCard or !Type:Cash).',
    )
  return { signs: signsOf(kinds, entries), entries, problems, statements: [] }
}
