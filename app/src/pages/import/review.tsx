/** The preview of an import: accounts, verdicts, and the import button. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Statement, StatementRow } from 'finance-client/import'
import { useMemo, useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, offered } from '../../data/accounts.ts'
import type { Answers, BankFile } from '../../data/bank-file.ts'
import { useChange } from '../../data/change.ts'
import type { Remembered } from '../../data/import-answers.ts'
import {
  importAll,
  isStored,
  type Judged,
  type Portion,
  usualOptions,
  verdictsQuery,
} from '../../data/imports.ts'
import { usualCurrency } from '../../locale/currencies.ts'
import { formatDay } from '../../locale/days.ts'
import { listOf } from '../../locale/lists.ts'
import { bankImport as m } from '../../messages/bank-import.ts'
import { ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'
import { Destination, HowItWasRead } from './destination.tsx'
import { ImportChoices } from './import-choices.tsx'
import { accountFor, type Choices, type Group, groupsOf, portionsOf } from './portions.ts'
import { VerdictTable } from './verdict-table.tsx'

type ReviewProps = {
  file: BankFile
  statement: Statement
  answers: Answers
  onAnswer: (answers: Answers) => void
  accounts: Account[]
  recalled: Remembered | undefined
  onDone: (what: Omit<Remembered, 'answers'>) => void
}

/** Returns the user's only account, for a file of one group in the same currency. */
const onlyAccount = (groups: Group[], [account, ...others]: Account[]): string =>
  groups.length === 1 && others.length === 0 &&
    (groups[0]?.currency ?? account?.currency) === account?.currency
    ? account?.id ?? ''
    : ''

const nameOf = (added: number, updated: number) =>
  listOf([
    ...added > 0 ? [m.newTransactions(added)] : [],
    ...updated > 0 ? [m.updates(updated)] : [],
  ])

/** The accounts and the currency that the review begins with. */
const initialChoices = (
  groups: Group[],
  accounts: Account[],
  recalled: Remembered | undefined,
): Choices => ({
  accounts: Object.fromEntries(
    groups.map((group) => [
      group.key,
      accountFor(group, groups, accounts, recalled?.accounts[group.key]) ||
      onlyAccount(groups, offered(accounts)),
    ]),
  ),
  currency: recalled?.currency ?? usualCurrency(accounts),
  withPending: false,
})

/** The accounts and the currency that the user chooses, and the portions that follow from them. */
function useDestination(
  statement: Statement,
  accounts: Account[],
  recalled: Remembered | undefined,
) {
  const groups = useMemo(() => groupsOf(statement), [statement])
  const [choices, setChoices] = useState(() => initialChoices(groups, accounts, recalled))
  const portions = useMemo(() => portionsOf(statement, groups, accounts, choices), [
    statement,
    groups,
    accounts,
    choices,
  ])
  return { groups, choices, setChoices, portions }
}

/** Returns the filters that show the stored rows. */
function searchOf(judged: Judged[], portions: Portion[]) {
  const days = judged.filter(isStored).map(({ row }) => row.transaction_date.slice(0, 10))
    .toSorted((one, other) => one < other ? -1 : 1)
  const [account, ...others] = portions.map(({ accountId }) => accountId)
  return {
    from: days[0],
    to: days.at(-1),
    ...(account != null && others.length === 0 && { account }),
  }
}

/** Returns the portions without the rows that the service refuses. */
function validPortions(portions: Portion[], judged: Judged[]): Portion[] {
  const wrong = new Set(
    judged.filter(({ verdict }) => verdict === 'invalid').map(({ row }) => row),
  )
  return portions.map((portion) => ({
    ...portion,
    rows: portion.rows.filter((row) => !wrong.has(row)),
  }))
}

/** Returns the suggested categories of the rows for which the user has accepted them. */
const categoriesOf = (judged: Judged[], accepted: ReadonlySet<StatementRow>) =>
  new Map(
    judged.flatMap(({ row, suggestedId }) =>
      suggestedId !== null && accepted.has(row) ? [[row, suggestedId]] : []
    ),
  )

