import { useChange, withValues } from '../../data/change.ts'
import { type Recurring, recurringQuery, setActive } from '../../data/recurring.ts'
import { useTell } from '../../parts/toast.tsx'

/** @returns a function that pauses a recurring cost, or lets it go on, with the way back */
export function usePause(): (cost: Recurring) => void {
  const tell = useTell()
  const onError = (error: Error) => tell(error)
  const back = useChange(setActive)
  const { mutate } = useChange(
    setActive,
    ({ title }, { id, is_active }) =>
      tell(is_active ? `${title} goes on.` : `${title} is paused.`, {
        label: 'Undo',
        act: () => back.mutate({ id, is_active: !is_active }, { onError }),
      }),
    (context, { id, is_active }) => withValues<Recurring>(recurringQuery(context).queryKey, id, { is_active }),
  )
  return ({ id, is_active }) => mutate({ id, is_active: !is_active }, { onError })
}
