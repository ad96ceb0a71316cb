/** Small marks of reports, for the eye only: the figures are beside them. */
import { reports as m } from '../../messages/reports.ts'

type BarProps = {
  /** From 0 to 1; more fills the bar. */
  share: number
  /** The position of a mark, from 0 to 1. */
  mark?: number | undefined
  /** `#rrggbb` of a category. */
  color?: string | null
  isOver?: boolean
  isIncome?: boolean
}

/** A share of a whole. */
export const Bar = ({ share, mark, color, isOver = false, isIncome = false }: BarProps) => (
  <span className={isOver ? 'report-bar report-bar-over' : 'report-bar'} aria-hidden='true'>
    <span
      className={isIncome ? 'report-bar-fill report-bar-income' : 'report-bar-fill'}
      style={{
        inlineSize: `${Math.min(Math.max(share, 0), 1) * 100}%`,
        ...(color != null && { background: color }),
      }}
    />
    {mark !== undefined && (
      <span className='report-bar-mark' style={{ insetInlineStart: `${mark * 100}%` }} />
    )}
  </span>
)

/** The colour of a category, before its name. */
export const Dot = ({ color }: { color: string | null }) => (
  <span
    className='swatch report-dot'
    aria-hidden='true'
    style={color === null ? {} : { background: color }}
  />
)

const size = { width: 96, height: 24 }

/** The course of values. It keeps its size while loading. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const points = values.map((value, index) => {
    const share = highest === lowest ? 0.5 : (value - lowest) / (highest - lowest)
    return `${index / (values.length - 1) * size.width},${(1 - share) * (size.height - 4) + 2}`
  })
  return (
    <svg
      className='report-sparkline'
      viewBox={`0 0 ${size.width} ${size.height}`}
      aria-hidden='true'
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}

/** Switches between a chart and its table. */
export const TableSwitch = (
  { isTable, onChange }: { isTable: boolean, onChange: (isTable: boolean) => void },
) => (
  <button
    type='button'
    className='quiet'
    aria-pressed={isTable}
    onClick={() => onChange(!isTable)}
  >
    {m.showTable}
  </button>
)

/** Names the colours of a chart, and its mark for the net. @param parts class and name */
export const Legend = (
  { parts, net = m.net }: { parts: ReadonlyArray<readonly [string, string]>, net?: string },
) => (
  <ul className='report-legend'>
    {parts.map(([className, name]) => (
      <li key={name}>
        <svg viewBox='0 0 14 14' aria-hidden='true'>
          <rect className={className} width='14' height='14' />
        </svg>
        {name}
      </li>
    ))}
    <li>
      <svg viewBox='0 0 14 14' aria-hidden='true'>
        <line className='report-flow-net' x1='0' x2='14' y1='7' y2='7' />
      </svg>
      {net}
    </li>
  </ul>
)
