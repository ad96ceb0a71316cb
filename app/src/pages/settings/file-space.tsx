import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { fileSpaceQuery } from '../../data/attachments.ts'
import { formatSize } from '../../locale/sizes.ts'
import { common } from '../../messages/common.ts'
import { receipts as m } from '../../messages/receipts.ts'
import { ErrorNote, Skeleton } from '../../parts/ui.tsx'

/** The used space for receipts, in the personal context and in the team. */
export function FileSpace() {
  const { context, teams } = useSessionContext()
  const space = useQuery(fileSpaceQuery(context))
  const nameOf = (id: string | null) =>
    id === null
      ? m.yourOwn
      : m.teamReceipts(teams.find((team) => team.id === id)?.name ?? common.unnamedTeam)
  return (
    <section className='section'>
      <h2>{m.space}</h2>
      <ErrorNote error={space.error} />
      {space.isPending && <Skeleton rows={1} />}
      <ul className='list'>
        {space.data?.map(({ organization_id: id, bytes_used: used, bytes_left: left }) => (
          <li key={id ?? ''}>
            <span>{nameOf(id)}</span>
            <span>{m.used(formatSize(used), formatSize(left))}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
