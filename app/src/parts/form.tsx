/**
 * Forms by react-hook-form. The browser validates each field, the service checks the request, and a
 * field shows an error that has its name.
 */
import {
  type ComponentProps,
  createContext,
  Fragment,
  type ReactNode,
  use,
  useEffect,
  useId,
  useState,
} from 'react'
import {
  type DefaultValues,
  type FieldValues,
  FormProvider,
  useController,
  useForm,
  useFormContext,
  type UseFormReturn,
} from 'react-hook-form'
import { useDraft } from '../shell/drafts.ts'
import { useUnsavedInput } from '../shell/session-context.tsx'
import { inFamilies } from '../data/categories.ts'
import { isAbout } from './error-messages.ts'
import { ErrorNote } from './ui.tsx'
import { parts as m } from '../messages/parts.ts'

const ErrorContext = createContext<Error | null>(null)

type FormProps<Values extends FieldValues> = {
  defaultValues: Values
  error?: Error | null
  /**
   * Keeps the input through a reload: the kind of the form and the id of its row, or `new`. Never
   * for a form with secrets.
   */
  draft?: string | undefined
  onSubmit: (values: Values) => unknown
  /** A function if the form depends on its own values. */
  children: ReactNode | ((form: UseFormReturn<Values>) => ReactNode)
}

/** A form that shows why its last attempt failed and keeps the input. */
export function Form<Values extends FieldValues>(
  { defaultValues, error = null, draft, onSubmit, children }: FormProps<Values>,
) {
  const { restored, keep, drop, discard } = useDraft(draft, defaultValues)
  const form = useForm<Values>({
    defaultValues: { ...defaultValues, ...restored } as DefaultValues<Values>,
  })
  const { subscribe, getValues } = form
  const [isSent, setIsSent] = useState(false)
  const isRestored = restored !== null && !isSent
  useUnsavedInput(useId(), form.formState.isDirty || isRestored || error !== null)
  useEffect(
    () =>
      subscribe({
        formState: { values: true, isDirty: true },
        callback: ({ values, type, isDirty }) =>
          (type === 'change' || isDirty === true) && keep(values),
      }),
    [subscribe, keep],
  )
  useEffect(() => {
    // a refused form is unsaved again
    if (error !== null) keep(getValues())
  }, [error, keep, getValues])
  const submit = (values: Values) => {
    // submitted input is no longer unsaved
    form.reset(values, { keepValues: true })
    setIsSent(true)
    drop()
    onSubmit(values)
  }
  return (
    <FormProvider {...form}>
      <form className='form' onSubmit={(event) => void form.handleSubmit(submit)(event)}>
        <ErrorNote error={error} />
        {/* some fields keep the text as it was typed */}
        <Fragment key={restored === null ? 'new' : 'restored'}>
          <ErrorContext value={error}>
            {typeof children === 'function' ? children(form) : children}
          </ErrorContext>
        </Fragment>
        {/* the style sheet shows it first, but the focus begins in the first field */}
        {isRestored && (
          <Restored
            onDiscard={() => {
              discard()
              form.reset(defaultValues)
            }}
          />
        )}
      </form>
    </FormProvider>
  )
}

const Restored = ({ onDiscard }: { onDiscard: () => void }) => (
  <div className='notice' role='status'>
    <p>{m.restored}</p>
    <button type='button' className='quiet' onClick={onDiscard}>{m.discard}</button>
  </div>
)

export type FieldProps = {
  name: string
  label: string
  hint?: ReactNode
  problem?: string | null | undefined
}

type ControlProps = {
  id: string
  name: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

/** A label, its control and its note. */
export function Field(
  { name, label, hint, problem = null, children }: FieldProps & {
    children: (control: ControlProps) => ReactNode
  },
) {
  const id = useId()
  const isWrong = isAbout(use(ErrorContext), name) || problem !== null
  const note = problem ?? hint
  return (
    <div className='field'>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        name,
        'aria-invalid': isWrong,
        'aria-describedby': note == null ? undefined : `${id}-note`,
      })}
      {note != null && (
        <p
          id={`${id}-note`}
          className={problem === null ? 'field-note' : 'field-note field-problem'}
        >
          {note}
        </p>
      )}
    </div>
  )
}

/** Refuses input of only spaces, which browsers accept for `required`. */
const notBlank = { pattern: '.*\\S.*', title: m.notBlank }

type InputProps = FieldProps & Omit<ComponentProps<'input'>, 'name' | 'value' | 'defaultValue'>

/** A text field. Its value is trimmed, except for passwords. */
export function TextField({ name, label, hint, problem, onChange, ...input }: InputProps) {
  const { register } = useFormContext<Record<string, string>>()
  const { ref, ...registered } = register(name, {
    ...(onChange !== undefined && { onChange }),
    setValueAs: (value: string) => input.type === 'password' ? value : value.trim(),
  })
  return (
    <Field {...{ name, label, hint, problem }}>
      {(control) => (
        <input
          {...(input.required === true && input.type === undefined && notBlank)}
          {...input}
          {...registered}
          {...control}
          ref={ref}
        />
      )}
    </Field>
  )
}

type SelectProps =
  & FieldProps
  & Omit<ComponentProps<'select'>, 'name' | 'value' | 'defaultValue' | 'onChange'>
  & {
    onChange?: (value: string) => void
    /** The choice while the value is null. */
    fallback?: string
  }

/** A choice in the browser's own control, which phones and screen readers know. */
export function Select(
  { name, label, hint, problem, onChange, fallback, children, ...select }: SelectProps,
) {
  const { field } = useController<Record<string, string | null>>({ name })
  return (
    <Field {...{ name, label, hint, problem }}>
      {(control) => (
        <select
          {...select}
          {...control}
          ref={field.ref}
          value={field.value ?? fallback}
          onBlur={field.onBlur}
          onChange={({ target }) => {
            field.onChange(target.value)
            onChange?.(target.value)
          }}
        >
          {children}
        </select>
      )}
    </Field>
  )
}

export function Checkbox({ name, children }: { name: string, children: ReactNode }) {
  const { register } = useFormContext()
  return (
    <label className='check'>
      <input type='checkbox' {...register(name)} /> {children}
    </label>
  )
}

type OptionRow = { id: string, name: string, parent_id?: string | null }

/**
 * The options of a choice: rows by their ids, subcategories indented below their parents, or labels
 * by their values.
 */
export const Options = ({ of }: { of: readonly OptionRow[] | Record<string, string> }) => {
  const options = isRows(of)
    ? inFamilies(of).map((
      { id, name, parent_id: parent },
    ) => [id, parent == null ? name : `\u2003${name}`])
    : Object.entries(of)
  return options.map(([value, name]) => <option key={value} value={value}>{name}</option>)
}

const isRows = (of: readonly OptionRow[] | Record<string, string>): of is readonly OptionRow[] =>
  Array.isArray(of)

export const SubmitButton = ({ isBusy, children }: { isBusy: boolean, children: ReactNode }) => (
  <button
    type='submit'
    className='primary'
    aria-disabled={isBusy}
    onClick={(event) => isBusy && event.preventDefault()}
  >
    {children}
  </button>
)
