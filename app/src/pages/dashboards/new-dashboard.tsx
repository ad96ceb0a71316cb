import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { createDashboard, modelsQuery, useDashboardChange } from '../../data/dashboards.ts'
import { common } from '../../messages/common.ts'
import { dashboards as m } from '../../messages/dashboards.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { pack } from './arrangement.ts'
import { usualLayout } from './kinds.ts'
import { usualRange } from './ranges.tsx'

const defaultValues = { name: '', begin: 'usual', visibility: 'shared' }

/** Creates a dashboard in the context. A team's dashboard can start as a copy of a personal one. */
export function NewDashboard({ onClose }: { onClose: () => void }) {
  const { context, team } = useSessionContext()
  const models = useQuery(modelsQuery(context))
  const navigate = useNavigate()
  const create = useDashboardChange(
    createDashboard,
    ({ id }) => void navigate({ to: '/dashboards/$dashboardId', params: { dashboardId: id } }),
  )
  const submit = ({ name, begin, visibility }: typeof defaultValues) => {
    const widgets = begin === 'nothing'
      ? []
      : models.data?.find(({ id }) => id === begin)?.layout.widgets ?? pack(usualLayout())
    create.mutate({
      name,
      visibility: team !== null && visibility === 'shared' ? 'shared' : 'private',
      layout: { widgets },
      date_range: usualRange,
    })
  }
  return (
    <Dialog title={m.newDashboard} open onClose={onClose}>
      <Form
        draft='dashboard new'
        defaultValues={defaultValues}
        error={create.error}
        onSubmit={submit}
      >
        <TextField name='name' label={common.name} maxLength={255} required />
        <Select name='begin' label={m.startWith}>
          <option value='usual'>{m.defaultWidgets}</option>
          <option value='nothing'>{m.blank}</option>
          {models.data?.map(({ id, name, organization_id: of }) => (
            <option key={id} value={id}>
              {name}
              {team !== null && of === null ? m.personal : ''}
            </option>
          ))}
        </Select>
        {team !== null && (
          <Select name='visibility' label={m.visibleTo}>
            <option value='shared'>{m.everyoneIn(team.name)}</option>
            <option value='private'>{m.ownerAdminsAndEditors}</option>
          </Select>
        )}
        <SubmitButton isBusy={create.isPending}>{m.create}</SubmitButton>
      </Form>
    </Dialog>
  )
}
