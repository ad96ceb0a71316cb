import { useState } from 'react'
import { type Category, deleteCategory } from '../../data/categories.ts'
import { useChange } from '../../data/change.ts'
import { categories as m } from '../../messages/categories.ts'
import { common } from '../../messages/common.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Field, Options } from '../../parts/form.tsx'

type DeleteCategoryProps = { category: Category, others: Category[], onClose: () => void }

/** Deletes a category. Asks for a replacement for its rows. */
export function DeleteCategory({ category, others, onClose }: DeleteCategoryProps) {
  const [replacement, setReplacement] = useState('')
  const remove = useChange(deleteCategory, {
    onStored: onClose,
    outcome: ({ transactions }) => ({
      text: m.deletedAndMoved(category.name, transactions),
      undoOf: category.id,
    }),
  })
  return (
    <Confirm
      title={common.deleteQuestion(category.name)}
      action={common.delete}
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ id: category.id, replacementId: replacement || null })}
      onClose={onClose}
    >
      <Field name='replacement' label={m.itsContents}>
        {(control) => (
          <select
            {...control}
            value={replacement}
            onChange={({ target }) => setReplacement(target.value)}
          >
            <option value=''>{m.uncategorize}</option>
            <Options
              of={others.filter(({ id }) => id !== category.id).map((one) => ({
                ...one,
                name: m.moveTo(one.name),
              }))}
            />
          </select>
        )}
      </Field>
    </Confirm>
  )
}
