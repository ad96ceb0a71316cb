/**
 * Decides the signs of OFX by the types of its transactions. Some programs write amounts without
 * signs, or with the opposite ones.
 */
import { writtenAmount } from './amounts.ts'
import { type Entry, typeOf } from './entries.ts'
import type { Direction } from './layout.ts'
import { signQuestion, wordsQuestion } from './questions.ts'
import { entriesByStatement } from './statement-sums.ts'
import type { Problem, ReadOptions } from './types.ts'
import { plainName } from './usual-columns.ts'
import { DIRECTIONS } from './vocabulary.ts'

/** Types with a fixed direction. The others occur in both. */
const FIXED: ReadonlyMap<string, Direction> = new Map([['check', 'out'], ['directdebit', 'out'], [
  'dep',
  'in',
], ['directdep', 'in']])

/** Types that are expenses, except refunds. Without any minus in a statement they raise a doubt. */
const SPENT: ReadonlySet<string> = new Set([
  'atm',
  'cash',
  'fee',
  'payment',
  'pos',
  'repeatpmt',
  'srvchg',
])

const wordOf = (entry: Entry) => plainName(typeOf(entry))

/** Some programs write `D` and `C`, or words. */
const directionOf = (entry: Entry) => FIXED.get(wordOf(entry)) ?? DIRECTIONS.get(wordOf(entry))

const isNegative = ({ amount = '' }: Entry) => writtenAmount(amount)?.negative === true
const movesMoney = ({ amount = '' }: Entry) => /[1-9]/.test(amount)
const isTyped = (entry: Entry) => movesMoney(entry) && directionOf(entry) !== undefined

/**
 * `agreed`: the signs fit the types. `unsigned`: no amount has a minus, but types of both
 * directions. `contrary`: most signs contradict the types.
 */
type Kind = 'agreed' | 'unsigned' | 'contrary'

function kindOf(entries: Entry[]): Kind {
  const hasMinus = entries.some(isNegative)
  const isSpent = (entry: Entry) => !hasMinus && movesMoney(entry) && SPENT.has(wordOf(entry))
  const typed = entries.filter((entry) => isTyped(entry) || isSpent(entry))
  const contrary = typed.filter((entry) =>
    (isSpent(entry) || directionOf(entry) === 'out') !== isNegative(entry)
  )
  if (contrary.length === 0) return 'agreed'
  if (contrary.length < typed.length && !hasMinus) return 'unsigned'
  return contrary.length * 2 > typed.length ? 'contrary' : 'agreed'
}

/**
 * Returns the entries of a file with their directions. If no amount of the file has a minus, but it
 * has types of both directions, the types decide.
 *
 * @param problems receives the question for `directions` or `negate`, if neither the signs nor the
 * types decide
 */
export function withDirections(
  entries: Entry[],
  { directions, negate }: ReadOptions,
  problems: Problem[],
): Entry[] {
  if (negate !== undefined) return entries
  const isUnsigned = kindOf(entries) === 'unsigned'
  const statements = [...entriesByStatement(entries).values()]
  const doubtful = isUnsigned
    ? statements
    : statements.filter((ofStatement) => kindOf(ofStatement) !== 'agreed')
  const isInverted = directions === undefined && entries.some(isNegative) &&
    statements.every((ofStatement) => kindOf(ofStatement) === 'contrary')
  if (isInverted) {
    problems.push(signQuestion(entries.filter(isTyped).slice(0, 1), '.'))
    return entries
  }
  const answers = new Map(
    Object.entries(directions ?? {}).map(([word, direction]) => [plainName(word), direction]),
  )
  const meaningOf = (entry: Entry) =>
    answers.get(wordOf(entry)) ?? (isUnsigned ? directionOf(entry) : undefined)
  const open = doubtful.flat().filter((entry) =>
    movesMoney(entry) && meaningOf(entry) === undefined
  )
  problems.push(
    ...wordsQuestion(
      'directions',
      open.map((entry) => ({ line: entry.line, word: wordOf(entry), text: typeOf(entry) })),
    ),
  )
  const decided = new Map(doubtful.flat().map((entry) => [entry, meaningOf(entry) ?? 'sign']))
  return entries.map((entry) => {
    const direction = decided.get(entry) ?? 'sign'
    return direction === 'sign' ? entry : { ...entry, out: direction === 'out' }
  })
}
