/**
 * Columns above and below a line, with a mark for the net. Drawn by hand. A comparison with chart
 * libraries: docs/decisions/app-pages.md#react-draws-charts-as-svg-on-d3s-scales.
 */
import { scaleBand, scaleLinear } from 'd3-scale'
import { Fragment, type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { formatShort } from '../../locale/figures.ts'
import { formatPeriod, type Unit } from '../../locale/months.ts'
import { fewTicks, labelWidth, movedBy } from './course.ts'
import type { Flow } from './flows.ts'
import { useSize } from './use-size.ts'

const height = 240
const edge = { top: 8, bottom: 24 }

/** The width of a period's name. */
const nameWidth = 48

type ColumnsChartProps = {
  name: string
  flows: Flow[]
  currency: string
  unit: Unit
  /**
   * Names a column for screen readers, and may make it a link. Only the current column is a stop of
   * the tab key.
   */
  wrap: (flow: Flow, column: ReactNode, tabIndex: number) => ReactNode
  /** The figures of a column, which are shown above the chart. */
  textOf: (flow: Flow) => string
}

export default function ColumnsChart(
  { name, flows, currency, unit, wrap, textOf }: ColumnsChartProps,
) {
  const [box, { width }] = useSize<HTMLDivElement>()
  const [read, setRead] = useState<number | null>(null)
  const current = flows.findLastIndex(({ isComing }) => !isComing)
  const at = Math.min(read ?? current, flows.length - 1)
  const highest = Math.max(...flows.map(({ actual, planned }) => actual.income + planned.income))
  const lowest = Math.max(...flows.map(({ actual, planned }) => actual.expenses + planned.expenses))
  const y = scaleLinear([-lowest, highest], [height - edge.bottom, edge.top]).nice(4)
  const ticks = fewTicks(y)
  const start = labelWidth(ticks.map((tick) => formatShort(tick, currency)))
  const x = scaleBand(flows.map(({ period }) => period), [start, width]).paddingInner(0.3)
    .paddingOuter(0.15)
  const named = Math.ceil(nameWidth / x.step())
  const point = (event: PointerEvent<HTMLElement>) => {
    const inside = event.clientX - event.currentTarget.getBoundingClientRect().left - start
    setRead(Math.min(Math.max(Math.floor(inside / x.step()), 0), flows.length - 1))
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const moved = movedBy(event.key, at, flows.length)
    if (moved === null) return
    event.preventDefault()
    setRead(moved)
    event.currentTarget.querySelectorAll<SVGElement>('.report-column')[moved]?.focus()
  }
  return (
    <>
      <p className='report-readout' aria-hidden='true'>
        {flows[at] !== undefined && textOf(flows[at])}
      </p>
      <div
        className='report-chart'
        ref={box}
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setRead(null)}
        onKeyDown={press}
      >
        {width > 0 && (
          <svg width={width} height={height} role='group' aria-label={name}>
            {ticks.map((tick) => (
              <g key={tick} aria-hidden='true'>
                <line
                  className={tick === 0 ? 'report-chart-zero' : 'report-chart-grid'}
                  x1={start}
                  x2={width}
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
            ))}
            {flows.map((flow, index) => (
              <Fragment key={flow.period}>
                {wrap(
                  flow,
                  <Column
                    isRead={index === at && read !== null}
                    flow={flow}
                    y={y}
                    start={x(flow.period) ?? 0}
                    width={x.bandwidth()}
                    gap={x.step() - x.bandwidth()}
                  />,
                  index === at ? 0 : -1,
                )}
              </Fragment>
            ))}
            {flows.filter((_, index) => index % named === 0).map(({ period }) => (
              <text
                key={period}
                className='report-chart-tick'
                aria-hidden='true'
                x={(x(period) ?? 0) + x.bandwidth() / 2}
                y={height - 6}
                textAnchor='middle'
              >
                {formatPeriod(period, unit, 'short')}
              </text>
            ))}
          </svg>
        )}
      </div>
    </>
  )
}

type ColumnProps = {
  isRead: boolean
  flow: Flow
  y: (amount: number) => number
  start: number
  width: number
  gap: number
}

function Column(
  { isRead, flow: { actual, planned, isComing }, y, start, width, gap }: ColumnProps,
) {
  /**
   * A part of the column between two amounts, at least two pixels high. The outer end of a column
   * is round.
   */
  const part = (className: string, from: number, to: number, isEnd: boolean) => {
    if (from === to) return null
    const size = Math.max(Math.abs(y(from) - y(to)), 2)
    const round = isEnd ? Math.min(4, size, width / 2) : 0
    const [base, sign] = [y(from), to > from ? -1 : 1]
    const end = base + sign * size
    const path = `M${start},${base} V${end - sign * round} Q${start},${end} ${
      start + round
    },${end} H${start + width - round} Q${start + width},${end} ${start + width},${
      end - sign * round
    } V${base} Z`
    return <path className={className} d={path} />
  }
  return (
    <>
      <rect
        className={isRead ? 'report-column-ground report-column-read' : 'report-column-ground'}
        x={start - gap / 2}
        width={width + gap}
        y={0}
        height={height}
      />
      {part('report-flow-in', 0, actual.income, planned.income === 0)}
      {part(
        'report-flow-in report-flow-planned',
        actual.income,
        actual.income + planned.income,
        true,
      )}
      {part('report-flow-out', 0, -actual.expenses, planned.expenses === 0)}
      {part(
        'report-flow-out report-flow-planned',
        -actual.expenses,
        -actual.expenses - planned.expenses,
        true,
      )}
      {!isComing && actual.income + actual.expenses !== 0 && (
        <>
          <line
            className='report-flow-net-halo'
            x1={start - gap / 4}
            x2={start + width + gap / 4}
            y1={y(actual.net)}
            y2={y(actual.net)}
          />
          <line
            className='report-flow-net'
            x1={start - gap / 4}
            x2={start + width + gap / 4}
            y1={y(actual.net)}
            y2={y(actual.net)}
          />
        </>
      )}
    </>
  )
}
