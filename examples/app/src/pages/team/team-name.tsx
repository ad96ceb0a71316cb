import type { OrganizationWithRole } from 'finance-client'
import { usePeopleChange } from '../../data/change.ts'
import { renameTeam } from '../../data/teams.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { useTell } from '../../parts/toast.tsx'

export function TeamName({ team: { id, name } }: { team: OrganizationWithRole }) {
  const tell = useTell()
  const save = usePeopleChange(renameTeam, () => tell('The team has its new name.'))
  return (
    <section className='section'>
      <h2>Name</h2>
      <Form error={save.error} onSubmit={({ text }) => save.mutate({ organizationId: id, name: text('teamName') })}>
        <TextField name='teamName' label='Name of this team' defaultValue={name} maxLength={200} required />
        <SubmitButton isBusy={save.isPending}>Rename</SubmitButton>
      </Form>
    </section>
  )
}
