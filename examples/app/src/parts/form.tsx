/** Forms: labelled fields that know by their name whether an error is about them. */
import { createContext, type ComponentProps, type ReactNode, type SubmitEvent, use, useId, useState } from 'react'
import { ErrorNote } from './error-note.tsx'
import { isAbout } from './words.ts'

const ErrorContext = createContext<Error | null>(null)

/** What was typed, by the names of the fields. */
export type Values = {
  /** Without spaces around it. */
  text: (name: string) => string
  /** null where it is empty. */
  optional: (name: string) => string | null
  /** As it is, for passwords. */
  raw: (name: string) => string
  /** As rows have currencies. */
  currency: (name: string) => string
}

const valuesOf = (all: FormData): Values => {
  const raw = (name: string) => {
    const value = all.get(name)
    return typeof value === 'string' ? value : ''
  }
  const text = (name: string) => raw(name).trim()
  return { text, optional: (name) => text(name) || null, raw, currency: (name) => text(name).toLowerCase() }
}

type FormProps = { error?: Error | null, onSubmit: (values: Values) => void, children: ReactNode }

/** A form that shows what its last attempt failed with and keeps what was typed. */
export function Form({ error = null, onSubmit, children }: FormProps) {
  const [isTyped, setTyped] = useState(false)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTyped(false)
    onSubmit(valuesOf(new FormData(event.currentTarget)))
  }
  return (
    <form className='form' data-typed={isTyped || error !== null || undefined} onInput={() => setTyped(true)} onSubmit={submit}>
      <ErrorNote error={error} />
      <ErrorContext value={error}>{children}</ErrorContext>
    </form>
  )
}

/** Whether something was typed on this page that is not stored. */
export const isWriting = (): boolean => document.querySelector('form[data-typed]') !== null

export type FieldProps = { name: string, label: string, hint?: ReactNode, problem?: string | null }

type ControlProps = { id: string, name: string, 'aria-invalid': boolean, 'aria-describedby': string | undefined }

/** A label, its control, and what is to be known of it. */
export function Field({ name, label, hint, problem = null, children }: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId()
  const isWrong = isAbout(use(ErrorContext), name) || problem !== null
  const note = problem ?? hint
  return (
    <div className='field'>
      <label htmlFor={id}>{label}</label>
      {children({ id, name, 'aria-invalid': isWrong, 'aria-describedby': note == null ? undefined : `${id}-note` })}
      {note != null && <p id={`${id}-note`} className={problem === null ? 'field-note' : 'field-note field-problem'}>{note}</p>}
    </div>
  )
}

/** Spaces alone are nothing, which the browser would take. */
const something = { pattern: '.*\\S.*', title: 'More than spaces' }

export const TextField = ({ name, label, hint, problem, ...input }: FieldProps & Omit<ComponentProps<'input'>, 'name'>) => (
  <Field name={name} label={label} hint={hint} problem={problem ?? null}>
    {(control) => <input {...(input.required === true && input.type === undefined && something)} {...input} {...control} />}
  </Field>
)

/** A choice by the browser's own control, which every phone and every reader knows. */
export const Select = ({ name, label, hint, problem, children, ...select }: FieldProps & Omit<ComponentProps<'select'>, 'name'>) => (
  <Field name={name} label={label} hint={hint} problem={problem ?? null}>{(control) => <select {...select} {...control}>{children}</select>}</Field>
)

/** What a choice is of: rows by their ids, or names by what is stored. */
export const Options = ({ of }: { of: ReadonlyArray<{ id: string, name: string }> | Record<string, string> }) =>
  (Array.isArray(of) ? of.map(({ id, name }) => [id, name]) : Object.entries(of)).map(([value, name]) => <option key={value} value={value}>{name}</option>)

/** A day, as the browser's own control has it: `2025-01-31`. */
export const DateField = (props: FieldProps & Omit<ComponentProps<'input'>, 'name' | 'type'>) => <TextField {...props} type='date' />

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
