/**
 * The name of a team, and the ways out of it: leaving, transfer, deletion. Each asks first, because
 * none can be undone.
 */
import { useQuery } from '@tanstack/react-query'
import type { Member, OrganizationWithRole } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { deleteTeam, leaveTeam, membersQuery, renameTeam, transferTeam } from '../../data/teams.ts'
import { common } from '../../messages/common.ts'
import { team as m } from '../../messages/team.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Form, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'

export function TeamEnd({ team: { id, name } }: { team: OrganizationWithRole }) {
  const { rights } = useSessionContext()
  const toast = useToast()
  const [dialog, setDialog] = useState<'leave' | 'delete' | null>(null)
  const [typed, setTyped] = useState('')
  const leave = useAccountChange(leaveTeam, () => toast(m.youLeft(name)))
  const remove = useAccountChange(deleteTeam, () => toast(common.deleted(name)))
  const close = () => setDialog(null)
  return (
    <section className='section'>
      <h2>{rights.own ? m.ownership : m.leaveTeam}</h2>
      {rights.own && <Transfer team={{ id, name }} />}
      <div className='buttons'>
        {rights.own
          ? (
            <button type='button' className='danger' onClick={() => setDialog('delete')}>
              {m.deleteTeam}
            </button>
          )
          : (
            <button type='button' className='danger' onClick={() => setDialog('leave')}>
              {m.leaveTeam}
            </button>
          )}
      </div>
      {dialog === 'leave' && (
        <Confirm
          title={m.leaveQuestion(name)}
          action={m.leave}
          error={leave.error}
          isBusy={leave.isPending}
          onConfirm={() => leave.mutate(id)}
          onClose={close}
        >
          <p>{m.leaveHint}</p>
        </Confirm>
      )}
      {dialog === 'delete' && (
        <Confirm
          title={common.deleteQuestion(name)}
          action={m.deleteForGood}
          error={remove.error}
          isBusy={remove.isPending || typed !== name}
          onConfirm={() => remove.mutate(id)}
          onClose={close}
        >
          <p>{m.deleteHint}</p>
          <label className='field'>
            {m.deleteConfirmation}
            <input
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              autoComplete='off'
            />
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
    toast(m.transferred(name))
  })
  const others = members.data?.filter(({ user_id: id }) => id !== user.id) ?? []
  if (others.length === 0) return <p>{m.transferEmpty}</p>
  return (
    <>
      <Form
        defaultValues={{ userId: others[0]?.user_id ?? '' }}
        onSubmit={({ userId }) => setHeir(others.find(({ user_id: id }) => id === userId) ?? null)}
      >
        <Select name='userId' label={m.newOwner}>
          {others.map(({ user_id: id, user: other }) => (
            <option key={id} value={id}>{other?.name || other?.email}</option>
          ))}
        </Select>
        <SubmitButton isBusy={false}>{m.transferTeam}</SubmitButton>
      </Form>
      {heir !== null && (
        <Confirm
          title={m.transferQuestion(heir.user?.name || heir.user?.email || '')}
          action={m.transfer}
          error={transfer.error}
          isBusy={transfer.isPending}
          onConfirm={() => transfer.mutate({ organizationId, userId: heir.user_id })}
          onClose={() => setHeir(null)}
        >
          <p>{m.transferHint(name)}</p>
        </Confirm>
      )}
    </>
  )
}

export function TeamName({ team: { id, name } }: { team: OrganizationWithRole }) {
  const toast = useToast()
  const save = useAccountChange(renameTeam, () => toast(m.renamed))
  return (
    <section className='section'>
      <h2>{common.name}</h2>
      <Form
        defaultValues={{ teamName: name }}
        error={save.error}
        onSubmit={({ teamName }) => save.mutate({ organizationId: id, name: teamName })}
      >
        <TextField name='teamName' label={m.currentName} maxLength={200} required />
        <SubmitButton isBusy={save.isPending}>{m.rename}</SubmitButton>
      </Form>
    </section>
  )
}
