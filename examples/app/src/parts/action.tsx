import type { ComponentProps } from 'react'

type ActionProps = Pick<ComponentProps<'button'>, 'onClick' | 'disabled'> & {
  name: string /** What it is done to, for those who do not see the row. */
  of: string
}

/** Something that can be done to a row. */
export const Action = ({ name, of, ...button }: ActionProps) => <button type='button' className='quiet' aria-label={`${name} ${of}`} {...button}>{name}</button>
