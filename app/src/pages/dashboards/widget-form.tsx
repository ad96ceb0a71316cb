import type { Widget } from '../../data/dashboards.ts'
import { dashboards as m } from '../../messages/dashboards.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { type KindName, kindOf, kinds, newWidget, settingOf, titleOf } from './kinds.ts'

type WidgetFormProps = {
  widget: Widget | null
  onDone: (widget: Widget) => void
  onClose: () => void
}

/** Adds a widget, or changes the settings of the given one. */
export function WidgetForm({ widget, onDone, onClose }: WidgetFormProps) {
  const settingsOf = (type: string) => Object.entries(kindOf(type)?.settings ?? {})
  const submit = ({ type = '', title = '', ...values }: Record<string, string>) => {
    const config = {
      ...Object.fromEntries(settingsOf(type).map(([name]) => [name, values[`${type}-${name}`]])),
      ...title !== '' && { title },
    }
    const kept =
      typeof widget?.config === 'object' && widget.config !== null && !Array.isArray(widget.config)
        ? widget.config
        : {}
    const { title: _, ...others } = kept
    onDone(
      widget === null
        ? newWidget(type as KindName, config)
        : { ...widget, config: { ...others, ...config } },
    )
  }
  const defaultValues: Record<string, string> = {
    type: widget?.type ?? 'stat',
    title: widget !== null && hasTitle(widget) ? titleOf(widget) : '',
    ...Object.fromEntries(
      (widget === null ? Object.keys(kinds) : [widget.type]).flatMap((type) =>
        settingsOf(type).map(([name]) => [`${type}-${name}`, settingOf(widget ?? { type }, name)])
      ),
    ),
  }
  return (
    <Dialog
      title={widget === null ? m.addWidget : m.settingsOf(titleOf(widget))}
      open
      onClose={onClose}
    >
      <Form defaultValues={defaultValues} onSubmit={submit}>
        {({ watch }) => (
          <>
            {widget === null && (
              <Select name='type' label={m.kind}>
                {Object.entries(kinds).map(([one, { name }]) => (
                  <option key={one} value={one}>{name}</option>
                ))}
              </Select>
            )}
            {settingsOf(watch('type') ?? '').map(([name, { label, choices }]) => (
              <Select
                key={`${watch('type')}-${name}`}
                name={`${watch('type')}-${name}`}
                label={label}
              >
                <Options of={choices} />
              </Select>
            ))}
            <TextField name='title' label={m.heading} hint={m.headingHint} />
            <SubmitButton isBusy={false}>{widget === null ? m.add : m.done}</SubmitButton>
          </>
        )}
      </Form>
    </Dialog>
  )
}

const hasTitle = ({ config }: Widget) =>
  typeof config === 'object' && config !== null && 'title' in config
