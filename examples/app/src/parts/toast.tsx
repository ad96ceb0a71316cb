/** What has just happened, with the way back. */
import { Toast } from '@base-ui/react/toast'
import { type ReactNode, useLayoutEffect } from 'react'
import { useSession } from '../app/session.ts'
import { wordsOf } from './words.ts'

/** Long enough to read it and to decide, in milliseconds; it waits while somebody points at it. */
const lasts = 10_000

export const Toasts = ({ children }: { children: ReactNode }) => (
  <Toast.Provider timeout={lasts}>
    {children}
    <Toast.Portal>
      <Toast.Viewport className='toasts'>
        <List />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

function List() {
  const { toasts, close } = Toast.useToastManager()
  const { session } = useSession()
  // what has happened in one context is not told in another, nor to somebody else, and cannot be taken back from there
  useLayoutEffect(() => close(), [close, session?.user_id, session?.active_organization_id])
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className='toast'>
      <Toast.Content className='toast-content'>
        <Toast.Title className='toast-title' render={<p />} />
        <Toast.Action className='toast-action' />
        <Toast.Close className='toast-close' aria-label='Close'>×</Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}

type Way = { label: string, act: () => void }

/** @returns a function that tells a sentence, or what went wrong, with one thing to do about it or none; what that returns takes it away */
export function useTell(): (what: string | Error, way?: Way) => () => void {
  const { add, close } = Toast.useToastManager()
  return (what, way) => {
    const id = add({
      title: typeof what === 'string' ? what : wordsOf(what).message,
      ...(way !== undefined && {
        actionProps: {
          children: way.label,
          onClick: () => {
            close(id)
            way.act()
          },
        },
      }),
    })
    return () => close(id)
  }
}
