/** Files an item under another category, which is found by typing. */
import { useId } from 'react'
import type { Category } from '../../data/categories.ts'
import { inbox as m } from '../../messages/inbox.ts'
import { Combobox } from '../../parts/combobox.tsx'

type ChooseCategoryProps = {
  categories: readonly Category[]
  initial: string | null
  onFile: (categoryId: string) => void
  onLeave: () => void
}

export function ChooseCategory({ categories, initial, onFile, onLeave }: ChooseCategoryProps) {
  const id = useId()
  return (
    <div
      className='inbox-choose'
      onKeyDown={(event) => {
        // an open list takes the key
        const isInList = event.target instanceof Element &&
          event.target.getAttribute('aria-expanded') === 'true'
        if (event.key === 'Escape' && !isInList) onLeave()
      }}
    >
      <label htmlFor={id}>{m.category}</label>
      <Combobox
        id={id}
        of={categories}
        value={initial ?? ''}
        onChange={(category) => category !== '' && onFile(category)}
        placeholder={m.choose}
      />
    </div>
  )
}
