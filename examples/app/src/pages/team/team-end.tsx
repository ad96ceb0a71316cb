/** The ways out of a team: leaving it, passing it on, deleting it. Each asks first, because none of them comes back. */
import type { OrganizationWithRole } from 'finance-client'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { deleteTeam, leaveTeam } from '../../data/teams.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { useTell } from '../../parts/toast.tsx'
import { Transfer } from './transfer.tsx'

export function TeamEnd({ team: { id, name } }: { team: OrganizationWithRole }) {
  const { rights } = useHere()
  const tell = useTell()
  const [asked, setAsked] = useState<'leave' | 'delete' | null>(null)
  const [typed, setTyped] = useState('')
  const leave = usePeopleChange(leaveTeam, () => tell(`You have left ${name}.`))
  const remove = usePeopleChange(deleteTeam, () => tell(`${name} is deleted.`))
  const close = () => setAsked(null)
  return (
    <section className='section'>
      <h2>{rights.own ? 'Ownership' : 'Leave the team'}</h2>
      {rights.own && <Transfer team={{ id, name }} />}
      <div className='buttons'>
        {rights.own
          ? <button type='button' className='danger' onClick={() => setAsked('delete')}>Delete the team</button>
          : <button type='button' className='danger' onClick={() => setAsked('leave')}>Leave the team</button>}
      </div>
      {asked === 'leave' && (
        <Confirm
          title={`Leave ${name}?`}
          action='Leave'
          error={leave.error}
          isBusy={leave.isPending}
          onConfirm={() => leave.mutate(id)}
          onClose={close}
        >
          <p>You no longer see what it has. Only a new invitation brings you back.</p>
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          action='Delete for good'
          error={remove.error}
          isBusy={remove.isPending || typed !== name}
          onConfirm={() => remove.mutate(id)}
          onClose={close}
        >
          <p>Everything that it has is deleted for all of its members, and nothing brings it back.</p>
          <label className='field'>
            Type its name to delete it
            <input value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete='off' />
          </label>
        </Confirm>
      )}
    </section>
  )
}
