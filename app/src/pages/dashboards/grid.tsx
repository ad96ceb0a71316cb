/** Widgets at the positions of the layout; on a phone in one column, in the same order. */
import type { DateRange } from 'finance-client'
import type { CSSProperties, KeyboardEvent, ReactNode } from 'react'
import type { Widget } from '../../data/dashboards.ts'
import { today } from '../../locale/days.ts'
import { Card } from '../../parts/ui.tsx'
import { columns, inOrder } from './arrangement.ts'
import { titleOf } from './kinds.ts'
import { daysOfRange } from './ranges.tsx'
import { WidgetView } from './widget-view.tsx'

type GridProps = {
  widgets: Widget[]
  range: DateRange
  /** Buttons of a widget while the user arranges. */
  tools?: (widget: Widget) => ReactNode
  onKeyDown?: (widget: Widget, event: KeyboardEvent) => void
}

/** Clamps a widget to twelve columns, because a layout of another app may be wider. */
function placeOf({ position: { x, y }, size: { w, h } }: Widget): CSSProperties {
  const from = Math.min(Math.floor(x), columns - 1)
  const width = Math.max(1, Math.min(Math.ceil(w), columns - from))
  return {
    '--column': `${from + 1} / span ${width}`,
    '--row': `${Math.floor(y) + 1} / span ${Math.ceil(h)}`,
  } as CSSProperties
}

export const Grid = ({ widgets, range, tools, onKeyDown }: GridProps) => (
  <div className='dashboard-grid'>
    {inOrder(widgets).map((widget) => (
      <Card
        key={widget.id}
        title={titleOf(widget)}
        className='report-card dashboard-widget'
        style={placeOf(widget)}
        onKeyDown={(event) => onKeyDown?.(widget, event)}
      >
        {tools?.(widget)}
        <WidgetView widget={widget} days={daysOfRange(range, today())} />
      </Card>
    ))}
  </div>
)
