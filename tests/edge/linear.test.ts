/**
 * The time that the edge spends on a query grows with the length of the query, and not with its
 * square: one thread serves all clients.
 */
import { expect, test } from 'vitest'
import { checkQuery } from '../../edge/query.ts'

/** Characters and words that a rule for queries reads, and their encoded forms. */
const repeated = [
  ...Array.from(' +\t"\'\\:.,;&=()*%-!?{}a0_'),
  '\xc2\xa0',
  '%20',
  '%09',
  '%C2%A0',
  '->',
  '::',
  '":',
  '" ',
  ' "',
  '\\"',
  ',"',
  '..',
  '.a',
  ':a',
  ' :',
  '. ',
  '->"',
  '"a"',
  '.eq',
  '.fts(',
  '.fts(a',
  'not.',
  '.not',
  'match.',
  'rpc/',
  'or.',
  '%',
]

/** Each kind of parameter, with the longest value or name that the edge reads. */
const kinds: [name: string, longest: number, of: (run: string) => string][] = [
  ['select', 2_000, (run) => `select=x${run}y`],
  ['select of an embedded table', 2_000, (run) => `select=id,a:categories(x${run}y)`],
  ['order', 2_000, (run) => `order=x${run}y`],
  ['columns', 2_000, (run) => `columns=x${run}y`],
  ['or', 8_000, (run) => `or=(x${run}y.eq.1)`],
  ['and of an embedded table', 8_000, (run) => `a.not.and=(x${run}y.eq.1)`],
  ["a filter's name", 240, (run) => `x${run}y=eq.1`],
  ["a filter's value", 8_000, (run) => `name=eq.x${run}y`],
  ['a text search', 8_000, (run) => `name=fts(${run}y).z`],
  ['many filters', 8_000, (run) => `x${run}`.replaceAll(/.{40}/gs, '$&=eq.1&')],
]
const paths: [name: string, longest: number, of: (run: string) => string][] = [
  ['a path', 8_000, (run) => `/x${run}y`],
  ["a function's path", 110, (run) => `/rpc/x${run}y?select=id`],
]

const fill = (word: string, bytes: number) => word.repeat(Math.floor(bytes / word.length))

/**
 * Returns the time of one judgement: the fastest of several, because other processes delay some.
 */
function time(url: string): number {
  let fastest = Infinity
  for (let round = 0; round < 12; round++) {
    const started = performance.now()
    checkQuery('GET', url)
    fastest = Math.min(fastest, performance.now() - started)
  }
  return fastest
}

/**
 * Returns how much longer a query takes than one of half its length: 2 if the time is linear, 4 if
 * it is quadratic. Stops at a value below 3.
 */
function growth(long: string, short: string): number {
  let least = Infinity
  for (let attempt = 0; attempt < 8 && least >= 3; attempt++)
    least = Math.min(least, time(long) / time(short))
  return least
}

test.each([
  ...kinds.map(([name, longest, of]) =>
    [name, longest, (run: string) => `/transactions?${of(run)}`] as const
  ),
  ...paths,
])(
  '%s of twice the length takes about twice the time, whatever fills it',
  (_, longest, of) => {
    for (const word of repeated) {
      expect(growth(of(fill(word, longest)), of(fill(word, longest / 2))), JSON.stringify(word))
        .toBeLessThan(3)
    }
  },
)
