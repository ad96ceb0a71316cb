/**
 * Lines over days or months. The pointer, the finger and the arrow keys read the figures of a
 * point.
 */
import { scaleLinear } from 'd3-scale'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { formatShort } from '../../locale/figures.ts'
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

export default function LineChart(
  {
    name,
    currency,
    lines,
    names,
    shortNames,
    textOf,
    start,
    today,
    lowest,
    fromZero = false,
    onOpen,
  }: LineChartProps,
) {
  const [box, { width, height }] = useSize<HTMLDivElement>()
  const [read, setRead] = useState<number | null>(null)
  const count = names.length
  const at = Math.min(read ?? start, count - 1)
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
  const x = scaleLinear([0, Math.max(count - 1, 1)], [inset, width - edge.end])
  const floor = y(Math.min(Math.max(0, y.domain()[0] ?? 0), y.domain()[1] ?? 0))
  const point = (event: PointerEvent<HTMLElement>) => {
    const inside = event.clientX - event.currentTarget.getBoundingClientRect().left
    setRead(Math.min(Math.max(Math.round(x.invert(inside)), 0), count - 1))
  }
  const press = (event: KeyboardEvent) => {
    const moved = movedBy(event.key, at, count)
    if (event.key === 'Enter') onOpen?.(at)
    if (moved === null) return
    event.preventDefault()
    setRead(moved)
  }
  const every = Math.ceil(count / Math.max(1, Math.floor((width - inset - edge.end) / nameWidth)))
  const main = lines[0]?.values[at] ?? null
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
          <svg width={width} height={height} aria-hidden='true'>
            {ticks.map((tick) => (
              <g key={tick}>
                <line
                  className={tick === 0 ? 'report-chart-zero' : 'report-chart-grid'}
                  x1={inset}
                  x2={width}
                  y1={y(tick)}
                  y2={y(tick)}
                />
                <text
                  className='report-chart-tick'
                  x={inset - 8}
                  y={y(tick)}
                  dy='0.32em'
                  textAnchor='end'
                >
                  {formatShort(tick, currency)}
                </text>
              </g>
            ))}
            {shortNames.map((text, index) =>
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
            )}
            {today !== undefined && (
              <line
                className='report-line-today'
                x1={x(today)}
                x2={x(today)}
                y1={edge.top}
                y2={height - edge.bottom}
              />
            )}
            {lines.toReversed().map(({ kind, values }) => {
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
            })}
            {lowest !== undefined && (
              <circle
                className='report-line-lowest'
                cx={x(lowest)}
                cy={y(lines[0]?.values[lowest] ?? 0)}
                r={5}
              />
            )}
            <line
              className={read === null
                ? 'report-line-cursor report-line-resting'
                : 'report-line-cursor'}
              x1={x(at)}
              x2={x(at)}
              y1={edge.top}
              y2={height - edge.bottom}
            />
            {main !== null && (
              <circle className='report-line-point' cx={x(at)} cy={y(main)} r={4} />
            )}
          </svg>
        )}
      </div>
    </div>
  )
}
