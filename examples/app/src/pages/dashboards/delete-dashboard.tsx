import { useNavigate } from '@tanstack/react-router'
import { useChange } from '../../data/change.ts'
import { type Dashboard, deleteDashboard } from '../../data/dashboards.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { useTell } from '../../parts/toast.tsx'

export function DeleteDashboard({ dashboard, onClose }: { dashboard: Dashboard, onClose: () => void }) {
  const tell = useTell()
  const navigate = useNavigate()
  const remove = useChange(deleteDashboard, (_, { name }) => {
    tell(`${name} is deleted.`)
    void navigate({ to: '/dashboards' })
  })
  return (
    <Confirm
      title={`Delete ${dashboard.name}?`}
      action='Delete'
      error={remove.error}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(dashboard)}
      onClose={onClose}
    >
      <p>Its arrangement is gone then. What it shows stays.</p>
    </Confirm>
  )
}
