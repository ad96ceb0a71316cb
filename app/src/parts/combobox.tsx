/** A choice among rows by typing. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Combobox as Base } from '@base-ui/react/combobox'
import { type KeyboardEvent, startTransition, useEffect, useState } from 'react'
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

/**
 * A field that finds a row by typing. Enter and Tab take the highlighted match, Escape closes only
 * the list.
 */
export function Combobox(
  {
    of,
    value,
    onChange,
    none,
    onCreate,
    opens = false,
    onClose,
    required,
    disabled,
    placeholder,
    ...input
  }: ComboboxProps,
) {
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
  return (
    <Base.Root<Option>
      items={options}
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
      onItemHighlighted={setHighlighted}
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
        placeholder={placeholder ?? (opens ? chosen?.name : undefined) ?? none}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onBlur={() => {
          setTyped(null)
          setIsOpen(false)
          if (isOpen) onClose?.()
        }}
        onKeyDown={(event) => {
          // fast typing is ahead of the list and of its highlight
          const match = options.find(({ id }) => id === highlighted?.id) ?? options[0]
          if (
            query !== '' && match !== undefined && (event.key === 'Tab' || event.key === 'Enter')
          ) {
            if (event.key === 'Enter') event.preventDefault()
            event.preventBaseUIHandler()
            choose(match)
          }
          // a closed list leaves Escape to the form
          if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler()
        }}
      />
      {/* a Popup would hide the rest of the page from screen readers */}
      {isOpen && (
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
      )}
    </Base.Root>
  )
}

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

type SuggestingFieldProps = FieldProps & {
  /** Texts to complete, the most likely first. */
  suggestions: readonly string[]
  required?: boolean
  autoFocus?: boolean
  maxLength?: number
}

/**
 * A free text that is completed by former ones. Enter and Tab take the highlighted one, Escape
 * keeps what is typed.
 */
export function SuggestingField(
  { name, label, hint, problem, suggestions, ...input }: SuggestingFieldProps,
) {
  const { field } = useController<Record<string, string>>({ name })
  const [isOpen, setIsOpen] = useState(false)
  const [highlighted, setHighlighted] = useState<string | undefined>()
  const typed = field.value ?? ''
  const isKnown = suggestions.some((one) => one === typed)
  const found = typed === '' || isKnown
    ? []
    : matching(suggestions, typed, (one) => one).slice(0, 8)
  const press = (event: KeyboardEvent) => {
    const match = found.find((one) => one === highlighted) ?? found[0]
    if (event.key === 'Tab' && isOpen && match !== undefined) field.onChange(match)
  }
  return (
    <Field {...{ name, label, hint, problem }}>
      {(control) => (
        <Autocomplete.Root
          items={found}
          filter={null}
          autoHighlight
          value={typed}
          open={isOpen && found.length > 0}
          onOpenChange={setIsOpen}
          onValueChange={(text) => field.onChange(text)}
          onItemHighlighted={setHighlighted}
        >
          <Autocomplete.Input
            {...input}
            {...control}
            autoComplete='off'
            pattern='.*\S.*'
            title={m.notBlank}
            onBlur={() => {
              field.onChange(typed.trim())
              setIsOpen(false)
            }}
            onKeyDown={(event) => {
              press(event)
              if (event.key === 'Escape' && !(isOpen && found.length > 0))
                event
                  .preventBaseUIHandler()
            }}
          />
          {isOpen && found.length > 0 && (
            <Autocomplete.Portal>
              <Autocomplete.Positioner className='menu-place' sideOffset={4} align='start'>
                <div className='combobox-popup' role='region' aria-label={m.matches}>
                  <Autocomplete.List className='combobox-list'>
                    {(one: string) => (
                      <Autocomplete.Item key={one} value={one} className='combobox-item'>
                        {one}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.List>
                </div>
              </Autocomplete.Positioner>
            </Autocomplete.Portal>
          )}
        </Autocomplete.Root>
      )}
    </Field>
  )
}
