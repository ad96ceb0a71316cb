/** Files an item under another category. Enter in the list of categories files it. */
import { useId, useState } from 'react'
import { type Category, inFamilies } from '../../data/categories.ts'
import { inbox as m } from '../../messages/inbox.ts'

type ChooseCategoryProps = { categories: readonly Category[], initial: string | null, onFile: (categoryId: string) => void, onLeave: () => void }

export function ChooseCategory({ categories, initial, onFile, onLeave }: ChooseCategoryProps) {
  const id = useId()
  const [chosen, setChosen] = useState(initial ?? '')
  const file = () => chosen !== '' && onFile(chosen)
  return (
    <div className='inbox-choose'>
      <label htmlFor={id}>{m.category}</label>
      <select
        id={id}
        data-inbox-category
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'Escape') return
          event.preventDefault()
          if (event.key === 'Enter') file()
          else onLeave()
        }}
      >
        <option value=''>{m.choose}</option>
        {inFamilies(categories).map(({ id: value, name }) => <option key={value} value={value}>{name}</option>)}
      </select>
      <button type='button' aria-disabled={chosen === ''} onClick={file}>{m.file}</button>
    </div>
  )
}
