/** The axis of amounts of a chart. */
import { formatShort } from '../../locale/figures.ts'

type AmountAxisProps = {
  ticks: readonly number[]
  y: (amount: number) => number
  /** The left and the right end of the lines, in pixels. */
  start: number
  end: number
  currency: string
  'aria-hidden'?: 'true'
}

/** Lines across a chart, each with its amount. */
export const AmountAxis = ({ ticks, y, start, end, currency, ...group }: AmountAxisProps) =>
  ticks.map((tick) => (
    <g key={tick} {...group}>
      <line
        className={tick === 0 ? 'report-chart-zero' : 'report-chart-grid'}
        x1={start}
        x2={end}
        y1={y(tick)}
        y2={y(tick)}
      />
      <text
        className='report-chart-tick'
        x={start - 8}
        y={y(tick)}
        dy='0.32em'
        textAnchor='end'
      >
        {formatShort(tick, currency)}
      </text>
    </g>
  ))
