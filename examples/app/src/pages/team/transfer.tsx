import { useQuery } from '@tanstack/react-query'
import type { Member } from 'finance-client'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { membersQuery, transferTeam } from '../../data/teams.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Form, Select, SubmitButton } from '../../parts/form.tsx'
import { useTell } from '../../parts/toast.tsx'

/** Makes another member the owner; the one who was is an admin then. */
export function Transfer({ team: { id: organizationId, name } }: { team: { id: string, name: string } }) {
  const { user } = useHere()
  const tell = useTell()
  const members = useQuery(membersQuery(organizationId))
  const [heir, setHeir] = useState<Member | null>(null)
  const transfer = usePeopleChange(transferTeam, () => {
    setHeir(null)
    tell(`${name} has another owner, and you are an admin of it.`)
  })
  const others = members.data?.filter(({ user_id: id }) => id !== user.id) ?? []
  if (others.length === 0) return <p>To pass the team on, invite somebody first.</p>
  return (
    <>
      <Form onSubmit={({ text }) => setHeir(others.find(({ user_id: id }) => id === text('userId')) ?? null)}>
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
