import { type Account, offered } from '../../data/accounts.ts'
import type { TransactionChanges } from '../../data/transactions/changes.ts'
import { today } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { ComboboxField } from '../../parts/combobox.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DateField } from '../../parts/date-field.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { AmountField } from '../../parts/money-fields.tsx'

type TransferFormProps = {
  accounts: readonly Account[]
  changes: TransactionChanges
  onClose: () => void
}

type Values = {
  from_account_id: string
  to_account_id: string
  amount: number | null
  to_amount: number | null
  transfer_date: string
  name: string
}

const currencyOf = (accounts: readonly Account[], accountId: string) =>
  accounts.find(({ id }) => id === accountId)?.currency ?? ''

/** Moves money between two accounts by two rows, which are neither income nor expense. */
export function TransferForm({ accounts: all, changes: { transfer }, onClose }: TransferFormProps) {
  const accounts = offered(all)
  const submit = ({ amount, to_amount, name, ...values }: Values) => {
    if (amount === null || values.from_account_id === values.to_account_id || transfer.isPending)
      return
    const [from, to] = [values.from_account_id, values.to_account_id]
    const isExchange = currencyOf(accounts, from) !== currencyOf(accounts, to)
    transfer.mutate({
      ...values,
      amount,
      name: name || m.transfer,
      ...(isExchange && { to_amount }),
    }, { onSuccess: onClose })
  }
  if (accounts.length < 2) {
    return (
      <Dialog title={m.transfer} open onClose={onClose}>
        <p>{m.transferNeedsTwo}</p>
      </Dialog>
    )
  }
  const defaultValues: Values = {
    from_account_id: accounts[0]?.id ?? '',
    to_account_id: accounts[1]?.id ?? '',
    amount: null,
    to_amount: null,
    transfer_date: today(),
    name: '',
  }
  return (
    <Dialog title={m.transfer} open onClose={onClose}>
      <Form
        draft='transfer new'
        defaultValues={defaultValues}
        error={transfer.error}
        onSubmit={submit}
      >
        {({ watch }) => (
          <>
            <Fields
              accounts={accounts}
              from={watch('from_account_id')}
              to={watch('to_account_id')}
            />
            <SubmitButton isBusy={transfer.isPending}>{m.transfer}</SubmitButton>
          </>
        )}
      </Form>
    </Dialog>
  )
}

type FieldsProps = { accounts: readonly Account[], from: string, to: string }

/** Between two currencies a transfer has two amounts. */
function Fields({ accounts, from, to }: FieldsProps) {
  const [currency, arriving] = [currencyOf(accounts, from), currencyOf(accounts, to)]
  return (
    <>
      <ComboboxField name='from_account_id' label={m.from} of={accounts} required />
      <ComboboxField
        name='to_account_id'
        label={m.to}
        of={accounts}
        problem={from === to ? m.sameAccount : null}
        required
      />
      <AmountField
        name='amount'
        label={m.amountIn(currency.toUpperCase())}
        currency={currency}
        isNeverZero
        required
      />
      {currency !== arriving && (
        <AmountField
          name='to_amount'
          label={m.amountReceived(arriving.toUpperCase())}
          currency={arriving}
          isNeverZero
          required
        />
      )}
      <DateField name='transfer_date' label={m.date} required />
      <TextField name='name' label={common.name} placeholder={m.transfer} maxLength={255} />
    </>
  )
}
