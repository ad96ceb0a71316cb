/** Widgets where the layout says they stand; on a phone one below the other, in the same order. */
import type { DateRange } from 'finance-client'
import { type CSSProperties, type KeyboardEvent, type ReactNode, useId } from 'react'
import type { Widget } from '../../data/dashboards.ts'
import { columns, inOrder } from './arrangement.ts'
import { titleOf } from './kinds.ts'
import { WidgetView } from './widgets/views.tsx'

type GridProps = {
  widgets: Widget[]
  range: DateRange
  /** What can be done with a widget, while they are arranged. */
  tools?: (widget: Widget) => ReactNode
  onKeyDown?: (widget: Widget, event: KeyboardEvent) => void
}

/** A layout of another app may be wider than twelve columns. */
function placeOf({ position: { x, y }, size: { w, h } }: Widget): CSSProperties {
  const from = Math.min(Math.floor(x), columns - 1)
  const width = Math.max(1, Math.min(Math.ceil(w), columns - from))
  return { '--column': `${from + 1} / span ${width}`, '--row': `${Math.floor(y) + 1} / span ${Math.ceil(h)}` } as CSSProperties
}

export const Grid = ({ widgets, range, tools, onKeyDown }: GridProps) => (
  <div className='grid'>
    {inOrder(widgets).map((widget) => (
      <Frame key={widget.id} widget={widget} tools={tools?.(widget)} onKeyDown={(event) => onKeyDown?.(widget, event)}>
        <WidgetView widget={widget} range={range} />
      </Frame>
    ))}
  </div>
)

type FrameProps = { widget: Widget, tools: ReactNode, onKeyDown: (event: KeyboardEvent) => void, children: ReactNode }

function Frame({ widget, tools, onKeyDown, children }: FrameProps) {
  const id = useId()
  return (
    <section className='widget' style={placeOf(widget)} aria-labelledby={id} onKeyDown={onKeyDown}>
      <h2 id={id}>{titleOf(widget)}</h2>
      {tools}
      {children}
    </section>
  )
}
