/** A choice among rows by typing. */
import { Combobox as Base } from '@base-ui/react/combobox'
import { startTransition, useEffect, useState } from 'react'
import { useController } from 'react-hook-form'
import { inFamilies } from '../data/categories.ts'
import { folded, matching } from '../locale/matching.ts'
import { parts as m } from '../messages/parts.ts'
import { Field, type FieldProps } from './form.tsx'
import './combobox.css'

/** A row to choose, such as a category or an account. */
type Choice = { id: string, name: string, parent_id?: string | null, color?: string | null }

type Option = Choice & { parent?: string | undefined, isNew?: boolean }

/** The id of the option that creates a row. */
const newId = 'new'

type ComboboxProps = {
  of: readonly Choice[]
  /** The id of the chosen row; empty for none. */
  value: string
  onChange: (id: string) => void
  /** The name of no choice. Without it a row has to be chosen. */
  none?: string | undefined
  /** Creates a row of the typed name, and returns its id. Reports a refusal itself. */
  onCreate?: ((name: string) => Promise<string>) | undefined
  /** Opens the list and focuses the field when it appears. */
  opens?: boolean
  /** Runs when the user leaves the list without a choice. */
  onClose?: () => void
  required?: boolean | undefined
  disabled?: boolean | undefined
  placeholder?: string | undefined
  id?: string
  name?: string
  'aria-label'?: string
  'aria-invalid'?: boolean
  'aria-describedby'?: string | undefined
}

/** Returns the options of a typed text: families without one, otherwise the best match first. */
function optionsOf(
  of: readonly Choice[],
  query: string,
  none: string | undefined,
  creates: boolean,
): Option[] {
  const nameOf = new Map(of.map(({ id, name }) => [id, name]))
  const rows: Option[] = inFamilies(of).map((row) => ({
    ...row,
    parent: nameOf.get(row.parent_id ?? ''),
  }))
  const all = none === undefined ? rows : [{ id: '', name: none }, ...rows]
  const found = matching(all, query, ({ name }) => name)
  const isThere = of.some(({ name }) => folded(name) === folded(query))
  return creates && folded(query) !== '' && !isThere
    ? [...found, { id: newId, name: query.trim(), isNew: true }]
    : found
}

type Search = Pick<ComboboxProps, 'of' | 'value' | 'onChange' | 'none' | 'onCreate' | 'opens'>

/** The typed text, and the list of the rows that match it. */
function useSearch({ of, value, onChange, none, onCreate, opens = false }: Search) {
  /** The typed text; null while the field has the name of the chosen row. */
  const [typed, setTyped] = useState<string | null>(opens ? '' : null)
  const query = typed ?? ''
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    // the field takes keys at once, and a long list follows
    if (opens) startTransition(() => setIsOpen(true))
  }, [opens])
  const [highlighted, setHighlighted] = useState<Option | undefined>()
  const options = optionsOf(of, query, none, onCreate !== undefined)
  const chosen = of.find(({ id }) => id === value) ?? null
  const choose = (option: Option | null) => {
    if (option?.isNew === true) void onCreate?.(option.name).then(onChange, () => undefined)
    else if (option !== null || none !== undefined) onChange(option?.id ?? '')
    setTyped(null)
    setIsOpen(false)
  }
  /** Returns the match that Enter and Tab take. */
  const findMatch = () =>
    // fast typing is ahead of the list and of its highlight
    query === '' ? undefined : options.find(({ id }) => id === highlighted?.id) ?? options[0]
  const text = { typed, query, setTyped }
  return { ...text, isOpen, setIsOpen, setHighlighted, options, chosen, choose, findMatch }
}

/**
 * A field that finds a row by typing. Enter and Tab take the highlighted match, Escape closes only
 * the list.
 */
