import { useState } from 'react'
import { type Category, deleteCategory } from '../../data/categories.ts'
import { undoLastOf, useChange } from '../../data/change.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Field } from '../../parts/form.tsx'

type DeleteCategoryProps = { category: Category, others: Category[], onClose: () => void }

/** Deletes a category. Asks for a replacement for its rows. */
export function DeleteCategory({ category, others, onClose }: DeleteCategoryProps) {
  const [replacement, setReplacement] = useState('')
  const remove = useChange(deleteCategory, {
    onStored: onClose,
    outcome: ({ transactions }) => ({
      text: `${category.name} is deleted, and ${transactions === 1 ? 'one transaction has' : `${transactions} transactions have`} moved.`,
      undo: () => undoLastOf(category.id),
    }),
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
      <Field name='replacement' label='Its transactions and recurring costs'>
        {(control) => (
          <select {...control} value={replacement} onChange={({ target }) => setReplacement(target.value)}>
            <option value=''>stay without a category</option>
            {others.filter(({ id }) => id !== category.id).map(({ id, name }) => <option key={id} value={id}>move to {name}</option>)}
          </select>
        )}
      </Field>
    </Confirm>
  )
}
