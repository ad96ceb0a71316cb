/** Positions of widgets in twelve columns. Pure functions. */
import type { Widget } from '../../data/dashboards.ts'
import { dashboards as m } from '../../messages/dashboards.ts'

export const columns = 12

/** The widths that the buttons set. */
export const widths = [{ w: 3, name: m.quarter }, { w: 4, name: m.third }, { w: 6, name: m.half }, {
  w: 8,
  name: m.twoThirds,
}, { w: 12, name: m.full }]

/** Reading order: from top to bottom, from left to right. */
export const inOrder = (widgets: Widget[]): Widget[] =>
  widgets.toSorted((a, b) => a.position.y - b.position.y || a.position.x - b.position.x)

/** Places each widget beside its predecessor if there is room, otherwise below. */
export function pack(widgets: Widget[]): Widget[] {
  let [x, y, height] = [0, 0, 0]
  return widgets.map((widget) => {
    const w = Math.min(Math.ceil(widget.size.w), columns)
    if (x + w > columns) [x, y, height] = [0, y + height, 0]
    const placed = { ...widget, position: { x, y }, size: { ...widget.size, w } }
    x += w
    height = Math.max(height, Math.ceil(widget.size.h))
    return placed
  })
}

/** @param by -1 moves up, 1 moves down */
export function move(widgets: Widget[], id: string, by: -1 | 1): Widget[] {
  const from = widgets.findIndex((widget) => widget.id === id)
  const [one, other] = [widgets[from], widgets[from + by]]
  if (one === undefined || other === undefined) return widgets
  return pack(widgets.with(from, other).with(from + by, one))
}

/** @param by -1 makes it narrower, 1 wider */
export function resize(widgets: Widget[], id: string, by: -1 | 1): Widget[] {
  return pack(widgets.map((widget) => {
    if (widget.id !== id) return widget
    const next = by === 1
      ? widths.find(({ w }) => w > widget.size.w)
      : widths.findLast(({ w }) => w < widget.size.w)
    return next === undefined ? widget : { ...widget, size: { ...widget.size, w: next.w } }
  }))
}

/** Replaces the widget of the same id, or appends it. */
export const put = (widgets: Widget[], widget: Widget): Widget[] =>
  pack(
    widgets.some(({ id }) => id === widget.id)
      ? widgets.map((one) => one.id === widget.id ? widget : one)
      : [...widgets, widget],
  )