/** The import, with a toast that leads to the stored rows. */
function useImport(fileName: string, judged: Judged[], portions: Portion[], onDone: () => void) {
  const toast = useToast()
  const navigate = useNavigate()
  return useChange(importAll, {
    onStored: (count) => {
      const search = searchOf(judged, portions)
      if (count === 0) toast(m.balanceSaved(fileName))
      else toast(m.importedFrom(count, fileName), {
          label: m.view,
          act: () => void navigate({ to: '/transactions', search }),
        })
      onDone()
    },
  })
}

export function Review(
  { file, statement, answers, onAnswer, accounts, recalled, onDone }: ReviewProps,
) {
  const { context } = useSessionContext()
  const { groups, choices, setChoices, portions } = useDestination(statement, accounts, recalled)
  const [progress, setProgress] = useState({ done: 0, of: 0 })
  const onProgress = (done: number, of: number) => setProgress({ done, of })
  const [options, setOptions] = useState(usualOptions)
  /** The rows that get their suggested category. */
  const [accepted, setAccepted] = useState<ReadonlySet<StatementRow>>(new Set())
  const order = { portions, fileName: file.name, options, onProgress }
  const verdicts = useQuery({
    ...verdictsQuery(context, [file.id, answers, choices], order),
    // the choices about rows that are there stay while their effect is computed
    placeholderData: keepPreviousData,
  })
  const isReady = verdicts.data !== undefined && !verdicts.isPlaceholderData
  const judged = isReady ? verdicts.data : []
  const store = useImport(
    file.name,
    judged,
    portions,
    () => onDone({ accounts: choices.accounts, currency: choices.currency }),
  )
  const hasBalance = portions.some(({ balance }) => balance !== null)
  const isDisabled = !judged.some(isStored) && !hasBalance || store.isPending
  const begin = () => {
    if (isDisabled) return
    store.mutate({
      ...order,
      portions: validPortions(portions, judged),
      accepted: categoriesOf(judged, accepted),
    })
  }
  return (
    <section aria-label={file.name}>
      <HowItWasRead file={file} statement={statement} answers={answers} onAnswer={onAnswer} />
      <Destination groups={groups} accounts={accounts} choices={choices} onChoose={setChoices} />
      <ImportChoices judged={verdicts.data ?? []} options={options} onChange={setOptions} />
      <ErrorNote error={verdicts.error ?? store.error} />
      {store.isError && progress.done > 0 && <p>{m.partlySaved(progress.done, progress.of)}</p>}
      {!isReady && !verdicts.isError && <Skeleton />}
      {(verdicts.isFetching || store.isPending) && progress.of > 1 && (
        <Progress {...progress} isStoring={store.isPending} />
      )}
      {portions.map(({ balance }, index) =>
        balance !== null && <p key={index}>{m.balanceHint(formatDay(balance.on))}</p>
      )}
      {isReady && (
        <VerdictTable
          key={verdicts.dataUpdatedAt}
          judged={judged}
          accepted={accepted}
          onAccept={setAccepted}
        />
      )}
      {isReady && <ImportButton {...{ judged, hasBalance, isDisabled }} onClick={begin} />}
    </section>
  )
}

type ProgressProps = { done: number, of: number, isStoring: boolean }

/** The progress of the comparison or of the import. */
const Progress = ({ done, of, isStoring }: ProgressProps) => (
  <p>
    <progress aria-label={isStoring ? m.importing : m.comparing} max={of} value={done} />{' '}
    {m.partOf(Math.min(done + 1, of), of)}
  </p>
)

type ImportButtonProps = {
  judged: Judged[]
  hasBalance: boolean
  isDisabled: boolean
  onClick: () => void
}

/** The button names the number of rows that it stores. */
function ImportButton({ judged, hasBalance, isDisabled, onClick }: ImportButtonProps) {
  const stored = judged.filter(isStored)
  const count = stored.length
  const updated =
    stored.filter(({ verdict }) => verdict === 'updated' || verdict === 'matched').length
  return (
    <div className='buttons'>
      <button type='button' className='primary' aria-disabled={isDisabled} onClick={onClick}>
        {m.submit(count, nameOf(count - updated, updated), hasBalance)}
      </button>
    </div>
  )
}
