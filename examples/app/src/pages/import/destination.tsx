/** The interpretation of a file, and the accounts of its rows. */
import { PRESETS, type Statement } from 'finance-client/import'
import type { Account } from '../../data/accounts.ts'
import type { Answers, BankFile } from '../../data/bank-file.ts'
import { Field } from '../../parts/form.tsx'
import { type Choices, type Group, lacksCurrency } from './portions.ts'

const formats = { csv: 'CSV', ofx: 'OFX', qif: 'QIF', camt: 'CAMT.053' }

const words = (answers: Answers): string[] => [
  ...answers.columns === undefined ? [] : ['the columns as you said'],
  ...answers.dateOrder === undefined ? [] : [answers.dateOrder === 'mdy' ? 'the month first' : 'the day first'],
  ...answers.decimal === undefined ? [] : [answers.decimal === ',' ? 'a comma before decimals' : 'a point before decimals'],
  ...answers.negate === undefined ? [] : [answers.negate ? 'amounts without a minus as spent' : 'amounts without a minus as income'],
  ...answers.directions === undefined ? [] : ['the words for in and out as you said'],
  ...answers.statuses === undefined ? [] : ['the words for booked and pending as you said'],
  ...answers.account === undefined ? [] : [answers.account === false ? 'all rows as one account' : `accounts by “${answers.account}”`],
  ...answers.encoding === undefined ? [] : [`the letters of ${answers.encoding}`],
  ...answers.roundAmounts === undefined ? [] : [answers.roundAmounts ? 'amounts rounded' : 'amounts of more decimals left out'],
  ...answers.fee === undefined ? [] : [answers.fee ? 'fees taken off the amounts' : 'amounts with their fees in them'],
]

type HowProps = { file: BankFile, statement: Statement, answers: Answers, onAnswer: (answers: Answers) => void }

export function HowItWasRead({ file, statement: { format, preset, rows, problems }, answers, onAnswer }: HowProps) {
  const said = words(answers)
  const lost = problems.filter(({ row }) => row === undefined)
  const notes = problems.filter(({ row }) => row !== undefined)
  return (
    <>
      <h2>{file.name}</h2>
      <p>
        {preset === undefined ? formats[format] : PRESETS[preset].bank}, {rows.length} {rows.length === 1 ? 'row' : 'rows'}
        {said.length > 0 && `, read with ${said.join(' and ')}`}.{' '}
        {said.length > 0 && <button type='button' className='quiet' onClick={() => onAnswer({})}>Read it anew</button>}
      </p>
      {lost.length > 0 && <Lines title={`Wrong: ${lost.length === 1 ? 'one line is' : `${lost.length} lines are`} left out`} problems={lost} isOpen />}
      {notes.length > 0 && <Lines title={`${notes.length === 1 ? 'One note' : `${notes.length} notes`} on lines of the file`} problems={notes} />}
      {format === 'csv' && preset === undefined && (
        <label className='check'>
          <input type='checkbox' checked={answers.negate === true} onChange={({ target }) => onAnswer({ ...answers, negate: target.checked })} />
          What was spent has no minus in this file
        </label>
      )}
    </>
  )
}

/** Problems of lines. Skipped lines are visible at once. */
const Lines = ({ title, problems, isOpen = false }: { title: string, problems: Statement['problems'], isOpen?: boolean }) => (
  <details className='notes' open={isOpen}>
    <summary className={isOpen ? 'field-problem' : undefined}>{title}</summary>
    <ul>{problems.slice(0, 200).map(({ line, message }, index) => <li key={index}>Line {line}: {message}</li>)}</ul>
  </details>
)

type DestinationProps = { groups: Group[], accounts: Account[], choices: Choices, onChoose: (choices: Choices) => void }

export function Destination({ groups, accounts, choices, onChoose }: DestinationProps) {
  const pending = groups.flatMap(({ rows }) => rows).filter(({ status }) => status === 'pending').length
  return (
    <div className='form'>
      {groups.map((group) => (
        <Field
          key={group.key}
          name={`account ${group.key}`}
          label={group.account === null ? 'Account' : `Account for ${group.account.name}`}
          hint={`${group.rows.length} ${group.rows.length === 1 ? 'row' : 'rows'}${
            accounts.length === 0 ? '. You have no account yet; rows can be without one.' : ''
          }`}
        >
          {(control) => (
            <select
              {...control}
              value={choices.accounts[group.key] ?? ''}
              onChange={({ target }) => onChoose({ ...choices, accounts: { ...choices.accounts, [group.key]: target.value } })}
            >
              <option value=''>No account</option>
              {accounts.map(({ id, name, currency }) => <option key={id} value={id}>{`${name} (${currency.toUpperCase()})`}</option>)}
            </select>
          )}
        </Field>
      ))}
      {groups.some((group) => lacksCurrency(group, choices)) && (
        <Field name='currency' label='Currency' hint='The file does not say it, and no account does.'>
          {(control) => (
            <input
              {...control}
              defaultValue={choices.currency.toUpperCase()}
              maxLength={3}
              onChange={({ target }) => target.value.length === 3 && onChoose({ ...choices, currency: target.value.toLowerCase() })}
            />
          )}
        </Field>
      )}
      {pending > 0 && (
        <label className='check'>
          <input type='checkbox' checked={choices.withPending} onChange={({ target }) => onChoose({ ...choices, withPending: target.checked })} />
          Import the {pending} pending too. Many banks book them later as others, and then they are there twice.
        </label>
      )}
    </div>
  )
}
