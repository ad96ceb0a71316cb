import { useState } from 'react'
import { type Account, accountsQuery, accountTypes, saveAccount } from '../../data/accounts.ts'
import { useChange, withValues } from '../../data/change.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { CurrencyField } from '../../parts/currency-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Options, Select, SubmitButton, TextField, type Values } from '../../parts/form.tsx'

/** Creates an account, or changes the one that is given. */
export function AccountForm({ account, onClose }: { account: Account | null, onClose: () => void }) {
  const [balance, setBalance] = useState<number | null>(account?.balance ?? 0)
  const save = useChange(
    saveAccount,
    onClose,
    (context, { id, values }) => id === undefined ? null : withValues<Account>(accountsQuery(context).queryKey, id, values),
  )
  const submit = ({ text, optional, currency }: Values) => {
    if (balance === null) return
    const type = text('type') as Account['type']
    save.mutate({ id: account?.id, values: { name: text('name'), type, currency: currency('currency'), balance, institution: optional('institution') } })
  }
  return (
    <Dialog title={account === null ? 'New account' : `Edit ${account.name}`} open={!save.isAhead} onClose={onClose}>
      <Form error={save.error} onSubmit={submit}>
        <TextField name='name' label='Name' defaultValue={account?.name} maxLength={255} required />
        <Select name='type' label='Type' defaultValue={account?.type ?? 'checking'}>
          <Options of={accountTypes} />
        </Select>
        <AmountField
          name='balance'
          label='Opening balance'
          value={balance}
          onChange={setBalance}
          hint='What was there before the first transaction.'
          required
        />
        <CurrencyField value={account?.currency} />
        <TextField name='institution' label='Bank' defaultValue={account?.institution ?? ''} maxLength={255} />
        <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
      </Form>
    </Dialog>
  )
}
