import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountsQuery, accountTypes, saveAccount } from '../../data/accounts.ts'
import { updateRow, useChange } from '../../data/change.ts'
import { inputOf } from '../../data/changed-fields.ts'
import { firstDay, lastDay } from '../../locale/days.ts'
import { accounts as m } from '../../messages/accounts.ts'
import { common } from '../../messages/common.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DateField } from '../../parts/date-field.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { RowMeanwhile } from '../../parts/meanwhile.tsx'
import { AmountField, CurrencyField } from '../../parts/money-fields.tsx'

type Values = {
  name: string
  type: Account['type']
  currency: string | null
  balance: number | null
  institution: string
  opened_on: string
  closed_on: string
}

const valuesOf = (account: Account | null): Values => ({
  name: account?.name ?? '',
  type: account?.type ?? 'checking',
  currency: account?.currency ?? null,
  balance: account?.balance ?? 0,
  institution: account?.institution ?? '',
  opened_on: account?.opened_on ?? '',
  closed_on: account?.closed_on ?? '',
})

const columnsOf = ({ institution, opened_on, closed_on, ...values }: Values) => ({
  ...values,
  institution: institution || null,
  opened_on: opened_on || null,
  closed_on: closed_on || null,
})

/** Creates an account, or changes the given one. */
export function AccountForm(
  { account, onClose }: { account: Account | null, onClose: () => void },
) {
  const { context } = useSessionContext()
  const save = useChange(saveAccount, {
    optimistic: async ({ id, values }, _, client) =>
      id === undefined
        ? null
        : updateRow<Account>(client, accountsQuery(context).queryKey, id, values),
    onStored: onClose,
  })
  const submit = (values: Values) => {
    const { balance, currency } = values
    if (balance === null || currency === null) return
    const input = inputOf(account, columnsOf(valuesOf(account)), {
      ...columnsOf(values),
      balance,
      currency,
    })
    if (input === null) return onClose()
    save.mutate(input)
  }
  return (
    <Dialog
      title={account === null ? m.newAccount : common.editOf(account.name)}
      open={!save.isOptimistic}
      onClose={onClose}
    >
      <RowMeanwhile row={account} query={accountsQuery(context)} valuesOf={valuesOf} />
      <Form
        draft={`account ${account?.id ?? 'new'}`}
        defaultValues={valuesOf(account)}
        error={save.error}
        onSubmit={submit}
      >
        <Fields isNew={account === null} />
        <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
      </Form>
    </Dialog>
  )
}

/** A new account has no closing day. */
const Fields = ({ isNew }: { isNew: boolean }) => (
  <>
    <TextField name='name' label={common.name} maxLength={255} required />
    <Select name='type' label={m.type}>
      <Options of={accountTypes} />
    </Select>
    <AmountField name='balance' label={m.openingBalance} hint={m.openingBalanceHint} required />
    <DateField
      name='opened_on'
      label={m.openedOn}
      hint={m.openedOnHint}
      min={firstDay}
      max={lastDay}
    />
    <CurrencyField />
    <TextField name='institution' label={m.bank} maxLength={255} />
    {!isNew && (
      <DateField
        name='closed_on'
        label={m.closedOn}
        hint={m.closedOnHint}
        min={firstDay}
        max={lastDay}
      />
    )}
  </>
)
