/** Columns above and below a line, with a mark for the net. Drawn by hand: docs/decisions/app/draw-charts-with-d3-scales.md compares it with a chart library. */
import { scaleBand, scaleLinear } from 'd3-scale'
import { Fragment, type ReactNode, type RefCallback, useCallback, useState } from 'react'
import { formatShort } from '../../locale/figures.ts'
import { formatPeriod, type Unit } from '../../locale/months.ts'
import type { Flow } from './flows.ts'

const height = 240
const edge = { top: 8, bottom: 24, start: 56 }

/** The width of a period's name. */
const nameWidth = 48

type ColumnsChartProps = {
  name: string
  flows: Flow[]
  currency: string
  unit: Unit
  /** Names a column for screen readers, and may make it a link. */
  wrap: (flow: Flow, column: ReactNode) => ReactNode
}

export default function ColumnsChart({ name, flows, currency, unit, wrap }: ColumnsChartProps) {
  const [box, width] = useWidth<HTMLDivElement>()
  const x = scaleBand(flows.map(({ period }) => period), [edge.start, width]).paddingInner(0.3).paddingOuter(0.15)
  const highest = Math.max(...flows.map(({ actual, planned }) => actual.income + planned.income))
  const lowest = Math.max(...flows.map(({ actual, planned }) => actual.expenses + planned.expenses))
  const y = scaleLinear([-lowest, highest], [height - edge.bottom, edge.top]).nice(4)
  const named = Math.ceil(nameWidth / x.step())
  return (
    <div className='report-chart' ref={box}>
      {width > 0 && (
        <svg width={width} height={height} role='group' aria-label={name}>
          {y.ticks(4).map((tick) => (
            <g key={tick} aria-hidden='true'>
              <line className={tick === 0 ? 'report-chart-zero' : 'report-chart-grid'} x1={edge.start} x2={width} y1={y(tick)} y2={y(tick)} />
              <text className='report-chart-tick' x={edge.start - 8} y={y(tick)} dy='0.32em' textAnchor='end'>{formatShort(tick, currency)}</text>
            </g>
          ))}
          {flows.map((flow) => (
            <Fragment key={flow.period}>
              {wrap(flow, <Column flow={flow} y={y} start={x(flow.period) ?? 0} width={x.bandwidth()} gap={x.step() - x.bandwidth()} />)}
            </Fragment>
          ))}
          {flows.filter((_, index) => index % named === 0).map(({ period }) => (
            <text key={period} className='report-chart-tick' aria-hidden='true' x={(x(period) ?? 0) + x.bandwidth() / 2} y={height - 6} textAnchor='middle'>
              {formatPeriod(period, unit, 'short')}
            </text>
          ))}
        </svg>
      )}
    </div>
  )
}

type ColumnProps = { flow: Flow, y: (amount: number) => number, start: number, width: number, gap: number }

function Column({ flow: { actual, planned, isComing }, y, start, width, gap }: ColumnProps) {
  /** A part of the column between two amounts, at least two pixels high. */
  const part = (className: string, from: number, to: number) => {
    const size = Math.max(Math.abs(y(from) - y(to)), 2)
    return from !== to && <rect className={className} x={start} width={width} y={to > from ? y(from) - size : y(from)} height={size} />
  }
  return (
    <>
      <rect className='report-column-ground' x={start - gap / 2} width={width + gap} y={0} height={height} />
      {part('report-flow-in', 0, actual.income)}
      {part('report-flow-in report-flow-planned', actual.income, actual.income + planned.income)}
      {part('report-flow-out', 0, -actual.expenses)}
      {part('report-flow-out report-flow-planned', -actual.expenses, -actual.expenses - planned.expenses)}
      {!isComing && actual.income + actual.expenses !== 0 && (
        <>
          <line className='report-flow-net-halo' x1={start - gap / 4} x2={start + width + gap / 4} y1={y(actual.net)} y2={y(actual.net)} />
          <line className='report-flow-net' x1={start - gap / 4} x2={start + width + gap / 4} y1={y(actual.net)} y2={y(actual.net)} />
        </>
      )}
    </>
  )
}

/** Follows the width of an element in pixels, so that text in a chart keeps its size on every screen. */
function useWidth<Element extends HTMLElement>(): [RefCallback<Element>, number] {
  const [width, setWidth] = useState(0)
  const ref = useCallback((element: Element | null) => {
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
