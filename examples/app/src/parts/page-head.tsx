import type { ReactNode } from 'react'

/** The title of a page, in the window too, and what can be done on it. */
export const PageHead = ({ title, children }: { title: string, children?: ReactNode }) => (
  <div className='page-head'>
    <title>{`${title} · Finance`}</title>
    <h1 tabIndex={-1}>{title}</h1>
    {children}
  </div>
)
