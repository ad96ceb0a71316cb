/** The context was switched while something was written: it is not moved, and the person says where to go on. */
import { useMutation } from '@tanstack/react-query'
import { chooseContext } from '../data/me.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { nameOf, useHere } from './here.tsx'

export function Moved({ name, follow }: { name: string, follow: () => void }) {
  const { context, team } = useHere()
  const back = useMutation({ mutationFn: chooseContext })
  return (
    <Dialog title={`You have switched to ${name}`} open>
      <p>What you are writing here belongs to {nameOf(team)}, and cannot be stored from {name}.</p>
      <ErrorNote error={back.error} />
      <div className='buttons'>
        <button type='button' className='primary' disabled={back.isPending} onClick={() => back.mutate(context.id)}>Back to {nameOf(team)}</button>
        <button type='button' className='danger' onClick={follow}>Go to {name} without it</button>
      </div>
    </Dialog>
  )
}
