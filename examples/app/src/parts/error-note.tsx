import { FinanceError } from 'finance-client'

/** What went wrong, in words for the person. The ended session and the lost connection are told by the shell. */
export function ErrorNote({ error }: { error: Error | null }) {
  if (error === null || (error instanceof FinanceError && error.code === 'UNAUTHORIZED')) return null
  const hint = error instanceof FinanceError ? error.hint : null
  return (
    <div className='error-note' role='alert'>
      <p>
        {error instanceof FinanceError && error.code === 'NETWORK_ERROR'
          ? 'There was no answer. Try again when the connection is back.'
          : sentence(error.message)}
      </p>
      {hint !== null && <p>{sentence(hint)}</p>}
    </div>
  )
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`
