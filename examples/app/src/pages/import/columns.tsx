/** Column mapping for CSV files without a preset. */
import type { Column, Columns } from 'finance-client/import'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Options } from '../../parts/form.tsx'

const meanings = {
  date: 'The day',
  amount: 'The amount, with its sign',
  debit: 'Money that went out',
  credit: 'Money that came in',
  direction: 'Whether it came or went',
  name: 'Who, or what it is called',
  description: 'Description',
  reference_no: 'Reference',
  external_id: 'The bank’s own id',
  currency: 'Currency',
  status: 'Booked or pending',
  account: 'Which account of mine it is',
} as const

type Meaning = keyof typeof meanings

/** Whether a line is a header. Without a header the columns have only their index. */
const hasNames = (cells: string[]) => cells.every((cell) => cell !== '' && !/\d/.test(cell)) && new Set(cells).size === cells.length

/** @returns the columns, or a problem */
function columnsOf(said: Array<Meaning | ''>, header: string[]): Columns | string {
  const columnAt = (place: number): Column => hasNames(header) ? header[place] ?? place : place
  const all = (meaning: Meaning) => said.flatMap((one, place) => one === meaning ? [columnAt(place)] : [])
  const date = all('date')
  if (date.length === 0) return 'Say which column is the day.'
  if ([...all('amount'), ...all('debit'), ...all('credit')].length === 0) return 'Say which column is the amount, or which two are money that went and came.'
  const single = (['debit', 'credit', 'direction', 'external_id', 'currency', 'status', 'account'] as const).map((meaning) => [meaning, all(meaning)] as const)
  const double = single.find(([, columns]) => columns.length > 1)
  if (double !== undefined) return `Only one column can be “${meanings[double[0]]}”.`
  const several = (['amount', 'name', 'description', 'reference_no'] as const).map((meaning) => [meaning, all(meaning)] as const)
  return {
    date,
    ...Object.fromEntries(single.flatMap(([meaning, [column]]) => column === undefined ? [] : [[meaning, column]])),
    ...Object.fromEntries(several.filter(([, columns]) => columns.length > 0)),
  }
}

export function ColumnsForm({ lines, onAnswer }: { lines: string[][], onAnswer: (columns: Columns) => void }) {
  const [header = [], ...examples] = lines
  const { register, handleSubmit } = useForm<{ meanings: Array<Meaning | ''> }>({ defaultValues: { meanings: header.map(() => '') } })
  const [problem, setProblem] = useState<string | null>(null)
  const submit = handleSubmit((values) => {
    const columns = columnsOf(values.meanings, header)
    if (typeof columns === 'string') setProblem(columns)
    else onAnswer(columns)
  })
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p>This bank’s columns are not known. Say once what they are; the next file with the same columns is read without a question.</p>
      <table>
        <thead>
          <tr>
            <th>Column</th>
            <th className='wide-only'>Examples</th>
            <th>What it is</th>
          </tr>
        </thead>
        <tbody>
          {header.map((name, place) => (
            <tr key={place}>
              <th scope='row'>
                {name || `Column ${place + 1}`}
                <small className='phone-only'>{examples[0]?.[place]}</small>
              </th>
              <td className='wide-only'>{examples.map((cells) => cells[place] ?? '').filter((cell) => cell !== '').join(', ')}</td>
              <td>
                <select
                  aria-label={`What “${name || `column ${place + 1}`}” is`}
                  {...register(`meanings.${place}`)}
                >
                  <option value=''>Nothing of these</option>
                  <Options of={meanings} />
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p role='alert' className='field-problem'>{problem}</p>
      <div className='buttons'>
        <button type='submit' className='primary'>Read the file</button>
      </div>
    </form>
  )
}
