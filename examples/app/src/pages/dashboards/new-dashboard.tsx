import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useHere } from '../../app/here.tsx'
import { createDashboard, modelsQuery, useDashboardChange } from '../../data/dashboards.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Select, SubmitButton, TextField, type Values } from '../../parts/form.tsx'
import { pack } from './arrangement.ts'
import { usualLayout } from './kinds.ts'
import { usualRange } from './ranges.ts'

/** A dashboard stays in the context in which it is made. One of one's own is shared by beginning a team's with it. */
export function NewDashboard({ onClose }: { onClose: () => void }) {
  const { context, team } = useHere()
  const models = useQuery(modelsQuery(context))
  const navigate = useNavigate()
  const create = useDashboardChange(createDashboard, ({ id }) => void navigate({ to: '/dashboards/$dashboardId', params: { dashboardId: id } }))
  const submit = ({ text }: Values) => {
    const begin = text('begin')
    const widgets = begin === 'nothing' ? [] : models.data?.find(({ id }) => id === begin)?.layout.widgets ?? pack(usualLayout())
    create.mutate({ name: text('name'), visibility: text('visibility') === 'shared' ? 'shared' : 'private', layout: { widgets }, date_range: usualRange })
  }
  return (
    <Dialog title='New dashboard' open onClose={onClose}>
      <Form error={create.error} onSubmit={submit}>
        <TextField name='name' label='Name' maxLength={255} required />
        <Select name='begin' label='Begin with'>
          <option value='usual'>The usual widgets</option>
          <option value='nothing'>Nothing</option>
          {models.data?.map(({ id, name, organization_id: of }) => (
            <option key={id} value={id}>{name}{team !== null && of === null ? ' (personal)' : ''}</option>
          ))}
        </Select>
        {team !== null && (
          <Select name='visibility' label='Who sees it'>
            <option value='shared'>Everybody in {team.name}</option>
            <option value='private'>Owner, admins and editors</option>
          </Select>
        )}
        <SubmitButton isBusy={create.isPending}>Create</SubmitButton>
      </Form>
    </Dialog>
  )
}
