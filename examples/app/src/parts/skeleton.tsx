/** The shape of rows that are on their way. */
export const Skeleton = ({ rows = 3 }: { rows?: number }) => (
  <div className='skeleton' role='status'>
    <span className='unseen'>Loading</span>
    {Array.from({ length: rows }, (_, row) => <div key={row} className='skeleton-row' />)}
  </div>
)
