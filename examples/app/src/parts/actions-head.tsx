import { useHere } from '../app/here.tsx'

/** The head of the column with what can be done to a row, for those who may change rows. */
export function ActionsHead() {
  const { rights } = useHere()
  return rights.write && (
    <th>
      <span className='unseen'>What to do</span>
    </th>
  )
}
