/** One line in which a transaction is written, or changed where it stands. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { accountsQuery, useUsualCurrency } from '../../data/accounts.ts'
import { categoriesQuery } from '../../data/categories.ts'
import type { useTransactionChanges } from '../../data/transaction-changes.ts'
import { ChangedMeanwhile, choicesQuery, dayOf, type Transaction } from '../../data/transactions.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { firstDay, lastDay, today } from '../../locale/days.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { type Direction, DirectionChoice } from '../../parts/direction.tsx'
import { DateField, Form, Options, Select, SubmitButton, TextField, type Values } from '../../parts/form.tsx'

type Changes = ReturnType<typeof useTransactionChanges>
/** What the next row begins with: where the last was booked. */
type Beginning = { day: string, account: string | null }

/** A new row; when it is stored the line is empty again, for the next. */
export function NewEntry({ changes, onClose }: { changes: Changes, onClose: () => void }) {
  const [turn, setTurn] = useState(0)
  const [beginning, setBeginning] = useState<Beginning>({ day: today(), account: null })
  const next = (last: Beginning) => {
    setBeginning(last)
    setTurn(turn + 1)
  }
  return <Entry key={turn} row={null} beginning={beginning} changes={changes} onStored={next} onClose={onClose} />
}

/** A row that is there; what was not touched stays as it is, whoever changes it meanwhile. */
export const EditEntry = ({ row, ...rest }: { row: Transaction, changes: Changes, onClose: () => void, onDetails: () => void }) => (
  <Entry row={row} beginning={{ day: dayOf(row), account: row.account_id }} onStored={rest.onClose} {...rest} />
)

type EntryProps = {
  row: Transaction | null
  beginning: Beginning
  changes: Changes
  onStored: (last: Beginning) => void
  onClose: () => void
  onDetails?: () => void
}

function Entry({ row: shownRow, beginning, changes, onStored, onClose: close, onDetails }: EntryProps) {
  // as it was opened: what somebody else changes meanwhile is no change of this person's
  const [row] = useState(shownRow)
  /** The row as the person last heard that it is. */
  const [seen, setSeen] = useState(shownRow)
  const { context, user } = useHere()
  const categories = useQuery(categoriesQuery(context)).data ?? []
  const accounts = useQuery(accountsQuery(context)).data ?? []
  const choices = useQuery(choicesQuery(context, user.id)).data ?? []
  const usual = useUsualCurrency()
  const [name, setName] = useState(row?.name ?? '')
  const [amount, setAmount] = useState(row === null ? null : Math.abs(row.amount))
  // undefined is what nobody has touched: the last choice for this name stands there
  const [direction, setDirection] = useState<Direction | undefined>(row === null ? undefined : row.amount > 0 ? 'in' : 'out')
  const [category, setCategory] = useState(row === null ? undefined : row.category_id ?? '')
  const [account, setAccount] = useState(row === null ? beginning.account ?? undefined : row.account_id ?? '')
  const names = useId()
  const work = row === null ? changes.add : changes.save
  const { reset } = work
  // the next line has nothing to do with what was wrong in this
  useEffect(() => reset, [reset])
  const onClose = () => {
    // until now the row was kept, whatever has become of it, with what was typed
    if (row !== null && work.isError) void changes.renew([row]).catch(() => undefined)
    close()
  }
  const last = choices.find((choice) => choice.name === name.trim())
  const chosen = {
    direction: direction ?? (last !== undefined && last.amount > 0 ? 'in' : 'out'),
    category: category ?? last?.category_id ?? '',
    account: account ?? last?.account_id ?? (accounts.length === 1 ? accounts[0]?.id : choices[0]?.account_id) ?? '',
  }
  // a row is in its account's currency
  const currency = accounts.find(({ id }) => id === chosen.account)?.currency ?? row?.currency ?? usual

  const submit = ({ text }: Values) => {
    if (amount === null || work.isPending) return
    const day = text('transaction_date')
    const values = {
      currency,
      name: text('name'),
      amount: chosen.direction === 'in' ? Math.abs(amount) : -Math.abs(amount),
      category_id: chosen.category || null,
      account_id: chosen.account || null,
    }
    const stored = { onSuccess: () => onStored({ day, account: values.account_id }) }
    if (row === null || seen === null) return changes.add.mutate({ ...values, transaction_date: day }, stored)
    // an unchanged day keeps its time
    const wanted = { ...values, ...(day !== dayOf(row) && { transaction_date: day }) }
    const changed = Object.fromEntries(Object.entries(wanted).filter(([field, value]) => row[field as keyof Transaction] !== value))
    if (Object.keys(changed).length === 0) return onClose()
    changes.save.mutate({ row: seen, changed: { values: changed } }, {
      ...stored,
      onError: (error) => error instanceof ChangedMeanwhile && setSeen(error.row),
    })
  }

  return (
    <div
      className='entry'
      role='group'
      aria-label={row === null ? 'New transaction' : `Edit ${row.name}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
        // a choice does not send a form by itself
        if (event.key !== 'Enter' || !(event.target instanceof HTMLSelectElement)) return
        event.preventDefault()
        event.target.form?.requestSubmit()
      }}
      onInput={({ target }) => {
        if (target instanceof HTMLInputElement && target.name === 'name') setName(target.value)
      }}
    >
      <Form error={work.error} onSubmit={submit}>
        <TextField name='name' label='Name' placeholder='Name' defaultValue={row?.name} list={names} maxLength={255} autoComplete='off' autoFocus required />
        <datalist id={names}>{[...new Set(choices.map((choice) => choice.name))].map((one) => <option key={one} value={one} />)}</datalist>
        <AmountField
          name='amount'
          label='Amount'
          value={amount}
          currency={currency}
          isNeverZero={row?.amount !== 0}
          onChange={setAmount}
          onDirection={setDirection}
          required
        />
        <DirectionChoice disabled={row?.transfer_id != null} value={chosen.direction} onChange={setDirection} />
        <Select name='category_id' label='Category' value={chosen.category} onChange={({ target }) => setCategory(target.value)}>
          <option value=''>No category</option>
          <Options of={categories} />
        </Select>
        <Select
          name='account_id'
          label='Account'
          hint={row !== null && amount !== null && currency !== row.currency ? `Becomes ${formatAmount(Math.abs(amount), currency)}` : undefined}
          value={chosen.account}
          onChange={({ target }) => setAccount(target.value)}
        >
          <option value=''>No account</option>
          <Options of={accounts} />
        </Select>
        <DateField name='transaction_date' label='Date' defaultValue={beginning.day} min={firstDay} max={lastDay} required />
        <div className='entry-buttons'>
          <SubmitButton isBusy={work.isPending}>{row === null ? 'Add' : 'Save'}</SubmitButton>
          <button type='button' className='quiet' onClick={onClose}>Close</button>
          {onDetails !== undefined && <button type='button' className='quiet' onClick={onDetails}>Details</button>}
        </div>
      </Form>
    </div>
  )
}
