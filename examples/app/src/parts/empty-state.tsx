import type { ReactNode } from 'react'

/** What stands where rows will be, with the way to the first. */
export const EmptyState = ({ children, action }: { children: ReactNode, action?: ReactNode }) => (
  <div className='empty'>
    <p>{children}</p>
    {action}
  </div>
)
