/** The interpretation of a file, and the accounts of its rows. */
import { PRESETS, type Statement } from 'finance-client/import'
import { type Account, offered } from '../../data/accounts.ts'
import type { Answers, BankFile } from '../../data/bank-file.ts'
import { bankImport as m } from '../../messages/bank-import.ts'
import { common } from '../../messages/common.ts'
import { fileSentence } from '../../parts/file-sentences.ts'
import { Field } from '../../parts/form.tsx'
import { type Choices, type Group, lacksCurrency } from './portions.ts'

const formats = { csv: 'CSV', ofx: 'OFX', qif: 'QIF', camt: 'CAMT', mt940: 'MT940' }

const answersInWords = (answers: Answers): string[] => [
  ...answers.columns === undefined ? [] : [m.withColumns],
  ...answers.dateOrder === undefined
    ? []
    : [{ dmy: m.withDayFirst, mdy: m.withMonthFirst, ymd: m.withYearFirst }[answers.dateOrder]],
  ...answers.decimal === undefined
    ? []
    : [answers.decimal === ',' ? m.withDecimalComma : m.withDecimalPoint],
  ...answers.negate === undefined
    ? []
    : [answers.negate ? m.withUnsignedAsExpenses : m.withUnsignedAsIncome],
  ...answers.directions === undefined ? [] : [m.withDirectionWords],
  ...answers.statuses === undefined ? [] : [m.withStatusWords],
  ...answers.account === undefined
    ? []
    : [answers.account === false ? m.withOneAccount : m.withAccountsBy(String(answers.account))],
  ...answers.encoding === undefined ? [] : [m.withEncoding(answers.encoding)],
  ...answers.roundAmounts === undefined
    ? []
    : [answers.roundAmounts ? m.withRoundedAmounts : m.withoutLongDecimals],
  ...answers.fee === undefined ? [] : [answers.fee ? m.withFeesOnTop : m.withFeesIncluded],
]

type HowProps = {
  file: BankFile
  statement: Statement
  answers: Answers
  onAnswer: (answers: Answers) => void
}

export function HowItWasRead(
  { file, statement: { format, preset, rows, problems }, answers, onAnswer }: HowProps,
) {
  const given = answersInWords(answers)
  const lost = problems.filter(({ row }) => row === undefined)
  const notes = problems.filter(({ row }) => row !== undefined)
  return (
    <>
      <h2>{file.name}</h2>
      <p>
        {preset === undefined ? formats[format] : PRESETS[preset].bank}
        {m.rows(rows.length)}
        {given.length > 0 && m.readWith(given)}.{' '}
        {given.length > 0 && (
          <button type='button' className='quiet' onClick={() => onAnswer({})}>
            {m.readAgain}
          </button>
        )}
      </p>
      {lost.length > 0 && (
        <Notes title={m.skippedLines(lost.length)} notes={lost.map(sentenceOf)} isOpen />
      )}
      {notes.length > 0 && (
        <Notes
          title={m.lineNotes(notes.length)}
          notes={notes.map(sentenceOf)}
        />
      )}
      {format === 'csv' && preset === undefined && (
        <label className='check'>
          <input
            type='checkbox'
            checked={answers.negate === true}
            onChange={({ target }) => onAnswer({ ...answers, negate: target.checked })}
          />
          {m.expensesHaveNoMinus}
        </label>
      )}
    </>
  )
}

/** Sentences about lines. Skipped lines are visible at once. */
export const Notes = (
  { title, notes, isOpen = false }: { title: string, notes: string[], isOpen?: boolean },
) => (
  <details className='import-notes' open={isOpen}>
    <summary className={isOpen ? 'field-problem' : undefined}>{title}</summary>
    <ul>{notes.slice(0, 200).map((note, index) => <li key={index}>{note}</li>)}</ul>
  </details>
)

export const sentenceOf = ({ line, message, file }: Statement['problems'][number]): string =>
  m.line(line, fileSentence(message), file)

type DestinationProps = {
  groups: Group[]
  accounts: Account[]
  choices: Choices
  onChoose: (choices: Choices) => void
}

export function Destination({ groups, accounts, choices, onChoose }: DestinationProps) {
  const pending =
    groups.flatMap(({ rows }) => rows).filter(({ status }) => status === 'pending').length
  return (
    <div className='form'>
      {groups.map((group) => (
        <AccountField key={group.key} {...{ group, accounts, choices, onChoose }} />
      ))}
      {groups.some((group) => lacksCurrency(group, choices)) && (
        <Field name='currency' label={common.currency} hint={m.currencyHint}>
          {(control) => (
            <input
              {...control}
              defaultValue={choices.currency.toUpperCase()}
              maxLength={3}
              onChange={({ target }) =>
                target.value.length === 3 &&
                onChoose({ ...choices, currency: target.value.toLowerCase() })}
            />
          )}
        </Field>
      )}
      {pending > 0 && (
        <label className='check'>
          <input
            type='checkbox'
            checked={choices.withPending}
            onChange={({ target }) => onChoose({ ...choices, withPending: target.checked })}
          />
          {m.importPending(pending)}
        </label>
      )}
    </div>
  )
}

type AccountFieldProps = Omit<DestinationProps, 'groups'> & { group: Group }

/** The account of a group of rows. */
const AccountField = ({ group, accounts, choices, onChoose }: AccountFieldProps) => (
  <Field
    name={`account ${group.key}`}
    label={group.account === null && group.key === ''
      ? common.account
      : m.accountFor(group.account?.name ?? group.key)}
    hint={`${group.rows.length} ${m.rowOrRows(group.rows.length)}${
      accounts.length > 0 && !choices.accounts[group.key]
        ? m.noAccountHint
        : m.withoutAccounts(accounts.length)
    }`}
  >
    {(control) => (
      <select
        {...control}
        value={choices.accounts[group.key] ?? ''}
        onChange={({ target }) =>
          onChoose({
            ...choices,
            accounts: { ...choices.accounts, [group.key]: target.value },
          })}
      >
        <option value=''>{m.noAccount}</option>
        {offered(accounts, choices.accounts[group.key]).map(({ id, name, currency }) => (
          <option key={id} value={id}>{`${name} (${currency.toUpperCase()})`}</option>
        ))}
      </select>
    )}
  </Field>
)
