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
import { importAll, isStored, usualOptions, verdictsQuery } from '../../data/imports.ts'
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

export function Review(
  { file, statement, answers, onAnswer, accounts, recalled, onDone }: ReviewProps,
) {
  const { context } = useSessionContext()
  const toast = useToast()
  const navigate = useNavigate()
  const groups = useMemo(() => groupsOf(statement), [statement])
  const [choices, setChoices] = useState<Choices>(() => ({
    accounts: Object.fromEntries(
      groups.map((group) => [
        group.key,
        accountFor(group, groups, accounts, recalled?.accounts[group.key]) ||
        onlyAccount(groups, offered(accounts)),
      ]),
    ),
    currency: recalled?.currency ?? usualCurrency(accounts),
    withPending: false,
  }))
  const [progress, setProgress] = useState({ done: 0, of: 0 })
  const onProgress = (done: number, of: number) => setProgress({ done, of })
  const portions = useMemo(() => portionsOf(statement, groups, accounts, choices), [
    statement,
    groups,
    accounts,
    choices,
  ])
  const [options, setOptions] = useState(usualOptions)
  /** The rows that get their suggested category. */
  const [accepted, setAccepted] = useState<ReadonlySet<StatementRow>>(new Set())
  const verdicts = useQuery({
    ...verdictsQuery(context, [file.id, answers, choices], {
      portions,
      fileName: file.name,
      options,
      onProgress,
    }),
    // the choices about rows that are there stay while their effect is computed
    placeholderData: keepPreviousData,
  })
  const store = useChange(importAll, {
    onStored: (count) => {
      const days = judged.filter(isStored).map(({ row }) => row.transaction_date.slice(0, 10))
        .toSorted((one, other) => one < other ? -1 : 1)
      const [account, ...others] = portions.map(({ accountId }) => accountId)
      const search = {
        from: days[0],
        to: days.at(-1),
        ...(account != null && others.length === 0 && { account }),
      }
      if (count === 0) toast(m.balanceSaved(file.name))
      else toast(m.importedFrom(count, file.name), {
          label: m.view,
          act: () => void navigate({ to: '/transactions', search }),
        })
      onDone({ accounts: choices.accounts, currency: choices.currency })
    },
  })
  const isReady = verdicts.data !== undefined && !verdicts.isPlaceholderData
  const judged = isReady ? verdicts.data : []
  const stored = judged.filter(isStored)
  const updated =
    stored.filter(({ verdict }) => verdict === 'updated' || verdict === 'matched').length
  const count = stored.length
  const hasBalance = portions.some(({ balance }) => balance !== null)
  const begin = () => {
    if (store.isPending || count === 0 && !hasBalance) return
    const wrong = new Set(
      judged.filter(({ verdict }) => verdict === 'invalid').map(({ row }) => row),
    )
    const good = portions.map((portion) => ({
      ...portion,
      rows: portion.rows.filter((row) => !wrong.has(row)),
    }))
    const categories = new Map(
      judged.flatMap(({ row, suggestedId }) =>
        suggestedId !== null && accepted.has(row) ? [[row, suggestedId]] : []
      ),
    )
    store.mutate({ portions: good, fileName: file.name, options, accepted: categories, onProgress })
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
        <p>
          <progress
            aria-label={store.isPending ? m.importing : m.comparing}
            max={progress.of}
            value={progress.done}
          />{' '}
          {m.partOf(Math.min(progress.done + 1, progress.of), progress.of)}
        </p>
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
      {isReady && (
        <div className='buttons'>
          <button
            type='button'
            className='primary'
            aria-disabled={count === 0 && !hasBalance || store.isPending}
            onClick={begin}
          >
            {m.submit(count, nameOf(count - updated, updated), hasBalance)}
          </button>
        </div>
      )}
    </section>
  )
}
