/** Questions about a file that its content does not answer. */
import { useQuery } from '@tanstack/react-query'
import type { Problem } from 'finance-client/import'
import { useForm, type UseFormRegisterReturn } from 'react-hook-form'
import { type Answers, type BankFile, bankFileQuery } from '../../data/bank-file.ts'
import { formatDay } from '../../locale/days.ts'
import { listOf } from '../../locale/lists.ts'
import { locale } from '../../locale/language.ts'
import { bankImport as m } from '../../messages/bank-import.ts'
import { common } from '../../messages/common.ts'
import { Field, Options } from '../../parts/form.tsx'

type Choice = { value: string, name: string }

const orders: Record<string, string> = { dmy: m.dayFirst, mdy: m.monthFirst, ymd: m.yearFirst }

const amountsOf = (text: string): Choice[] =>
  [{ value: '.', name: m.decimalPoint }, { value: ',', name: m.decimalComma }].map(
    ({ value, name }) => {
      const digits = text.replace(/[^\d.,]/g, '').replaceAll(value === '.' ? ',' : '.', '').replace(
        ',',
        '.',
      )
      const amount = Number(digits)
      return {
        value,
        name: digits === '' || Number.isNaN(amount)
          ? name
          : `${name}: ${
            new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(amount)
          }`,
      }
    },
  )