export function Combobox(
  { of, value, onChange, none, onCreate, opens = false, onClose, required, disabled, ...input }:
    ComboboxProps,
) {
  const { typed, query, setTyped, isOpen, setIsOpen, chosen, choose, ...search } = useSearch(
    { of, value, onChange, none, onCreate, opens },
  )
  return (
    <Base.Root<Option>
      items={search.options}
      filter={null}
      autoHighlight
      value={chosen}
      open={isOpen}
      disabled={disabled ?? false}
      isItemEqualToValue={(one, other) => one.id === other.id}
      itemToStringLabel={({ name }) => name}
      inputValue={typed ?? chosen?.name ?? ''}
      onValueChange={(option, { reason }) => {
        if (reason === 'item-press') choose(option)
        else if (none !== undefined && option === null) onChange('')
      }}
      onInputValueChange={(text, { reason }) => reason === 'input-change' && setTyped(text)}
      onItemHighlighted={search.setHighlighted}
      onOpenChange={(next, { reason }) => {
        setIsOpen(next)
        if (next || reason === 'item-press') return
        setTyped(null)
        onClose?.()
      }}
    >
      <Base.Input
        {...input}
        className='combobox'
        autoFocus={opens}
        autoComplete='off'
        enterKeyHint='done'
        required={required ?? false}
        placeholder={input.placeholder ?? (opens ? chosen?.name : undefined) ?? none}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onBlur={() => {
          setTyped(null)
          setIsOpen(false)
          if (isOpen) onClose?.()
        }}
        onKeyDown={(event) => {
          const match = search.findMatch()
          if (match !== undefined && (event.key === 'Tab' || event.key === 'Enter')) {
            if (event.key === 'Enter') event.preventDefault()
            event.preventBaseUIHandler()
            choose(match)
          }
          // a closed list leaves Escape to the form
          if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler()
        }}
      />
      {isOpen && <Matches query={query} />}
    </Base.Root>
  )
}

/** The options below the field. A Popup would hide the rest of the page from screen readers. */
const Matches = ({ query }: { query: string }) => (
  <Base.Portal>
    <Base.Positioner className='menu-place' sideOffset={4} align='start'>
      <div className='combobox-popup' role='region' aria-label={m.matches}>
        <Base.Empty className='combobox-empty'>{m.noMatches}</Base.Empty>
        <Base.List className='combobox-list'>
          {(option: Option) => (
            <Base.Item
              key={option.id}
              value={option}
              className='combobox-item'
              data-sub={(query === '' && option.parent !== undefined) || undefined}
            >
              <Dot color={option.color} />
              <span className='combobox-name'>
                {option.isNew === true ? m.create(option.name) : option.name}
              </span>
              {query !== '' && option.parent !== undefined && (
                <small className='combobox-parent'>{option.parent}</small>
              )}
              <Base.ItemIndicator className='combobox-chosen'>✓</Base.ItemIndicator>
            </Base.Item>
          )}
        </Base.List>
      </div>
    </Base.Positioner>
  </Base.Portal>
)

/** The colour of a category. */
export const Dot = ({ color }: { color: string | null | undefined }) =>
  color == null ? null : (
    <svg className='combobox-dot' viewBox='0 0 8 8' aria-hidden='true'>
      <circle cx='4' cy='4' r='4' fill={color} />
    </svg>
  )

type ComboboxFieldProps =
  & FieldProps
  & Pick<ComboboxProps, 'of' | 'none' | 'onCreate' | 'required' | 'disabled'>
  & {
    onChange?: (id: string) => void
    /** The choice while the value is null. */
    fallback?: string
  }

/** A choice of a form by typing. */
export function ComboboxField(
  { name, label, hint, problem, onChange, fallback = '', ...combobox }: ComboboxFieldProps,
) {
  const { field } = useController<Record<string, string | null>>({ name })
  return (
    <Field {...{ name, label, hint, problem }}>
      {(control) => (
        <Combobox
          {...combobox}
          {...control}
          value={field.value ?? fallback}
          onChange={(id) => {
            field.onChange(id)
            onChange?.(id)
          }}
        />
      )}
    </Field>
  )
}
