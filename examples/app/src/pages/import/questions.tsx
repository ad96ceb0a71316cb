/** What nothing in the file decides, asked with the file's own words. */
import type { Problem } from 'finance-client/import'
import { useState } from 'react'
import type { Answers } from '../../data/bank-file.ts'
import { formatDay } from '../../locale/days.ts'

type Choice = { value: string, name: string }

const two = (text: string) => text.padStart(2, '0')

/** A day such as 03/04/2025, read in an order; undefined where it is not written so. */
function dayIn(text: string, isDayFirst: boolean): string | undefined {
  const [, first = '', second = '', year = ''] = /^(\d{1,2})\D(\d{1,2})\D(\d{2,4})/.exec(text.trim()) ?? []
  const [day, month] = isDayFirst ? [first, second] : [second, first]
  return year === '' || Number(month) > 12 ? undefined : `${year.length === 2 ? `20${year}` : year}-${two(month)}-${two(day)}`
}

const daysOf = (text: string): Choice[] =>
  [{ value: 'dmy', name: 'The day is first' }, { value: 'mdy', name: 'The month is first' }].map(({ value, name }) => {
    const day = dayIn(text, value === 'dmy')
    return { value, name: day === undefined ? name : `${name}: ${formatDay(day)}` }
  })

const amountsOf = (text: string): Choice[] =>
  [{ value: '.', name: 'A point stands before decimals' }, { value: ',', name: 'A comma stands before decimals' }].map(({ value, name }) => {
    const digits = text.replace(/[^\d.,]/g, '').replaceAll(value === '.' ? ',' : '.', '').replace(',', '.')
    const amount = Number(digits)
    return {
      value,
      name: digits === '' || Number.isNaN(amount) ? name : `${name}: ${new Intl.NumberFormat(undefined, { minimumFractionDigits: 2 }).format(amount)}`,
    }
  })

const asked = {
  dateOrder: { one: (text: string) => `Which day is ${text}?`, several: 'The dates are written in different ways', choicesOf: daysOf },
  decimal: { one: (text: string) => `How much is ${text}?`, several: 'The amounts are written in different ways', choicesOf: amountsOf },
}

export function Questions({ problems, onAnswer }: { problems: Problem[], onAnswer: (answers: Answers) => void }) {
  const [said, setSaid] = useState<Record<string, string>>({})
  const open = problems.flatMap(({ option, unclear = [] }) => option === 'dateOrder' || option === 'decimal' ? [{ option, unclear }] : [])
  const isDone = open.every(({ option }) => said[option] !== undefined)
  return (
    <form
      className='form'
      onSubmit={(event) => {
        event.preventDefault()
        if (isDone) onAnswer(said)
      }}
    >
      <p>Nothing in the file says how to read this. It is asked once for the files of this bank.</p>
      {open.map(({ option, unclear }) => {
        const { one, several, choicesOf } = asked[option]
        const [text = ''] = unclear
        return (
          <fieldset key={option} className='choices'>
            <legend>{unclear.length > 1 ? `${several}: ${unclear.join(' and ')}` : one(text)}</legend>
            {choicesOf(text).map(({ value, name }) => (
              <label key={value}>
                <input
                  type='radio'
                  name={option}
                  value={value}
                  required
                  checked={said[option] === value}
                  onChange={() => setSaid({ ...said, [option]: value })}
                />
                {name}
              </label>
            ))}
          </fieldset>
        )
      })}
      <div className='buttons'>
        <button type='submit' className='primary'>Read the file</button>
      </div>
    </form>
  )
}
