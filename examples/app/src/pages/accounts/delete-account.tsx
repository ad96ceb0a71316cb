/** Deletes with a way back where there is one, and asks first where there is none. */
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { type Account, deleteAccount } from '../../data/accounts.ts'
import { useChange } from '../../data/change.ts'
import { useTellWithUndo } from '../../data/undo.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { useTell } from '../../parts/toast.tsx'

export function useDeleteAccount() {
  const { rights } = useHere()
  const [asked, setAsked] = useState<Account | null>(null)
  const tell = useTell()
  const tellWithUndo = useTellWithUndo()
  const remove = useChange(deleteAccount, (_, { id, name }) => {
    setAsked(null)
    tellWithUndo(`${name} is deleted.`, id)
  })
  const begin = (account: Account) => rights.undo ? remove.mutate(account, { onError: (error) => tell(error) }) : setAsked(account)
  return { asked, ask: begin, cancel: () => setAsked(null), remove }
}

export function DeleteAccount({ deletion: { asked, cancel, remove } }: { deletion: ReturnType<typeof useDeleteAccount> }) {
  if (asked === null) return null
  return (
    <Confirm
      title={`Delete ${asked.name}?`}
      action='Delete'
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(asked)}
      onClose={cancel}
    >
      <p>Its transactions stay, without an account. Only an owner or admin of the team can take it back.</p>
    </Confirm>
  )
}
