import { useMutation, useQuery } from '@tanstack/react-query'
import { goToProvider, signInMethodsQuery } from '../data/me.ts'
import { ErrorNote } from './error-note.tsx'

/** The way in by the provider of whoever runs the service, where there is one. @param to where it leads on to, in this app */
export function ByProvider({ to }: { to: string }) {
  const provider = useQuery(signInMethodsQuery).data?.oidc
  const go = useMutation({ mutationFn: goToProvider })
  if (provider == null) return null
  return (
    <>
      <ErrorNote error={go.error} />
      <div className='buttons'>
        <button type='button' aria-disabled={go.isPending} onClick={() => go.isPending || go.mutate(to)}>Continue with {provider.name}</button>
      </div>
    </>
  )
}
