/** What a benchmark has measured: a ratio of two things run in turn in one run. */
export type Figure = {
  work: string
  /** What the work is compared with. */
  against: string
  ratio: number
  /** The ratio that is aimed at: of times at most so much, of throughputs at least. */
  reach: number
  of: 'times' | 'throughputs'
  /** What the reader has to know of this figure. */
  note?: string
}

/** Prints figures as one table of Markdown. */
export function print(figures: Figure[]): void {
  const rows = figures.map(({ work, against, ratio, reach, of, note = '' }) => [
    work,
    against,
    ratio.toFixed(2),
    `${of === 'times' ? '≤' : '≥'} ${reach}`,
    note,
  ])
  for (const row of [['work', 'against', 'ratio', 'aim', ''], ['---', '---', '---', '---', '---'], ...rows]) console.log(`| ${row.join(' | ')} |`)
}
