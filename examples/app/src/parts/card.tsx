import { type HTMLAttributes, type ReactNode, useId } from 'react'

type CardProps = HTMLAttributes<HTMLElement> & { title: string, children: ReactNode }

/** One answer among others, under its heading. */
export function Card({ title, children, className = 'card', ...section }: CardProps) {
  const id = useId()
  return (
    <section {...section} className={className} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
