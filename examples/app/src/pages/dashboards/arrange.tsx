/** Arranges widgets by buttons, or by Alt and arrow keys on them. Save stores the arrangement. */
import type { DateRange } from 'finance-client'
import { useBlocker } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Dashboard, saveDashboard, useDashboardChange, type Widget } from '../../data/dashboards.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { ErrorNote, PageHead } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'
import { inOrder, move, pack, put, resize, widths } from './arrangement.ts'
import { Grid } from './grid.tsx'
import { titleOf } from './kinds.ts'
import { RangeChoice } from './ranges.tsx'
import { WidgetForm } from './widget-form.tsx'

type ArrangeProps = { dashboard: Dashboard, range: DateRange, onRange: (range: DateRange) => void, onClose: () => void }

type Step = (widgets: Widget[], id: string, by: -1 | 1) => Widget[]

const ofKey: Record<string, [Step, -1 | 1]> = { ArrowUp: [move, -1], ArrowDown: [move, 1], ArrowLeft: [resize, -1], ArrowRight: [resize, 1] }

/** Describes a widget's position to screen readers. */
function placeOf(widgets: Widget[], { id }: Widget): string {
  const place = widgets.findIndex((one) => one.id === id)
  const now = widgets[place]
  if (now === undefined) return ''
  return `${titleOf(now)} is ${place + 1} of ${widgets.length}, ${widths.find(({ w }) => w >= now.size.w)?.name ?? 'full'} width`
}

export function Arrange({ dashboard, range, onRange, onClose }: ArrangeProps) {
  const [name, setName] = useState(dashboard.name)
  const [stored] = useState({ range, widgets: pack(inOrder(dashboard.layout.widgets)) })
  const [widgets, setWidgets] = useState(stored.widgets)
  const [edited, setEdited] = useState<Widget | 'new' | null>(null)
  const [said, setSaid] = useState('')
  const toast = useToast()
  const isChanged = name !== dashboard.name || JSON.stringify({ range, widgets }) !== JSON.stringify(stored)
  const leaving = useBlocker({ shouldBlockFn: () => isChanged, enableBeforeUnload: () => isChanged, withResolver: true })
  // the undo of a removal works only on this page
  const takeAway = useRef(() => {})
  useEffect(() => () => takeAway.current(), [])
  const save = useDashboardChange(saveDashboard, () => {
    toast('The dashboard is saved.')
    onClose()
  })
  const step = (take: Step, widget: Widget, by: -1 | 1) => {
    const next = take(widgets, widget.id, by)
    const focused = document.activeElement
    // a button that moves in the document loses the focus
    flushSync(() => {
      setWidgets(next)
      setSaid(placeOf(next, widget))
    })
    if (focused instanceof HTMLElement) focused.focus()
  }
  const press = (widget: Widget, event: KeyboardEvent) => {
    const known = ofKey[event.key]
    if (!event.altKey || known === undefined) return
    event.preventDefault()
    step(known[0], widget, known[1])
  }
  const remove = (widget: Widget) => {
    const before = widgets
    setWidgets(pack(widgets.filter(({ id }) => id !== widget.id)))
    takeAway.current = toast(`${titleOf(widget)} is removed.`, { label: 'Undo', act: () => setWidgets(before) })
  }
  const tools = (widget: Widget) => {
    const title = titleOf(widget)
    return (
      <div className='tools' role='group' aria-label={`Arrange ${title}`}>
        <button type='button' aria-label={`Move ${title} up`} onClick={() => step(move, widget, -1)}>↑</button>
        <button type='button' aria-label={`Move ${title} down`} onClick={() => step(move, widget, 1)}>↓</button>
        <button type='button' aria-label={`Make ${title} narrower`} onClick={() => step(resize, widget, -1)}>−</button>
        <button type='button' aria-label={`Make ${title} wider`} onClick={() => step(resize, widget, 1)}>+</button>
        <button type='button' aria-label={`Settings of ${title}`} onClick={() => setEdited(widget)}>Settings</button>
        <button type='button' aria-label={`Remove ${title}`} onClick={() => remove(widget)}>Remove</button>
      </div>
    )
  }
  return (
    <>
      <PageHead title={`Arrange ${dashboard.name}`}>
        <RangeChoice range={range} onChoose={onRange} />
        <button type='button' onClick={() => setEdited('new')}>Add a widget</button>
        <button
          type='button'
          className='primary'
          aria-disabled={save.isPending}
          onClick={() => save.isPending || save.mutate({ dashboard, values: { name: name.trim(), layout: { widgets }, date_range: range } })}
        >
          Save
        </button>
        <button type='button' onClick={onClose}>Cancel</button>
      </PageHead>
      <ErrorNote error={save.error} />
      <label className='name'>
        Name <input value={name} maxLength={255} onChange={({ target }) => setName(target.value)} />
      </label>
      <p className='field-note'>Buttons move a widget and change its width; so do Alt and the arrow keys.</p>
      <p role='status' className='unseen'>{said}</p>
      <Grid widgets={widgets} range={range} tools={tools} onKeyDown={press} />
      {leaving.status === 'blocked' && (
        <Confirm title='Leave without saving?' action='Leave' error={null} isBusy={false} onConfirm={leaving.proceed} onClose={leaving.reset}>
          <p>What you have arranged is lost then.</p>
        </Confirm>
      )}
      {edited !== null && (
        <WidgetForm
          widget={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onDone={(widget) => {
            setWidgets(put(widgets, widget))
            setEdited(null)
          }}
        />
      )}
    </>
  )
}
