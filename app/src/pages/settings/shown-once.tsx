import { settings as m } from '../../messages/settings.ts'
import { Field } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'

type ShownOnceProps = {
  name: string
  label: string
  text: string
  value: string
  onDone: () => void
}

/** A new secret, with a button that copies it. The service cannot return it again. */
export function ShownOnce({ name, label, text, value, onDone }: ShownOnceProps) {
  const toast = useToast()
  const copy = () =>
    void navigator.clipboard.writeText(value).then(
      () => toast(m.copied(label)),
      () => toast(m.copyFailed),
    )
  return (
    <div className='form' role='status'>
      <p>{text}</p>
      <Field name={name} label={label}>
        {(control) => (
          <input
            {...control}
            value={value}
            readOnly
            autoFocus
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        )}
      </Field>
      <div className='buttons'>
        <button type='button' className='primary' onClick={copy}>{m.copy}</button>
        <button type='button' onClick={onDone}>{m.done}</button>
      </div>
    </div>
  )
}
