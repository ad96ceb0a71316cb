/** A new transaction from any page: its form is above the page, which stays in sight. */
import { useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTransactionChanges } from '../data/transactions/changes.ts'
import { type Beginning, NewEntry } from '../parts/entry.tsx'

/**
 * Returns the values that the page suggests: the account of its page, or the filters of the list.
 */
function useBeginning(): Beginning {
  const { search } = useLocation()
  const { accountId } = useParams({ strict: false })
  const { account, category } = search as { account?: string, category?: string }
  const exactly = (id: string | undefined) => id === undefined || id === 'none' ? null : id
  return { account: accountId ?? exactly(account), category: exactly(category) }
}

export default function QuickEntry({ onClose }: { onClose: () => void }) {
  const begin = useBeginning()
  const changes = useTransactionChanges()
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={form} className='shell-entry'>
      <NewEntry begin={begin} changes={changes} onClose={onClose} />
    </div>
  )
}
