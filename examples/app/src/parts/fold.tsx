import { type ReactNode, useEffect, useRef, useState } from 'react'

type FoldProps = { name: string, of: { isSuccess: boolean, reset: () => void }, children: ReactNode }

/**
 * A form that waits behind a button, because a page of many is a wall. It closes when it is done, which takes the password out of it.
 * @param of what the form does
 */
export function Fold({ name, of: { isSuccess, reset }, children }: FoldProps) {
  const [isWanted, setWanted] = useState(false)
  const isOpen = isWanted && !isSuccess
  const opener = useRef<HTMLButtonElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    // the button that had the focus is gone
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
      <button type='button' className='quiet' onClick={() => want(false)}>Cancel</button>
    </div>
  )
}
