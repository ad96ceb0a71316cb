/** The form that creates a transaction, or edits one in its place. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSessionContext } from '../shell/session-context.tsx'
import { type Account, accountsQuery, offered, useUsualCurrency } from '../data/accounts.ts'
import { categoriesQuery, useCategoryCreation } from '../data/categories.ts'
import { changedFields } from '../data/changed-fields.ts'
import { suggestionsQuery, type Transaction } from '../data/transactions/api.ts'
import { dayOf } from '../data/transactions/day.ts'
import type { TransactionChanges } from '../data/transactions/changes.ts'
import { payeesOf, usualOf } from '../data/transactions/payees.ts'
import { ChangedMeanwhile, noticeOf } from '../data/transactions/conflict.ts'
import { formatAmount } from '../locale/amounts.ts'
import { firstDay, lastDay, today } from '../locale/days.ts'
import { common } from '../messages/common.ts'
import { transactions as m } from '../messages/transactions.ts'
import { ComboboxField } from './combobox.tsx'
import { DateField } from './date-field.tsx'
import { Form, SubmitButton } from './form.tsx'
import { Meanwhile } from './meanwhile.tsx'
import { AmountField, type Direction } from './money-fields.tsx'
import { SuggestingField } from './suggesting-field.tsx'
import '../styles/entry.css'

/** The day and the account of the former row, which the next one starts with. */
type Former = { day: string, account: string | null }

/**
 * The account and the category that the page suggests for a new row; null for none. A copy also has
 * a name and a signed amount.
 */
export type Beginning = {
  account: string | null
  category: string | null
  name?: string
  amount?: number
}

/** A form for new rows. It is empty again after each, and keeps the day and the account. */
export function NewEntry(
  { begin, changes, onClose }: {
    begin: Beginning
    changes: TransactionChanges
    onClose: () => void
  },
) {
  const [turn, setTurn] = useState(0)
  const [former, setFormer] = useState<Former>({ day: today(), account: null })
  const next = (last: Former) => {
    setFormer(last)
    setTurn(turn + 1)
  }
  return (
    <Entry
      key={turn}
      row={null}
      begin={begin}
      former={former}
      changes={changes}
      onStored={next}
      onClose={onClose}
    />
  )
}

/** A form for one new row that begins with the values of another. */
export const CopiedEntry = (
  { begin, changes, onClose }: {
    begin: Beginning
    changes: TransactionChanges
    onClose: () => void
  },
) => (
  <Entry
    row={null}
    begin={begin}
    former={{ day: today(), account: null }}
    changes={changes}
    onStored={onClose}
    onClose={onClose}
  />
)

/** Edits a row. Stores only changed fields, because another user may change the others. */
export const EditEntry = ({ row, ...rest }: EditEntryProps) => (
  <Entry
    row={row}
    former={{ day: dayOf(row), account: row.account_id }}
    onStored={rest.onClose}
    {...rest}
  />
)

type EditEntryProps = Pick<EntryProps, 'isGone' | 'changes' | 'onClose' | 'onDetails'> & {
  row: Transaction
}

type EntryProps = {
  row: Transaction | null
  /** Whether the row is no longer in the list. */
  isGone?: boolean
  begin?: Beginning
  former: Former
  changes: TransactionChanges
  onStored: (last: Former) => void
  onClose: () => void
  onDetails?: () => void
}

/** null in a choice follows the suggestion for the name. */
type Values = {
  name: string
  amount: number | null
  direction: Direction | null
  category_id: string | null
  account_id: string | null
  transaction_date: string
}

/** Everything that the suggestions for a row follow from. */
type Basis = {
  row: Transaction | null
  former: Former
  accounts: readonly Account[]
  /** The latest transactions, the newest first. */
  latest: Parameters<typeof usualOf>[0]
  /** The usual currency of the context. */
  usual: string
}

function useBasis(row: Transaction | null, former: Former): Basis {
  const { context, user } = useSessionContext()
  const accounts = offered(useQuery(accountsQuery(context)).data ?? [], row?.account_id)
  const latest = useQuery(suggestionsQuery(context, user.id)).data ?? []
  const usual = useUsualCurrency()
  return { row, former, accounts, latest, usual }
}

/** Returns the values of the form, with suggestions for those that the user has not chosen. */
function chosenOf({ row, former, accounts, latest, usual }: Basis, values: Values) {
  const last = usualOf(latest, values.name)
  const likely = [
    last?.account_id,
    former.account,
    accounts.length === 1 ? accounts[0]?.id : latest[0]?.account_id,
  ]
  const account_id = values.account_id ??
    likely.find((some) => accounts.some(({ id }) => id === some)) ?? ''
  return {
    // the usual amount of a payee is only a suggestion for a new row
    amount: values.amount ?? (row === null && last !== undefined ? Math.abs(last.amount) : null),
    direction: values.direction ?? (last !== undefined && last.amount > 0 ? 'in' : 'out'),
    category_id: values.category_id ?? last?.category_id ?? '',
    account_id,
    // the currency of a row is the one of its account
    currency: accounts.find(({ id }) => id === account_id)?.currency ?? row?.currency ?? usual,
  }
}

/** Returns the columns of the form's values; null without an amount. */
function columnsOf(basis: Basis, values: Values) {
  const { amount, ...chosen } = chosenOf(basis, values)
  return amount === null ? null : {
    currency: chosen.currency,
    name: values.name,
    amount: chosen.direction === 'in' ? Math.abs(amount) : -Math.abs(amount),
    category_id: chosen.category_id || null,
    account_id: chosen.account_id || null,
  }
}

