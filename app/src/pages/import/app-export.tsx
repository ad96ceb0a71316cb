/** The import of another app's export: its accounts and categories, then one button. */
import { useQuery } from '@tanstack/react-query'
import type { Row } from 'finance-client'
import type { AppExport } from 'finance-client/import'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountTypes, type Account } from '../../data/accounts.ts'
import { appMatchesQuery, storeExport } from '../../data/app-exports.ts'
import type { BankFile } from '../../data/bank-file.ts'
import { useChange } from '../../data/change.ts'
import { usualCurrency } from '../../locale/currencies.ts'
import { bankImport as m } from '../../messages/bank-import.ts'
import { common } from '../../messages/common.ts'
import { fileErrorOf, fileSentence } from '../../parts/file-sentences.ts'
import { Field, Options } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'
import { ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { Notes, sentenceOf } from './destination.tsx'

type AppExportProps = {
  file: BankFile
  exported: AppExport
  accounts: Account[]
  onRows: () => void
  onDone: () => void
}

/** The types of new accounts by their names. */
type Types = Record<string, Row<'accounts'>['type']>

export function AppExportReview({ file, exported, accounts, onRows, onDone }: AppExportProps) {
  const { context } = useSessionContext()
  const toast = useToast()
  const matches = useQuery(appMatchesQuery(context, file.id, exported))
  const [currency, setCurrency] = useState(() => usualCurrency(accounts))
  const [types, setTypes] = useState<Types>({})
  const [progress, setProgress] = useState({ done: 0, of: 0 })
  const store = useChange(storeExport, {
    onStored: ({ count, problems }) => {
      toast(m.importedFrom(count, file.name))
      if (problems.length === 0) onDone()
    },
  })
  if (matches.error !== null) return <ErrorNote error={matches.error} />
  if (matches.data === undefined) return <Skeleton />
  const { accounts: known, categories } = matches.data
  const newAccounts = exported.accounts.filter(({ name }) => !known.has(name))
  const newCategories = exported.categories.filter(({ key }) => !categories.has(key))
  const problems = [
    ...exported.problems.map(sentenceOf),
    ...(store.data?.problems ?? []).map(fileSentence),
  ]
  const begin = () => {
    if (!store.isPending)
      store.mutate({
        exported,
        currency,
        types,
        onProgress: (done, of) => setProgress({ done, of }),
      })
  }
  return (
    <section aria-label={file.name}>
      <h2>{file.name}</h2>
      <p>{m.exportSummary(exported.transactions.length, exported.transfers.length)}</p>
      <NewAccounts
        {...{ newAccounts, currency, types }}
        onCurrency={setCurrency}
        onTypes={setTypes}
      />
      {known.size > 0 && <p>{m.existingAccounts([...known.values()].map(({ name }) => name))}</p>}
      {newCategories.length > 0 && <p>{m.newCategories(newCategories.map(({ name }) => name))}</p>}
      {problems.length > 0 && (
        <Notes title={m.exportProblems(problems.length)} notes={problems} isOpen />
      )}
      <ErrorNote error={fileErrorOf(store.error)} />
      {store.isPending && (
        <progress aria-label={m.importing} max={progress.of || 1} value={progress.done} />
      )}
      <div className='buttons'>
        <button type='button' className='primary' aria-disabled={store.isPending} onClick={begin}>
          {m.importAll(exported.transactions.length)}
        </button>
        <button type='button' className='quiet' onClick={onRows}>{m.importOnlyTransactions}</button>
      </div>
    </section>
  )
}

type NewAccountsProps = {
  newAccounts: AppExport['accounts']
  currency: string
  types: Types
  onCurrency: (currency: string) => void
  onTypes: (types: Types) => void
}

/** The types of new accounts, and the currency of those without one. */
const NewAccounts = (
  { newAccounts, currency, types, onCurrency, onTypes }: NewAccountsProps,
) => (
  <div className='form'>
    {newAccounts.map(({ name }) => (
      <Field key={name} name={`type ${name}`} label={m.newAccount(name)}>
        {(control) => (
          <select
            {...control}
            value={types[name] ?? 'checking'}
            onChange={({ target }) =>
              onTypes({ ...types, [name]: target.value as Row<'accounts'>['type'] })}
          >
            <Options of={accountTypes} />
          </select>
        )}
      </Field>
    ))}
    {newAccounts.some((account) => account.currency === undefined) && (
      <Field name='currency' label={common.currency} hint={m.exportCurrencyHint}>
        {(control) => (
          <input
            {...control}
            defaultValue={currency.toUpperCase()}
            maxLength={3}
            onChange={({ target }) =>
              target.value.length === 3 && onCurrency(target.value.toLowerCase())}
          />
        )}
      </Field>
    )}
  </div>
)
