/** What-if rows of a forecast. They are stored nowhere. */
import { useState } from 'react'
import type { Account } from '../../data/accounts.ts'
import type { WhatIf } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { addDays } from '../../locale/months.ts'
import { common } from '../../messages/common.ts'
import { forecast as m } from '../../messages/forecast.ts'
import { DateField } from '../../parts/date-field.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { AmountField, type Direction, DirectionField } from '../../parts/money-fields.tsx'
import { Action } from '../../parts/ui.tsx'

type WhatIfProps = {
  accounts: Account[]
  rows: WhatIf[]
  until: string
  onChange: (rows: WhatIf[]) => void
}

type Values = {
  name: string
  account_id: string
  amount: number | null
  direction: Direction
  on_date: string
}

export function WhatIfRows({ accounts, rows, until, onChange }: WhatIfProps) {
  const [isOpen, setIsOpen] = useState(false)
  const accountOf = (id: string) => accounts.find((account) => account.id === id)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{m.whatIf}</summary>
      {rows.length > 0 && (
        <ul className='list'>
          {rows.map((row, index) => (
            <li key={index}>
              <span>
                {row.name}
                <small>
                  {m.amountOn(
                    formatAmount(row.amount, accountOf(row.account_id)?.currency ?? ''),
                    formatDay(row.on_date),
                    accountOf(row.account_id)?.name ?? '',
                  )}
                  {row.on_date > until && m.isLater}
                </small>
              </span>
              <Action
                name={common.remove}
                of={row.name}
                onClick={() => onChange(rows.filter((one) => one !== row))}
              />
            </li>
          ))}
        </ul>
      )}
      {isOpen && (
        <WhatIfForm
          key={rows.length}
          accounts={accounts}
          until={until}
          isFirst={rows.length === 0}
          onAdd={(row) => onChange([...rows, row])}
        />
      )}
    </details>
  )
}

type WhatIfFormProps = {
  accounts: Account[]
  until: string
  isFirst: boolean
  onAdd: (row: WhatIf) => void
}

/** Adds a row. A new form, which is empty again, takes its place after each. */
function WhatIfForm({ accounts, until, isFirst, onAdd }: WhatIfFormProps) {
  const defaultValues: Values = {
    name: '',
    account_id: accounts[0]?.id ?? '',
    amount: null,
    direction: 'out',
    on_date: addDays(today(), 1),
  }
  const currencyOf = (accountId: string) =>
    accounts.filter(({ id }) => id === accountId).map(({ currency }) => ({ currency }))[0]
  const add = ({ amount, direction, ...row }: Values) => {
    if (amount !== null)
      onAdd({ ...row, amount: direction === 'in' ? Math.abs(amount) : -Math.abs(amount) })
  }
  return (
    <Form defaultValues={defaultValues} onSubmit={add}>
      {({ watch }) => (
        <>
          <TextField
            name='name'
            label={common.name}
            maxLength={255}
            autoFocus={!isFirst}
            required
          />
          <AmountField
            name='amount'
            label={common.amount}
            {...currencyOf(watch('account_id'))}
            direction='direction'
            isNeverZero
            required
          />
          <DirectionField />
          <Select name='account_id' label={common.account}>
            <Options of={accounts} />
          </Select>
          <DateField name='on_date' label={m.day} min={today()} max={until} required />
          <p className='field-note'>{m.whatIfHint}</p>
          <SubmitButton isBusy={false}>{m.try}</SubmitButton>
        </>
      )}
    </Form>
  )
}
