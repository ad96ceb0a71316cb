/** The name of a team, and the ways out of it: leaving, transfer, deletion. Each asks first, because none can be undone. */
import { useQuery } from '@tanstack/react-query'
import type { Member, OrganizationWithRole } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { deleteTeam, leaveTeam, membersQuery, renameTeam, transferTeam } from '../../data/teams.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Form, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'

export function TeamEnd({ team: { id, name } }: { team: OrganizationWithRole }) {
  const { rights } = useSessionContext()
  const toast = useToast()
  const [asked, setAsked] = useState<'leave' | 'delete' | null>(null)
  const [typed, setTyped] = useState('')
  const leave = useAccountChange(leaveTeam, () => toast(`You have left ${name}.`))
  const remove = useAccountChange(deleteTeam, () => toast(`${name} is deleted.`))
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

/** Makes another member the owner. The former owner becomes an admin. */
function Transfer({ team: { id: organizationId, name } }: { team: { id: string, name: string } }) {
  const { user } = useSessionContext()
  const toast = useToast()
  const members = useQuery(membersQuery(organizationId))
  const [heir, setHeir] = useState<Member | null>(null)
  const transfer = useAccountChange(transferTeam, () => {
    setHeir(null)
    toast(`${name} has another owner, and you are an admin of it.`)
  })
  const others = members.data?.filter(({ user_id: id }) => id !== user.id) ?? []
  if (others.length === 0) return <p>To pass the team on, invite somebody first.</p>
  return (
    <>
      <Form defaultValues={{ userId: others[0]?.user_id ?? '' }} onSubmit={({ userId }) => setHeir(others.find(({ user_id: id }) => id === userId) ?? null)}>
        <Select name='userId' label='New owner'>
          {others.map(({ user_id: id, user: other }) => <option key={id} value={id}>{other?.name || other?.email}</option>)}
        </Select>
        <SubmitButton isBusy={false}>Pass the team on</SubmitButton>
      </Form>
      {heir !== null && (
        <Confirm
          title={`Make ${heir.user?.name || heir.user?.email} the owner?`}
          action='Pass on'
          error={transfer.error}
          isBusy={transfer.isPending}
          onConfirm={() => transfer.mutate({ organizationId, userId: heir.user_id })}
          onClose={() => setHeir(null)}
        >
          <p>You are an admin of {name} then. Only the new owner can give it back.</p>
        </Confirm>
      )}
    </>
  )
}

export function TeamName({ team: { id, name } }: { team: OrganizationWithRole }) {
  const toast = useToast()
  const save = useAccountChange(renameTeam, () => toast('The team has its new name.'))
  return (
    <section className='section'>
      <h2>Name</h2>
      <Form defaultValues={{ teamName: name }} error={save.error} onSubmit={({ teamName }) => save.mutate({ organizationId: id, name: teamName })}>
        <TextField name='teamName' label='Name of this team' maxLength={200} required />
        <SubmitButton isBusy={save.isPending}>Rename</SubmitButton>
      </Form>
    </section>
  )
}
