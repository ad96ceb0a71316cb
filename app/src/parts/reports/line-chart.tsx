/**
 * Lines over days or months. The pointer, the finger and the arrow keys read the figures of a
 * point.
 */
import { scaleLinear } from 'd3-scale'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { formatShort } from '../../locale/figures.ts'
import { AmountAxis } from './axis.tsx'
import { fewTicks, labelWidth, movedBy } from './course.ts'
import type { LineChartProps } from './lazy-line-chart.tsx'
import { useSize } from './use-size.ts'

const edge = { top: 10, bottom: 24, end: 8 }

const classes = {
  main: 'report-line-main',
  planned: 'report-line-planned',
  former: 'report-line-former',
}

/** The width of a name below the axis. */
const nameWidth = 80

type Scale = (value: number) => number

/** Returns the scales of points and of amounts, and the ticks of the amounts. */
function scalesOf(
  { lines, names, currency, fromZero = false }: LineChartProps,
  { width, height }: { width: number, height: number },
) {
  const allValues = lines.flatMap(({ values }) => values).filter((value) => value !== null)
  const [least, most] = [
    Math.min(...allValues, ...fromZero ? [0] : []),
    Math.max(...allValues, ...fromZero ? [0] : []),
  ]
  // equal values need a range of their own
  const room = most === least ? Math.max(Math.abs(most) / 10, 100) : 0
  const y = scaleLinear([fromZero ? least : least - room, most + room], [
    height - edge.bottom,
    edge.top,
  ]).nice(4)
  const ticks = fewTicks(y)
  const inset = labelWidth(ticks.map((tick) => formatShort(tick, currency)))
  const x = scaleLinear([0, Math.max(names.length - 1, 1)], [inset, width - edge.end])
  const floor = y(Math.min(Math.max(0, y.domain()[0] ?? 0), y.domain()[1] ?? 0))
  return { x, y, ticks, inset, floor }
}

export default function LineChart(props: LineChartProps) {
  const { name, names, textOf, start, onOpen } = props
  const [box, { width, height }] = useSize<HTMLDivElement>()
  const [read, setRead] = useState<number | null>(null)
  const count = names.length
  const at = Math.min(read ?? start, count - 1)
  const scales = scalesOf(props, { width, height })
  const point = (event: PointerEvent<HTMLElement>) => {
    const inside = event.clientX - event.currentTarget.getBoundingClientRect().left
    setRead(Math.min(Math.max(Math.round(scales.x.invert(inside)), 0), count - 1))
  }
  const press = (event: KeyboardEvent) => {
    const moved = movedBy(event.key, at, count)
    if (event.key === 'Enter') onOpen?.(at)
    if (moved === null) return
    event.preventDefault()
    setRead(moved)
  }
  return (
    <div className='report-line'>
      <p className='report-readout' aria-hidden='true'>{textOf(at)}</p>
      <div
        ref={box}
        className='report-line-chart'
        role='slider'
        tabIndex={0}
        aria-label={name}
        aria-orientation='horizontal'
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={at}
        aria-valuetext={textOf(at)}
        onKeyDown={press}
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setRead(null)}
        // a finger reads, and does not leave the page
        onClick={({ nativeEvent }) =>
          nativeEvent instanceof window.PointerEvent && nativeEvent.pointerType === 'mouse' &&
          onOpen?.(at)}
      >
        {width > 0 && (
          <Drawing chart={props} {...{ width, height, scales, at }} isResting={read === null} />
        )}
      </div>
    </div>
  )
}

type DrawingProps = {
  chart: LineChartProps
  width: number
  height: number
  scales: ReturnType<typeof scalesOf>
  /** The current point. */
  at: number
  /** Whether the user reads no point. */
  isResting: boolean
}

function Drawing({ chart, width, height, scales, at, isResting }: DrawingProps) {
  const { currency, lines, shortNames, today, lowest } = chart
  const { x, y, ticks, inset, floor } = scales
  return (
    <svg width={width} height={height} aria-hidden='true'>
      <AmountAxis {...{ ticks, y, currency }} start={inset} end={width} />
      <PointNames names={shortNames} {...{ x, inset, width, height }} />
      {today !== undefined && (
        <Upright
          className='report-line-today'
          x={x(today)}
          height={height}
        />
      )}
      <Lines {...{ lines, x, y, floor }} />
      {lowest !== undefined && (
        <circle
          className='report-line-lowest'
          cx={x(lowest)}
          cy={y(lines[0]?.values[lowest] ?? 0)}
          r={5}
        />
      )}
      <Cursor
        x={x(at)}
        y={y}
        value={lines[0]?.values[at] ?? null}
        isResting={isResting}
        height={height}
      />
    </svg>
  )
}

type PointNamesProps = {
  names: readonly string[]
  x: Scale
  /** The left end of the lines, in pixels. */
  inset: number
  width: number
  height: number
}

/** The names below the axis, as many as have room. */
function PointNames({ names, x, inset, width, height }: PointNamesProps) {
  const most = Math.max(1, Math.floor((width - inset - edge.end) / nameWidth))
  const every = Math.ceil(names.length / most)
  return names.map((text, index) =>
    index % every === 0 && x(index) < width - edge.end - nameWidth / 3 && (
      <text
        key={index}
        className='report-chart-tick'
        x={x(index)}
        y={height - 6}
        textAnchor={index === 0 ? 'start' : 'middle'}
      >
        {text}
      </text>
    )
  )
}

type LinesProps = Pick<LineChartProps, 'lines'> & {
  x: Scale
  y: Scale
  /** The lower end of the areas, in pixels. */
  floor: number
}

/** The lines with the areas below them, the first one above the others. */
const Lines = ({ lines, x, y, floor }: LinesProps) =>
  lines.toReversed().map(({ kind, values }) => {
    const points = values.flatMap((value, index) =>
      value === null ? [] : [`${x(index)},${y(value)}`]
    )
    return (
      <g key={kind} className={classes[kind]}>
        {kind !== 'former' && points.length > 1 && (
          <polygon
            points={`${points[0]?.split(',')[0]},${floor} ${points.join(' ')} ${
              points.at(-1)?.split(',')[0]
            },${floor}`}
          />
        )}
        <polyline points={points.join(' ')} />
      </g>
    )
  })

type UprightProps = { className: string, x: number, height: number }

/** An upright line through the chart. */
const Upright = ({ className, x, height }: UprightProps) => (
  <line className={className} x1={x} x2={x} y1={edge.top} y2={height - edge.bottom} />
)

type CursorProps = {
  x: number
  y: Scale
  value: number | null
  isResting: boolean
  height: number
}

/** The mark of the point that is read. */
const Cursor = ({ x, y, value, isResting, height }: CursorProps) => (
  <>
    <Upright
      className={isResting ? 'report-line-cursor report-line-resting' : 'report-line-cursor'}
      {...{ x, height }}
    />
    {value !== null && <circle className='report-line-point' cx={x} cy={y(value)} r={4} />}
  </>
)
