/** The list of toasts, which loads after the page. */
import { Toast } from '@base-ui/react/toast'
import { useEffect, useLayoutEffect } from 'react'
import { useSession } from '../shell/session.ts'
import { parts as m } from '../messages/parts.ts'

/** Lifetime of a toast in milliseconds. Hovering pauses it. */
const timeoutMs = 10_000

export const toasts = Toast.createToastManager()

/** @param onMount called when the list can show toasts */
export const ToastList = ({ onMount }: { onMount: () => void }) => (
  <Toast.Provider timeout={timeoutMs} toastManager={toasts}>
    <Toast.Portal>
      <Toast.Viewport className='toasts'>
        <List onMount={onMount} />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

function List({ onMount }: { onMount: () => void }) {
  const { toasts: visible, close } = Toast.useToastManager()
  const { session } = useSession()
  // toasts belong to one user in one context; an undo would not work in another
  useLayoutEffect(() => close(), [close, session?.user_id, session?.active_organization_id])
  useEffect(onMount, [onMount])
  return visible.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className='toast'>
      <Toast.Content className='toast-content'>
        <Toast.Title className='toast-title' render={<p />} />
        <Toast.Action className='toast-action' />
        <Toast.Close aria-label={m.close}>×</Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
