/**
 * Columns above and below a line, with a mark for the net. Drawn by hand. A comparison with chart
 * libraries: docs/decisions/app-pages.md#react-draws-charts-as-svg-on-d3s-scales.
 */
import { type ScaleBand, scaleBand, scaleLinear } from 'd3-scale'
import { Fragment, type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { formatShort } from '../../locale/figures.ts'
import { formatPeriod, type Unit } from '../../locale/months.ts'
import { AmountAxis } from './axis.tsx'
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

/** Returns the scales of periods and of amounts, and the ticks of the amounts. */
function scalesOf(flows: Flow[], currency: string, width: number) {
  const highest = Math.max(...flows.map(({ actual, planned }) => actual.income + planned.income))
  const lowest = Math.max(...flows.map(({ actual, planned }) => actual.expenses + planned.expenses))
  const y = scaleLinear([-lowest, highest], [height - edge.bottom, edge.top]).nice(4)
  const ticks = fewTicks(y)
  const start = labelWidth(ticks.map((tick) => formatShort(tick, currency)))
  const x = scaleBand(flows.map(({ period }) => period), [start, width]).paddingInner(0.3)
    .paddingOuter(0.15)
  return { x, y, ticks, start }
}

export default function ColumnsChart(
  { name, flows, currency, unit, wrap, textOf }: ColumnsChartProps,
) {
  const [box, { width }] = useSize<HTMLDivElement>()
  const [read, setRead] = useState<number | null>(null)
  const current = flows.findLastIndex(({ isComing }) => !isComing)
  const at = Math.min(read ?? current, flows.length - 1)
  const { x, y, ticks, start } = scalesOf(flows, currency, width)
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
            <AmountAxis {...{ ticks, y, start, currency }} end={width} aria-hidden='true' />
            <Columns {...{ flows, x, y, at, wrap }} isReading={read !== null} />
            <PeriodNames
              periods={flows.filter((_, index) => index % named === 0).map(({ period }) => period)}
              xOf={(period) => (x(period) ?? 0) + x.bandwidth() / 2}
              unit={unit}
            />
          </svg>
        )}
      </div>
    </>
  )
}

type ColumnsProps = Pick<ColumnsChartProps, 'flows' | 'wrap'> & {
  x: ScaleBand<string>
  y: (amount: number) => number
  /** The current column. */
  at: number
  /** Whether the user reads the figures of the current column. */
  isReading: boolean
}

const Columns = ({ flows, wrap, x, y, at, isReading }: ColumnsProps) =>
  flows.map((flow, index) => (
    <Fragment key={flow.period}>
      {wrap(
        flow,
        <Column
          isRead={index === at && isReading}
          flow={flow}
          y={y}
          start={x(flow.period) ?? 0}
          width={x.bandwidth()}
          gap={x.step() - x.bandwidth()}
        />,
        index === at ? 0 : -1,
      )}
    </Fragment>
  ))

type PeriodNamesProps = {
  periods: string[]
  xOf: (period: string) => number
  unit: Unit
}

const PeriodNames = ({ periods, xOf, unit }: PeriodNamesProps) =>
  periods.map((period) => (
    <text
      key={period}
      className='report-chart-tick'
      aria-hidden='true'
      x={xOf(period)}
      y={height - 6}
      textAnchor='middle'
    >
      {formatPeriod(period, unit, 'short')}
    </text>
  ))

type Place = { y: (amount: number) => number, start: number, width: number }

type ColumnProps = Place & {
  isRead: boolean
  flow: Flow
  gap: number
}

function Column(
  { isRead, flow: { actual, planned, isComing }, y, start, width, gap }: ColumnProps,
) {
  const place = { y, start, width }
  const net = {
    x1: start - gap / 4,
    x2: start + width + gap / 4,
    y1: y(actual.net),
    y2: y(actual.net),
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
      <Part
        {...place}
        className='report-flow-in'
        from={0}
        to={actual.income}
        isEnd={planned.income === 0}
      />
      <Part
        {...place}
        className='report-flow-in report-flow-planned'
        from={actual.income}
        to={actual.income + planned.income}
        isEnd
      />
      <Part
        {...place}
        className='report-flow-out'
        from={0}
        to={-actual.expenses}
        isEnd={planned.expenses === 0}
      />
      <Part
        {...place}
        className='report-flow-out report-flow-planned'
        from={-actual.expenses}
        to={-actual.expenses - planned.expenses}
        isEnd
      />
      {!isComing && actual.income + actual.expenses !== 0 && (
        <>
          <line className='report-flow-net-halo' {...net} />
          <line className='report-flow-net' {...net} />
        </>
      )}
    </>
  )
}

type PartProps = Place & { className: string, from: number, to: number, isEnd: boolean }

/**
 * A part of a column between two amounts, at least two pixels high. The outer end of a column is
 * round.
 */
function Part({ y, start, width, className, from, to, isEnd }: PartProps) {
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
