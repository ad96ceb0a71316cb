import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { ErrorNote } from './ui.tsx'
import { common } from '../messages/common.ts'
import { parts as m } from '../messages/parts.ts'

type DialogProps = {
  title: string
  open: boolean
  onClose?: (() => void) | undefined
  /** The selector of the element that gets the focus. By default the first control. */
  focus?: string
  className?: string
  children: ReactNode
}

/** A dialog that keeps its input while it is hidden. Without `onClose` the user cannot close it. */
export const Dialog = ({ title, open, onClose, focus, className = '', children }: DialogProps) => (
  <Base.Root
    open={open}
    onOpenChange={(isOpen) => !isOpen && onClose?.()}
  >
    <Base.Portal keepMounted>
      <Base.Backdrop className='backdrop' />
      <Base.Popup
        className={`dialog ${className}`}
        {...(focus !== undefined && {
          initialFocus: () => document.querySelector<HTMLElement>(`.dialog ${focus}`),
        })}
      >
        <Base.Title className='dialog-title'>{title}</Base.Title>
        {children}
        {onClose !== undefined && (
          <Base.Close className='dialog-close' aria-label={m.close}>×</Base.Close>
        )}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

type ConfirmProps = {
  title: string
  action: string
  error: Error | null
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

/** Asks before an action that cannot be undone. */
export const Confirm = (
  { title, action, error, isBusy, onConfirm, onClose, children }: ConfirmProps,
) => (
  <Dialog title={title} open onClose={onClose}>
    {children}
    <ErrorNote error={error} />
    <div className='buttons'>
      <button type='button' className='danger' disabled={isBusy} onClick={onConfirm}>
        {action}
      </button>
      <button type='button' onClick={onClose}>{common.cancel}</button>
    </div>
  </Dialog>
)
