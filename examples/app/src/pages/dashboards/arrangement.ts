/** Where widgets stand: twelve columns, and rows from above. Pure, so that what a button does is easily tested. */
import type { Widget } from '../../data/dashboards.ts'

export const columns = 12

/** The widths that buttons give. */
export const widths = [{ w: 3, name: 'a quarter' }, { w: 4, name: 'a third' }, { w: 6, name: 'half' }, { w: 8, name: 'two thirds' }, { w: 12, name: 'full' }]

/** As they are read: from above, and from the left. */
export const inOrder = (widgets: Widget[]): Widget[] => widgets.toSorted((a, b) => a.position.y - b.position.y || a.position.x - b.position.x)

/** Gives each its place in its turn: beside the one before where there is room, else below. */
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

/** @param by -1 is one place up, 1 one down */
export function move(widgets: Widget[], id: string, by: -1 | 1): Widget[] {
  const from = widgets.findIndex((widget) => widget.id === id)
  const [one, other] = [widgets[from], widgets[from + by]]
  if (one === undefined || other === undefined) return widgets
  return pack(widgets.with(from, other).with(from + by, one))
}

/** @param by -1 is the next narrower width, 1 the next wider */
export function resize(widgets: Widget[], id: string, by: -1 | 1): Widget[] {
  return pack(widgets.map((widget) => {
    if (widget.id !== id) return widget
    const next = by === 1 ? widths.find(({ w }) => w > widget.size.w) : widths.findLast(({ w }) => w < widget.size.w)
    return next === undefined ? widget : { ...widget, size: { ...widget.size, w: next.w } }
  }))
}

/** Replaces the widget of the same id, or adds it at the end. */
export const put = (widgets: Widget[], widget: Widget): Widget[] =>
  pack(widgets.some(({ id }) => id === widget.id) ? widgets.map((one) => one.id === widget.id ? widget : one) : [...widgets, widget])
