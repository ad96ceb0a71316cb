import { FinanceError } from 'finance-client'

/** What went wrong, in words for the person. The ended session and the lost connection are told by the shell. */
export function ErrorNote({ error }: { error: Error | null }) {
  if (error === null || (error instanceof FinanceError && error.code === 'UNAUTHORIZED')) return null
  const hint = error instanceof FinanceError ? error.hint : null
  return (
    <div className='error-note' role='alert'>
      <p>{wordsOf(error)}</p>
      {hint !== null && <p>{sentence(hint)}</p>}
    </div>
  )
}

/** An error as the person is told of it. */
export function wordsOf(error: Error): string {
  const code = error instanceof FinanceError ? error.code : null
  if (code === 'NETWORK_ERROR') return 'There was no answer. Try again when the connection is back.'
  // of the database: a row of a table that the role may only read
  if (code === '42501') return 'Your role here does not allow this.'
  return sentence(error.message)
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`
