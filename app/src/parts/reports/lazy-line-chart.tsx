/** A line chart that loads after the page, and keeps its place meanwhile. */
import { Suspense } from 'react'
import { lazyPart } from '../chunk.ts'

const LineChart = lazyPart(() => import('./line-chart.tsx'), (chunk) => chunk.default)

/** `planned` is dashed, because it has not happened. `former` is a line to compare with. */
type Line = { kind: 'main' | 'planned' | 'former', values: ReadonlyArray<number | null> }

export type LineChartProps = {
  name: string
  currency: string
  /** The first line is the one that is read. */
  lines: Line[]
  /** The names of the points. */
  names: readonly string[]
  /** The names below the axis. */
  shortNames: readonly string[]
  /** The figures of a point, which are shown above the chart and read aloud. */
  textOf: (index: number) => string
  /** The point that is read first. */
  start: number
  today?: number | undefined
  lowest?: number | undefined
  fromZero?: boolean
  /** Opens the rows of a point. */
  onOpen?: (index: number) => void
}

export const LazyLineChart = (chart: LineChartProps) => (
  <Suspense fallback={<div className='report-line' />}>
    <LineChart {...chart} />
  </Suspense>
)
