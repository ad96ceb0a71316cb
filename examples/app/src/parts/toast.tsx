/** Toasts: the outcome of a change, with its undo. */
import { Toast } from '@base-ui/react/toast'
import { type ReactNode, useLayoutEffect } from 'react'
import { useSession } from '../app/session.ts'
import { messageOf } from './error-messages.ts'
import { parts as m } from '../messages/parts.ts'

/** Lifetime of a toast in milliseconds. Hovering pauses it. */
const timeoutMs = 10_000

export const Toasts = ({ children }: { children: ReactNode }) => (
  <Toast.Provider timeout={timeoutMs}>
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
  // toasts belong to one user in one context; an undo would not work in another
  useLayoutEffect(() => close(), [close, session?.user_id, session?.active_organization_id])
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className='toast'>
      <Toast.Content className='toast-content'>
        <Toast.Title className='toast-title' render={<p />} />
        <Toast.Action className='toast-action' />
        <Toast.Close aria-label={m.close}>×</Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}

type ToastAction = { label: string, act: () => void }

/** Returns a function that shows a sentence or an error, with an optional action. Its result closes the toast. */
export function useToast(): (what: string | Error, action?: ToastAction) => () => void {
  const { add, close } = Toast.useToastManager()
  return (what, action) => {
    const id = add({
      title: typeof what === 'string' ? what : messageOf(what).message,
      ...(action !== undefined && {
        actionProps: {
          children: action.label,
          onClick: () => {
            close(id)
            action.act()
          },
        },
      }),
    })
    return () => close(id)
  }
}
