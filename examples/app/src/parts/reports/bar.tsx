type BarProps = {
  /** From 0 to 1; more fills it. */
  share: number
  /** Where a mark stands, from 0 to 1. */
  mark?: number | undefined
  /** `#rrggbb` of a category. */
  color?: string | null
  isOver?: boolean
}

/** How much of a whole something is. The numbers stand beside it, so that it is only seen. */
export const Bar = ({ share, mark, color, isOver = false }: BarProps) => (
  <span className={isOver ? 'bar bar-over' : 'bar'} aria-hidden='true'>
    <span className='bar-fill' style={{ inlineSize: `${Math.min(Math.max(share, 0), 1) * 100}%`, ...(color != null && { background: color }) }} />
    {mark !== undefined && <span className='bar-mark' style={{ insetInlineStart: `${mark * 100}%` }} />}
  </span>
)
