/** Figures of benchmarks: two things measured in turn, and the table that main.ts prints. */
import { quantile } from './stack.ts'

/** The result of a benchmark: the ratio of two things that one run measures in turn. */
export type Figure = {
  work: string
  /** The baseline of the comparison. */
  against: string
  ratio: number
  /** The aim for the ratio: a maximum for times, a minimum for throughputs. */
  aim: number
  unit: 'times' | 'throughputs'
  /** Further information for the last column of the table. */
  note?: string
}

/** Prints figures as one table of Markdown. */
export function print(figures: Figure[]): void {
  const rows = figures.map(({ work, against, ratio, aim, unit, note = '' }) => [
    work,
    against,
    ratio.toFixed(2),
    `${unit === 'times' ? '≤' : '≥'} ${aim}`,
    note,
  ])
  for (
    const row of [
      ['work', 'against', 'ratio', 'aim', ''],
      ['---', '---', '---', '---', '---'],
      ...rows,
    ]
  ) console.log(`| ${row.join(' | ')} |`)
}

/**
 * Runs two things in turn and returns their medians. The first ten rounds have cold caches and do
 * not count.
 */
export async function medians(
  one: () => Promise<number>,
  other: () => Promise<number>,
  rounds: number,
): Promise<[number, number]> {
  const times: [number, number][] = []
  for (let round = 0; round < rounds + 10; round++) times.push([await one(), await other()])
  const counted = times.slice(10)
  return [
    quantile(counted.map(([time]) => time), 0.5),
    quantile(counted.map(([, time]) => time), 0.5),
  ]
}
