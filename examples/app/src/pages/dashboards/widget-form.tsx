import { useState } from 'react'
import type { Widget } from '../../data/dashboards.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Options, Select, SubmitButton, TextField, type Values } from '../../parts/form.tsx'
import { kindOf, type KindName, kinds, newWidget, settingOf, titleOf } from './kinds.ts'

type WidgetFormProps = { widget: Widget | null, onDone: (widget: Widget) => void, onClose: () => void }

/** Adds a widget, or sets what the given one shows. */
export function WidgetForm({ widget, onDone, onClose }: WidgetFormProps) {
  const [type, setType] = useState(widget?.type ?? 'stat')
  const settings = Object.entries(kindOf(type)?.settings ?? {})
  const submit = ({ text }: Values) => {
    const config = {
      ...settings.length > 0 && Object.fromEntries(settings.map(([name]) => [name, text(name)])),
      ...text('title') !== '' && { title: text('title') },
    }
    const kept = typeof widget?.config === 'object' && widget.config !== null && !Array.isArray(widget.config) ? widget.config : {}
    const { title: _, ...others } = kept
    onDone(widget === null ? newWidget(type as KindName, config) : { ...widget, config: { ...others, ...config } })
  }
  return (
    <Dialog title={widget === null ? 'Add a widget' : `Settings of ${titleOf(widget)}`} open onClose={onClose}>
      <Form onSubmit={submit}>
        {widget === null && (
          <Select name='type' label='What it is' value={type} onChange={({ target }) => setType(target.value)}>
            {Object.entries(kinds).map(([one, { name }]) => <option key={one} value={one}>{name}</option>)}
          </Select>
        )}
        {settings.map(([name, { label, choices }]) => (
          <Select key={`${type} ${name}`} name={name} label={label} defaultValue={settingOf(widget ?? { type }, name)}>
            <Options of={choices} />
          </Select>
        ))}
        <TextField
          name='title'
          label='Heading'
          hint='What it shows, unless you say another.'
          defaultValue={widget !== null && hasTitle(widget) ? titleOf(widget) : ''}
        />
        <SubmitButton isBusy={false}>{widget === null ? 'Add' : 'Done'}</SubmitButton>
      </Form>
    </Dialog>
  )
}

const hasTitle = ({ config }: Widget) => typeof config === 'object' && config !== null && 'title' in config
