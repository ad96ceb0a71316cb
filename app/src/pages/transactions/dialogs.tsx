/** The dialogs of the list. */
import { Suspense } from 'react'
import type { Account } from '../../data/accounts.ts'
import type { Category } from '../../data/categories.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import type { TransactionChanges } from '../../data/transactions/changes.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { lazyPart } from '../../parts/chunk.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CopiedEntry } from '../../parts/entry.tsx'
import { Details } from './details.tsx'
import type { ListState } from './list-state.ts'
import { ReceiptsDialog } from './receipts.tsx'
import { SuggestCategories } from './suggest-categories.tsx'
import { TransferForm } from './transfer-form.tsx'

const RuleForm = lazyPart(() => import('../rules/rule-form.tsx'), (chunk) => chunk.RuleForm)

type DialogsProps = {
  dialog: ListState['dialog']
  /** The row of the details as the list has it. */
  now: Transaction | undefined
  isGone: boolean
  accounts: readonly Account[]
  categories: readonly Category[]
  changes: TransactionChanges
  onClose: () => void
}

export function Dialogs(
  { dialog, now, isGone, accounts, categories, changes, onClose }: DialogsProps,
) {
  if (dialog === null) return null
  if (dialog === 'transfer')
    return <TransferForm accounts={accounts} changes={changes} onClose={onClose} />
  if ('suggestFor' in dialog)
    return (
      <SuggestCategories
        source={dialog.suggestFor}
        categories={categories}
        changes={changes}
        onClose={onClose}
      />
    )
  if ('receipts' in dialog)
    return <ReceiptsDialog transaction={dialog.receipts} onClose={onClose} />
  if ('details' in dialog) {
    const { details: row, begin } = dialog
    return (
      <Details
        begin={begin}
        row={row}
        now={now ?? row}
        isGone={isGone}
        categories={categories}
        changes={changes}
        onClose={onClose}
      />
    )
  }
  if ('ruleFor' in dialog) {
    const { name, category_id: category } = dialog.ruleFor
    return (
      <Suspense>
        <RuleForm
          rule={null}
          begin={{ name, text: name, category: category ?? '' }}
          onClose={onClose}
        />
      </Suspense>
    )
  }
  const { name, amount, account_id: account, category_id: category } = dialog.copyOf
  const begin = { account, category, name, amount: dialog.isRefund ? -amount : amount }
  return (
    <Dialog title={dialog.isRefund ? m.refundOf(name) : m.copyOf(name)} open onClose={onClose}>
      <CopiedEntry begin={begin} changes={changes} onClose={onClose} />
    </Dialog>
  )
}
