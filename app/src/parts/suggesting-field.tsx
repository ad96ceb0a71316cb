/** A text field that is completed by former texts. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { type KeyboardEvent, useState } from 'react'
import { useController } from 'react-hook-form'
import { matching } from '../locale/matching.ts'
import { parts as m } from '../messages/parts.ts'
import { Field, type FieldProps } from './form.tsx'
import './combobox.css'

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
          {isOpen && found.length > 0 && <Completions />}
        </Autocomplete.Root>
      )}
    </Field>
  )
}

/** The texts that complete what is typed. */
const Completions = () => (
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
)
