/** Toasts: the outcome of a change, with its undo. Their code is not in the first view. */
import { Suspense } from 'react'
import { lazyPart } from './chunk.ts'
import { messageOf } from './error-messages.ts'

const load = () => import('./toast-list.tsx')

const ToastList = lazyPart(load, (chunk) => chunk.ToastList)

let onMount: () => void
const mounted = new Promise<void>((resolve) => {
  onMount = resolve
})

export const Toasts = () => (
  <Suspense>
    <ToastList onMount={onMount} />
  </Suspense>
)

type ToastAction = { label: string, act: () => void }

/**
 * Shows a sentence or an error, with an optional action. @returns a function that closes the toast
 */
function showToast(what: string | Error, action?: ToastAction): () => void {
  const title = typeof what === 'string' ? what : messageOf(what).message
  const added = (async () => {
    const { toasts } = await load()
    await mounted
    const id: string = toasts.add({
      title,
      ...(action !== undefined && {
        actionProps: {
          children: action.label,
          onClick: () => {
            toasts.close(id)
            action.act()
          },
        },
      }),
    })
    return () => toasts.close(id)
  })()
  return () => void added.then((close) => close())
}

/** Returns the function that shows toasts. */
export const useToast = (): typeof showToast => showToast
