/** Arranges widgets by buttons, or by Alt and arrow keys on them. Save stores the arrangement. */
import type { DateRange } from 'finance-client'
import { useBlocker } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import {
  type Dashboard,
  saveDashboard,
  useDashboardChange,
  type Widget,
} from '../../data/dashboards.ts'
import { common } from '../../messages/common.ts'
import { dashboards as m } from '../../messages/dashboards.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { ErrorNote, PageHead } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'
import { inOrder, move, pack, put, resize, widths } from './arrangement.ts'
import { Grid } from './grid.tsx'
import { titleOf } from './kinds.ts'
import { RangeChoice } from './ranges.tsx'
import { WidgetForm } from './widget-form.tsx'

type ArrangeProps = {
  dashboard: Dashboard
  range: DateRange
  onRange: (range: DateRange) => void
  onClose: () => void
}

type Step = (widgets: Widget[], id: string, by: -1 | 1) => Widget[]

const ofKey: Record<string, [Step, -1 | 1]> = {
  ArrowUp: [move, -1],
  ArrowDown: [move, 1],
  ArrowLeft: [resize, -1],
  ArrowRight: [resize, 1],
}

/** Describes a widget's position to screen readers. */
function placeOf(widgets: Widget[], { id }: Widget): string {
  const place = widgets.findIndex((one) => one.id === id)
  const now = widgets[place]
  if (now === undefined) return ''
  return m.placement(
    titleOf(now),
    place + 1,
    widgets.length,
    widths.find(({ w }) => w >= now.size.w)?.name ?? m.full,
  )
}

/** The widgets as arranged so far, and the announcement of the last step. */
function useArrangement(before: Widget[]) {
  const [widgets, setWidgets] = useState(before)
  const [announcement, setAnnouncement] = useState('')
  const step = (take: Step, widget: Widget, by: -1 | 1) => {
    const next = take(widgets, widget.id, by)
    const focused = document.activeElement
    // a button that moves in the document loses the focus
    flushSync(() => {
      setWidgets(next)
      setAnnouncement(placeOf(next, widget))
    })
    if (focused instanceof HTMLElement) focused.focus()
  }
  const press = (widget: Widget, event: KeyboardEvent) => {
    const shortcut = ofKey[event.key]
    if (!event.altKey || shortcut === undefined) return
    event.preventDefault()
    step(shortcut[0], widget, shortcut[1])
  }
  return { widgets, setWidgets, announcement, step, press }
}

/** Returns a function that removes a widget, with an undo that works only on this page. */
function useRemoval(widgets: Widget[], setWidgets: (widgets: Widget[]) => void) {
  const toast = useToast()
  const closeToast = useRef(() => {})
  useEffect(() => () => closeToast.current(), [])
  return (widget: Widget) => {
    setWidgets(pack(widgets.filter(({ id }) => id !== widget.id)))
    closeToast.current = toast(m.removed(titleOf(widget)), {
      label: common.undo,
      act: () => setWidgets(widgets),
    })
  }
}

export function Arrange({ dashboard, range, onRange, onClose }: ArrangeProps) {
  const [name, setName] = useState(dashboard.name)
  const [stored] = useState({ range, widgets: pack(inOrder(dashboard.layout.widgets)) })
  const { widgets, setWidgets, announcement, step, press } = useArrangement(stored.widgets)
  const [edited, setEdited] = useState<Widget | 'new' | null>(null)
  const toast = useToast()
  const isChanged = name !== dashboard.name ||
    JSON.stringify({ range, widgets }) !== JSON.stringify(stored)
  const leaving = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  const remove = useRemoval(widgets, setWidgets)
  const save = useDashboardChange(saveDashboard, () => {
    toast(m.saved)
    onClose()
  })
  const values = { name: name.trim(), layout: { widgets }, date_range: range }
  return (
    <>
      <PageHead title={m.arrangeOf(dashboard.name)}>
        <RangeChoice range={range} onChoose={onRange} />
        <button type='button' onClick={() => setEdited('new')}>{m.addWidget}</button>
        <button
          type='button'
          className='primary'
          aria-disabled={save.isPending}
          onClick={() => save.isPending || save.mutate({ dashboard, values })}
        >
          {common.save}
        </button>
        <button type='button' onClick={onClose}>{common.cancel}</button>
      </PageHead>
      <ErrorNote error={save.error} />
      <NameField value={name} onChange={setName} />
      <p className='field-note'>{m.arrangeHint}</p>
      <p role='status' className='unseen'>{announcement}</p>
      <Grid
        {...{ widgets, range }}
        tools={(widget) => <Tools {...{ widget, step }} onEdit={setEdited} onRemove={remove} />}
        onKeyDown={press}
      />
      {leaving.status === 'blocked' && (
        <LeaveQuestion onConfirm={leaving.proceed} onClose={leaving.reset} />
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

const NameField = ({ value, onChange }: { value: string, onChange: (name: string) => void }) => (
  <label className='dashboard-name'>
    {common.name}{' '}
    <input
      value={value}
      maxLength={255}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
)

type ToolsProps = {
  widget: Widget
  step: (take: Step, widget: Widget, by: -1 | 1) => void
  onEdit: (widget: Widget) => void
  onRemove: (widget: Widget) => void
}

/** The buttons that move, resize, change and remove a widget. */
function Tools({ widget, step, onEdit, onRemove }: ToolsProps) {
  const title = titleOf(widget)
  return (
    <div className='dashboard-tools' role='group' aria-label={m.arrangeOf(title)}>
      <button type='button' aria-label={m.moveUp(title)} onClick={() => step(move, widget, -1)}>
        ↑
      </button>
      <button type='button' aria-label={m.moveDown(title)} onClick={() => step(move, widget, 1)}>
        ↓
      </button>
      <button
        type='button'
        aria-label={m.makeNarrower(title)}
        onClick={() => step(resize, widget, -1)}
      >
        −
      </button>
      <button type='button' aria-label={m.makeWider(title)} onClick={() => step(resize, widget, 1)}>
        +
      </button>
      <button type='button' aria-label={m.settingsOf(title)} onClick={() => onEdit(widget)}>
        {m.settings}
      </button>
      <button type='button' aria-label={m.remove(title)} onClick={() => onRemove(widget)}>
        {common.remove}
      </button>
    </div>
  )
}

const LeaveQuestion = (
  { onConfirm, onClose }: { onConfirm: () => void, onClose: () => void },
) => (
  <Confirm
    title={m.leaveWithoutSaving}
    action={m.leave}
    error={null}
    isBusy={false}
    onConfirm={onConfirm}
    onClose={onClose}
  >
    <p>{m.leaveHint}</p>
  </Confirm>
)
