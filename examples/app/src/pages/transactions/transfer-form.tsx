import { useState } from 'react'
import type { Account } from '../../data/accounts.ts'
import type { useTransactionChanges } from '../../data/transaction-changes.ts'
import { today } from '../../locale/days.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DateField, Form, Options, Select, SubmitButton, TextField, type Values } from '../../parts/form.tsx'

type TransferFormProps = { accounts: readonly Account[], changes: ReturnType<typeof useTransactionChanges>, onClose: () => void }

/** Moves money between two accounts: two rows that are neither income nor expense. */
export function TransferForm({ accounts, changes: { transfer }, onClose }: TransferFormProps) {
  const [from, setFrom] = useState(accounts[0]?.id ?? '')
  const [to, setTo] = useState(accounts[1]?.id ?? '')
  const [amount, setAmount] = useState<number | null>(null)
  const [arriving, setArriving] = useState<number | null>(null)
  const currency = (id: string) => accounts.find((account) => account.id === id)?.currency ?? ''
  const isExchange = currency(from) !== currency(to)
  const submit = ({ text }: Values) => {
    if (amount === null || from === to || transfer.isPending) return
    transfer.mutate({
      from_account_id: from,
      to_account_id: to,
      amount,
      transfer_date: text('transfer_date'),
      name: text('name') || 'Transfer',
      ...(isExchange && { to_amount: arriving }),
    }, { onSuccess: onClose })
  }
  if (accounts.length < 2) {
    return (
      <Dialog title='Transfer' open onClose={onClose}>
        <p>A transfer is between two accounts. Create another account first.</p>
      </Dialog>
    )
  }
  const options = <Options of={accounts} />
  return (
    <Dialog title='Transfer' open onClose={onClose}>
      <Form error={transfer.error} onSubmit={submit}>
        <Select name='from_account_id' label='From' value={from} onChange={({ target }) => setFrom(target.value)}>{options}</Select>
        <Select
          name='to_account_id'
          label='To'
          problem={from === to ? 'Choose another account than the one it is from.' : null}
          value={to}
          onChange={({ target }) => setTo(target.value)}
        >
          {options}
        </Select>
        <AmountField
          name='amount'
          label={`Amount in ${currency(from).toUpperCase()}`}
          value={amount}
          currency={currency(from)}
          isNeverZero
          onChange={setAmount}
          required
        />
        {isExchange && (
          <AmountField
            name='to_amount'
            label={`What arrives in ${currency(to).toUpperCase()}`}
            value={arriving}
            currency={currency(to)}
            isNeverZero
            onChange={setArriving}
            required
          />
        )}
        <DateField name='transfer_date' label='Date' defaultValue={today()} required />
        <TextField name='name' label='Name' placeholder='Transfer' maxLength={255} />
        <SubmitButton isBusy={transfer.isPending}>Transfer</SubmitButton>
      </Form>
    </Dialog>
  )
}
