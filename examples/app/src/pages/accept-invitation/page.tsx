import { getRouteApi } from '@tanstack/react-router'
import { PageHead } from '../../parts/page-head.tsx'
import { Invitation } from './invitation.tsx'

const route = getRouteApi('/outside/accept-invitation')

/** Where the mail of an invitation leads, whoever opens it. */
export function Page() {
  const { invitationId = '' } = route.useSearch()
  return (
    <>
      <PageHead title='Invitation' />
      <Invitation id={invitationId} />
    </>
  )
}
