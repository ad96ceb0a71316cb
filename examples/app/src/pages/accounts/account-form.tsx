import { type Account, accountsQuery, accountTypes, saveAccount } from '../../data/accounts.ts'
import { updateRow, useChange } from '../../data/change.ts'
import { accounts as m, common } from '../../messages/en.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { AmountField, CurrencyField } from '../../parts/money-fields.tsx'

type Values = { name: string, type: Account['type'], currency: string | null, balance: number | null, institution: string }

const valuesOf = (account: Account | null): Values => ({
  name: account?.name ?? '',
  type: account?.type ?? 'checking',
  currency: account?.currency ?? null,
  balance: account?.balance ?? 0,
  institution: account?.institution ?? '',
})

/** Creates an account, or changes the given one. */
export function AccountForm({ account, onClose }: { account: Account | null, onClose: () => void }) {
  const save = useChange(saveAccount, {
    optimistic: async ({ id, values }, context, client) => id === undefined ? null : updateRow<Account>(client, accountsQuery(context).queryKey, id, values),
    onStored: onClose,
  })
  const submit = ({ balance, currency, institution, ...values }: Values) => {
    if (balance === null || currency === null) return
    save.mutate({ id: account?.id, values: { ...values, balance, currency, institution: institution || null } })
  }
  return (
    <Dialog title={account === null ? m.newAccount : common.editOf(account.name)} open={!save.isOptimistic} onClose={onClose}>
      <Form defaultValues={valuesOf(account)} error={save.error} onSubmit={submit}>
        <TextField name='name' label={common.name} maxLength={255} required />
        <Select name='type' label={m.type}>
          <Options of={accountTypes} />
        </Select>
        <AmountField name='balance' label={m.openingBalance} hint={m.whatWasThereBeforeThe} required />
        <CurrencyField />
        <TextField name='institution' label={m.bank} maxLength={255} />
        <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
      </Form>
    </Dialog>
  )
}
