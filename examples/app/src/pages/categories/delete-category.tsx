import { useState } from 'react'
import { type Category, deleteCategory } from '../../data/categories.ts'
import { useChange } from '../../data/change.ts'
import { useTellWithUndo } from '../../data/undo.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Select } from '../../parts/form.tsx'

type DeleteCategoryProps = { category: Category, others: Category[], onClose: () => void }

/** Asks what becomes of what is filed under the category, and deletes it. */
export function DeleteCategory({ category, others, onClose }: DeleteCategoryProps) {
  const [replacement, setReplacement] = useState('')
  const tellWithUndo = useTellWithUndo()
  const remove = useChange(deleteCategory, ({ transactions }) => {
    tellWithUndo(`${category.name} is deleted, and ${countOf(transactions)} moved.`, category.id)
    onClose()
  })
  return (
    <Confirm
      title={`Delete ${category.name}?`}
      action='Delete'
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ id: category.id, replacementId: replacement || null })}
      onClose={onClose}
    >
      <Select name='replacement' label='Its transactions and recurring costs' value={replacement} onChange={({ target }) => setReplacement(target.value)}>
        <option value=''>stay without a category</option>
        {others.filter(({ id }) => id !== category.id).map(({ id, name }) => <option key={id} value={id}>move to {name}</option>)}
      </Select>
    </Confirm>
  )
}

const countOf = (transactions: number) => transactions === 1 ? 'one transaction has' : `${transactions} transactions have`
