/** Decides the signs of OFX by the types of its transactions. Some programs write amounts without signs, or with the opposite ones. */
import { type Entry, typeOf } from './entries.ts'
import type { Direction } from './layout.ts'
import { signQuestion, wordsQuestion } from './questions.ts'
import { entriesByStatement } from './statement-sums.ts'
import type { Problem, ReadOptions } from './types.ts'

/** Types with a fixed direction. The others occur in both. */
const DIRECTIONS: ReadonlyMap<string, Direction> = new Map([
  ...['DEBIT', 'CHECK', 'DIRECTDEBIT'].map((type) => [type, 'out'] as const),
  ...['CREDIT', 'DEP', 'DIRECTDEP'].map((type) => [type, 'in'] as const),
])

const wordOf = (entry: Entry) => typeOf(entry).toUpperCase()

const isNegative = ({ amount = '' }: Entry) => amount.trim().startsWith('-')
const movesMoney = ({ amount = '' }: Entry) => /[1-9]/.test(amount)
const isTyped = (entry: Entry) => movesMoney(entry) && DIRECTIONS.has(wordOf(entry))

/** `agreed`: the signs fit the types. `unsigned`: no amount has a minus, but types of both directions. `contrary`: most signs contradict the types. */
type Kind = 'agreed' | 'unsigned' | 'contrary'

function kindOf(entries: Entry[]): Kind {
  const typed = entries.filter(isTyped)
  const contrary = typed.filter((entry) => (DIRECTIONS.get(wordOf(entry)) === 'out') !== isNegative(entry))
  if (contrary.length === 0) return 'agreed'
  if (contrary.length < typed.length && !entries.some(isNegative)) return 'unsigned'
  return contrary.length * 2 > typed.length ? 'contrary' : 'agreed'
}

/**
 * Returns the entries of a file with their directions. If no amount of the file has a minus, but it has types of both directions, the types decide.
 *
 * @param problems receives the question for `directions` or `negate`, if neither the signs nor the types decide
 */
export function withDirections(entries: Entry[], { directions, negate }: ReadOptions, problems: Problem[]): Entry[] {
  if (negate !== undefined) return entries
  const isUnsigned = kindOf(entries) === 'unsigned'
  const statements = [...entriesByStatement(entries).values()]
  const doubtful = isUnsigned ? statements : statements.filter((ofStatement) => kindOf(ofStatement) !== 'agreed')
  if (!isUnsigned && directions === undefined && doubtful.length > 0 && statements.every((ofStatement) => kindOf(ofStatement) === 'contrary')) {
    problems.push(signQuestion(entries.filter(isTyped).slice(0, 1), '.'))
    return entries
  }
  const answers = new Map(Object.entries(directions ?? {}).map(([word, direction]) => [word.toUpperCase(), direction]))
  const directionOf = (entry: Entry) => answers.get(wordOf(entry)) ?? (isUnsigned ? DIRECTIONS.get(wordOf(entry)) : undefined)
  const open = doubtful.flat().filter((entry) => movesMoney(entry) && directionOf(entry) === undefined)
  problems.push(...wordsQuestion('directions', open.map((entry) => ({ line: entry.line, word: wordOf(entry), text: wordOf(entry) }))))
  const decided = new Map(doubtful.flat().map((entry) => [entry, directionOf(entry) ?? 'sign']))
  return entries.map((entry) => {
    const direction = decided.get(entry) ?? 'sign'
    return direction === 'sign' ? entry : { ...entry, out: direction === 'out' }
  })
}