/** Stores a new row, or the changed fields of an existing one. */
function useStoring(basis: Basis, props: EntryProps) {
  const { changes, onStored, onClose: close } = props
  const { row } = basis
  /** The row as the user last saw it. */
  const [seen, setSeen] = useState(props.row)
  const work = row === null ? changes.add : changes.save
  const { reset } = work
  // errors do not carry over to the next line
  useEffect(() => reset, [reset])
  const onClose = () => {
    // the list kept the row until now, even if another user changed or deleted it
    if (row !== null && work.isError) void changes.renew([row]).catch(() => undefined)
    close()
  }
  const submit = (values: Values) => {
    const { transaction_date: day } = values
    const next = columnsOf(basis, values)
    if (next === null || work.isPending) return
    const onSuccess = () => onStored({ day, account: next.account_id })
    if (row === null || seen === null)
      return changes.add.mutate({ ...next, transaction_date: day }, { onSuccess })
    // an unchanged day keeps its time
    const wanted = { ...next, ...(day !== dayOf(row) && { transaction_date: day }) }
    const changed = changedFields(row, wanted)
    if (Object.keys(changed).length === 0) return onClose()
    changes.save.mutate({ row: seen, changed: { values: changed } }, {
      onSuccess,
      onError: (error) => error instanceof ChangedMeanwhile && setSeen(error.row),
    })
  }
  return { seen, work, submit, onClose }
}

/** The values that the form begins with. */
function valuesOf(row: Transaction | null, begin: Beginning | undefined, day: string): Values {
  const amount = row?.amount ?? begin?.amount
  return {
    name: row?.name ?? begin?.name ?? '',
    amount: amount === undefined ? null : Math.abs(amount),
    direction: amount === undefined ? null : amount > 0 ? 'in' : 'out',
    category_id: row === null ? begin?.category ?? null : row.category_id ?? '',
    account_id: row === null ? begin?.account ?? null : row.account_id ?? '',
    transaction_date: day,
  }
}

function Entry(props: EntryProps) {
  const { row: shownRow, isGone = false, begin, former, onDetails } = props
  // the row as it was opened, so that changes of other users are not stored as the user's
  const [row] = useState(shownRow)
  const basis = useBasis(row, former)
  const { seen, work, submit, onClose } = useStoring(basis, props)
  const notice = isGone
    ? m.conflict.gone
    : seen !== null && shownRow !== null
    ? noticeOf(seen, shownRow)
    : null
  return (
    <div
      className='entry'
      role='group'
      aria-label={row === null ? m.newTransaction : common.editOf(row.name)}
      onKeyDown={(event) => {
        // an open list takes the key
        const isInList = event.target instanceof Element &&
          event.target.getAttribute('aria-expanded') === 'true'
        if (event.key === 'Escape' && !isInList) onClose()
      }}
    >
      {row !== null && <Meanwhile text={work.isIdle ? notice : null} />}
      <Form
        draft={row !== null
          ? `transaction ${row.id}`
          : begin?.name === undefined
          ? 'entry new'
          : undefined}
        defaultValues={valuesOf(row, begin, former.day)}
        error={work.error}
        onSubmit={submit}
      >
        {({ watch }) => (
          <>
            <Fields basis={basis} values={watch()} />
            <div className='entry-buttons'>
              <SubmitButton isBusy={work.isPending}>
                {row === null ? m.add : common.save}
              </SubmitButton>
              <button type='button' className='quiet' onClick={onClose}>{m.close}</button>
              {onDetails !== undefined && (
                <button type='button' className='quiet' onClick={onDetails}>{m.details}</button>
              )}
            </div>
          </>
        )}
      </Form>
    </div>
  )
}

/** The fields of a line. Empty choices show their suggestions. */
function Fields({ basis, values }: { basis: Basis, values: Values }) {
  const { row, accounts } = basis
  const { context } = useSessionContext()
  const categories = useQuery(categoriesQuery(context)).data ?? []
  const createCategory = useCategoryCreation()
  const { amount, direction, category_id, account_id, currency } = chosenOf(basis, values)
  return (
    <>
      <SuggestingField
        name='name'
        label={common.name}
        suggestions={row === null ? payeesOf(basis.latest) : []}
        maxLength={255}
        autoFocus
        required
      />
      <AmountField
        name='amount'
        label={common.amount}
        currency={currency}
        fallback={amount}
        isNeverZero={row?.amount !== 0}
        direction='direction'
        sign={{
          direction: direction === 'in' ? 'in' : 'out',
          isFixed: row?.transfer_id != null,
        }}
        required
      />
      <ComboboxField
        name='category_id'
        label={common.category}
        of={categories}
        none={m.noCategory}
        fallback={category_id}
        onCreate={(created) => createCategory(created, direction === 'in')}
      />
      <ComboboxField
        name='account_id'
        label={common.account}
        hint={row !== null && values.amount !== null && currency !== row.currency
          ? m.calculated(formatAmount(Math.abs(values.amount), currency))
          : undefined}
        of={accounts}
        none={m.noAccount}
        fallback={account_id}
      />
      <DateField
        name='transaction_date'
        label={m.date}
        min={firstDay}
        max={lastDay}
        required
      />
    </>
  )
}