/** @param text an amount with its name, such as `-3.50 Shop` */
const signsOf = (text: string): Choice[] => {
  const isBelow = /^[-−–(]/.test(text)
  return [{ value: 'true', name: isBelow ? m.moneyReceived : m.moneySpent }, {
    value: 'false',
    name: isBelow ? m.moneySpent : m.moneyReceived,
  }]
}

type Option = NonNullable<Problem['option']>
type Question = { legend: string, choices: Choice[] }
type Open = Problem & { option: Option, unclear: string[] }

const together = (one: (text: string) => string, several: string, unclear: string[]) =>
  unclear.length > 1 ? `${several}: ${listOf(unclear)}` : one(unclear[0] ?? '')

/** Questions with one answer. */
const single: Partial<Record<Option, (problem: Open) => Question>> = {
  dateOrder: ({ unclear, choices = [] }) => ({
    legend: together((text) => m.dateQuestion(text), m.mixedDates, unclear),
    choices: choices.map(({ value, sample }) => ({
      value,
      name: sample === '' ? orders[value] ?? '' : `${orders[value]}: ${formatDay(sample)}`,
    })),
  }),
  decimal: ({ unclear }) => ({
    legend: together((text) => m.amountQuestion(text), m.mixedAmounts, unclear),
    choices: amountsOf(unclear[0] ?? ''),
  }),
  negate: ({ unclear }) => ({
    legend: m.signQuestion(unclear[0] ?? ''),
    choices: signsOf(unclear[0] ?? ''),
  }),
  account: ({ choices = [] }) => ({
    legend: m.accountQuestion,
    choices: [...choices.map(({ value, sample }) => ({ value, name: `${value}: ${sample}` })), {
      value: '',
      name: m.oneAccount,
    }],
  }),
  encoding: ({ choices = [] }) => ({
    legend: m.encodingQuestion,
    choices: choices.map(({ value, sample }) => ({ value, name: `${sample} (${value})` })),
  }),
  roundAmounts: ({ unclear }) => ({
    legend: m.tooManyDecimals(unclear[0] ?? ''),
    choices: [{ value: 'true', name: m.roundAmounts }, { value: 'false', name: m.skipRows }],
  }),
  fee: ({ unclear }) => ({
    legend: m.feeQuestion(listOf((unclear[0] ?? '').split(' and '))),
    choices: [{ value: 'true', name: m.feeOnTop }, { value: 'false', name: m.feeIncluded }],
  }),
}

/** Questions with an answer per word. */
const wordQuestions = {
  directions: {
    legend: m.directionQuestion,
    choices: { out: m.moneyOut, in: m.moneyIn, sign: m.bySign },
  },
  statuses: {
    legend: m.statusQuestion,
    choices: { paid: m.posted, pending: m.pending, failed: m.failed },
  },
} as const

const isOfWords = (option: Option): option is keyof typeof wordQuestions => option in wordQuestions

const asAnswer = (option: Option, value: string): string | boolean =>
  option === 'negate' || option === 'roundAmounts' || option === 'fee'
    ? value === 'true'
    : option === 'account' && value === ''
    ? false
    : value

/** Returns the questions of a file, each option once. */
const openOf = (problems: Problem[]): Open[] => {
  const all = problems.flatMap((problem): Open[] =>
    problem.option === undefined ? [] : [{ unclear: [], ...problem, option: problem.option }]
  )
  return all.filter(({ option }, at) => all.findIndex((other) => other.option === option) === at)
}

/** Returns a key for a set of questions. */
export const questionsOf = (problems: Problem[]): string =>
  openOf(problems).map(({ option, unclear }) => `${option} ${unclear.join(' ')}`).join('; ')

/** Number of rows in the preview. */
const previewed = 5

/** Rows with the current answers. */
function Preview({ file, answers }: { file: BankFile, answers: Answers }) {
  const read = useQuery(bankFileQuery(file, answers))
  if (read.data === undefined || 'refusal' in read.data || read.data.statement.rows.length === 0)
    return null
  const { rows, accounts } = read.data.statement
  const accountOf = new Map(
    accounts.flatMap((account) =>
      account.rows.map((row) => [row, account.name ?? account.id] as const)
    ),
  )
  return (
    <table aria-label={m.preview}>
      <thead>
        <tr>
          <th>{m.day}</th>
          <th>{common.name}</th>
          <th className='amount'>{common.amount}</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, previewed).map((row, index) => (
          <tr key={index}>
            <td>{formatDay(row.transaction_date)}</td>
            <th scope='row'>
              {row.name}
              {accounts.length > 1 && <small>{accountOf.get(row)}</small>}
              {row.status !== undefined && row.status !== 'paid' && (
                <small>{common.statuses[row.status]}</small>
              )}
            </th>
            <td className='amount'>
              {new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(row.amount)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type QuestionsProps = {
  file: BankFile
  problems: Problem[]
  answers: Answers
  onAnswer: (answers: Answers) => void
}

/** A word may contain any character, so fields are named by its index. */
const namesOf = ({ option, unclear }: Open) =>
  isOfWords(option) ? unclear.map((_, index) => `${option}-${index}`) : [option]

/** The input by the names of the fields. */
type Given = Record<string, string | null>

/** Returns former answers with those of the form. */
const withGiven = (answers: Answers, open: Open[], given: Given): Answers => ({
  ...answers,
  ...Object.fromEntries(open.flatMap(({ option, unclear }): Array<[string, unknown]> => {
    if (!isOfWords(option))
      return given[option] == null
        ? []
        : [[option, asAnswer(option, given[option])]]
    return [[option, {
      ...answers[option],
      ...Object.fromEntries(
        unclear.map((word, index) => [word, given[`${option}-${index}`] ?? '']),
      ),
    }]]
  })),
})

export function Questions({ file, problems, answers, onAnswer }: QuestionsProps) {
  const open = openOf(problems)
  const { register, handleSubmit, watch } = useForm<Given>()
  const given = watch()
  const isDone = open.every((problem) =>
    namesOf(problem).every((name) =>
      Boolean(given[name]) || (name === 'account' && given[name] === '')
    )
  )
  const all = withGiven(answers, open, given)
  return (
    <form
      className='form'
      onSubmit={(event) => void handleSubmit(() => isDone && onAnswer(all))(event)}
    >
      <p>{m.questionsHint}</p>
      {open.map((problem) => {
        const { option, unclear } = problem
        const question = single[option]?.(problem)
        return question !== undefined
          ? <SingleAnswer key={option} {...question} radio={register(option)} />
          : isOfWords(option) &&
            unclear.map((word, index) => (
              <WordAnswer
                key={word}
                {...{ option, word }}
                select={register(`${option}-${index}`)}
              />
            ))
      })}
      {isDone && <Preview file={file} answers={all} />}
      <div className='buttons'>
        <button type='submit' className='primary'>{m.read}</button>
      </div>
    </form>
  )
}

type SingleAnswerProps = Question & { radio: UseFormRegisterReturn }

const SingleAnswer = ({ legend, choices, radio }: SingleAnswerProps) => (
  <fieldset className='import-choices'>
    <legend>{legend}</legend>
    {choices.map(({ value, name }) => (
      <label key={value}>
        <input type='radio' value={value} required {...radio} />
        {name}
      </label>
    ))}
  </fieldset>
)

type WordAnswerProps = {
  option: keyof typeof wordQuestions
  word: string
  select: UseFormRegisterReturn
}

/** The meaning of a word. */
const WordAnswer = ({ option, word, select }: WordAnswerProps) => (
  <Field name={select.name} label={`${wordQuestions[option].legend} “${word || m.emptyWord}”`}>
    {(control) => (
      <select required {...control} {...select}>
        <option value=''>{m.choose}</option>
        <Options of={wordQuestions[option].choices} />
      </select>
    )}
  </Field>
)
