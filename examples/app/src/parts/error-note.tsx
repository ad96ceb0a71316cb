import { FinanceError } from 'finance-client'
import { wordsOf } from './words.ts'

/** What went wrong, in words for the person. The ended session and the lost connection are told by the shell. */
export function ErrorNote({ error }: { error: Error | null }) {
  if (error === null || (error instanceof FinanceError && error.code === 'UNAUTHORIZED')) return null
  const { message, hint } = wordsOf(error)
  return (
    <div className='error-note' role='alert'>
      <p>{message}</p>
      {hint !== null && <p>{hint}</p>}
    </div>
  )
}
