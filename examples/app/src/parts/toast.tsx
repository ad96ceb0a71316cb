/** What has just happened, with the way back. */
import { Toast } from '@base-ui/react/toast'
import type { ReactNode } from 'react'

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
  const { toasts } = Toast.useToastManager()
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

export type Way = { label: string, act: () => void }

/** @returns a function that tells a sentence, with one thing to do about it or none; what that returns takes the sentence away */
export function useTell(): (sentence: string, way?: Way) => () => void {
  const { add, close } = Toast.useToastManager()
  return (sentence, way) => {
    const id = add({
      title: sentence,
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
