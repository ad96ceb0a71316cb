import { type ReactNode, useEffect, useRef, useState } from 'react'
import { common } from '../messages/common.ts'

type FoldProps = {
  name: string
  of: { isSuccess: boolean, reset: () => void }
  children: ReactNode
}

/**
 * A form behind a button. Closes on success, which also clears the password.
 * @param of the form's mutation
 */
export function Fold({ name, of: { isSuccess, reset }, children }: FoldProps) {
  const [isWanted, setWanted] = useState(false)
  const isOpen = isWanted && !isSuccess
  const opener = useRef<HTMLButtonElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    // the focused button was removed
    if (isOpen) content.current?.querySelector<HTMLElement>('input, select')?.focus()
    else if (wasOpen.current) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  const want = (is: boolean) => {
    reset()
    setWanted(is)
  }
  if (!isOpen) {
    return (
      <div className='buttons'>
        <button ref={opener} type='button' onClick={() => want(true)}>{name}</button>
      </div>
    )
  }
  return (
    <div ref={content} className='fold'>
      {children}
      <button type='button' className='quiet' onClick={() => want(false)}>{common.cancel}</button>
    </div>
  )
}
