const size = { width: 96, height: 24 }

/** How something went, for the eye alone: the numbers stand beside it or in its table. It has its size before it has values. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const points = values.map((value, index) => {
    const share = highest === lowest ? 0.5 : (value - lowest) / (highest - lowest)
    return `${index / (values.length - 1) * size.width},${(1 - share) * (size.height - 4) + 2}`
  })
  return (
    <svg className='sparkline' viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden='true'>
      <polyline points={points.join(' ')} />
    </svg>
  )
}
