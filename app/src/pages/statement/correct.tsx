import type { Account } from '../../data/accounts.ts'
import { correctBalance, type Reconciliation } from '../../data/balances.ts'
import { useChange } from '../../data/change.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { reconciliation as m } from '../../messages/reconciliation.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SubmitButton } from '../../parts/form.tsx'

type CorrectProps = { account: Account, of: Reconciliation, onClose: () => void }

/** Says which transaction a correction books, and books it. */
export function Correct({ account, of: { on_date, stated, difference }, onClose }: CorrectProps) {
  const correct = useChange(correctBalance, {
    onStored: onClose,
    outcome: (booked) =>
      booked === null
        ? { text: m.noDifference }
        : {
          text: m.adjusted(formatAmount(booked.amount, account.currency), formatDay(on_date)),
          undoOf: booked.id,
        },
  })
  return (
    <Dialog title={m.adjustQuestion(formatDay(on_date))} open onClose={onClose}>
      <Form
        defaultValues={{}}
        error={correct.error}
        onSubmit={() =>
          !correct.isPending &&
          correct.mutate({ account_id: account.id, balance: stated, on_date, name: m.adjustment })}
      >
        <p>
          {m.adjustHint(
            formatAmount(difference, account.currency),
            formatDay(on_date),
            difference > 0,
          )}
        </p>
        <p>{m.adjustWarning}</p>
        <SubmitButton isBusy={correct.isPending}>{m.adjust}</SubmitButton>
      </Form>
    </Dialog>
  )
}
