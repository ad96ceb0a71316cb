import type { ReactNode } from 'react'

type Bar = { key: string, name: string, part: number, says: ReactNode }

/** Parts of a whole, the names and figures as text and the bars beside them for the eye alone. */
export const Bars = ({ rows }: { rows: Bar[] }) => (
  <ul className='bars'>
    {rows.map(({ key, name, part, says }) => (
      <li key={key}>
        <span>{name}</span>
        <span className='amount'>{says}</span>
        <span className='bar' data-over={part > 1} aria-hidden='true'>
          <span style={{ inlineSize: `${Math.min(Math.max(part, 0), 1) * 100}%` }} />
        </span>
      </li>
    ))}
  </ul>
)
