/** Column mapping for CSV files without a preset. */
import type { Column, Columns } from 'finance-client/import'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { textColumns } from '../../data/transactions/filters.ts'
import { bankImport as m } from '../../messages/bank-import.ts'
import { Options } from '../../parts/form.tsx'

const meanings = m.columns

type Meaning = keyof typeof meanings

/** Whether a line is a header. Without a header the columns have only their index. */
const hasNames = (cells: string[]) =>
  cells.every((cell) => cell !== '' && !/\d/.test(cell)) && new Set(cells).size === cells.length

/** @returns the columns, or a problem */
function columnsOf(chosen: Array<Meaning | ''>, header: string[]): Columns | string {
  const columnAt = (place: number): Column => hasNames(header) ? header[place] ?? place : place
  const all = (meaning: Meaning) =>
    chosen.flatMap((one, place) => one === meaning ? [columnAt(place)] : [])
  const date = all('date')
  if (date.length === 0) return m.missingDate
  if ([...all('amount'), ...all('debit'), ...all('credit')].length === 0) return m.missingAmount
  const single =
    (['debit', 'credit', 'direction', 'external_id', 'currency', 'status', 'account'] as const).map(
      (meaning) => [meaning, all(meaning)] as const,
    )
  const double = single.find(([, columns]) => columns.length > 1)
  if (double !== undefined) return m.duplicateMeaning(meanings[double[0]])
  const several = (['amount', 'name', ...textColumns] as const).map((meaning) =>
    [meaning, all(meaning)] as const
  )
  return {
    date,
    ...Object.fromEntries(
      single.flatMap(([meaning, [column]]) => column === undefined ? [] : [[meaning, column]]),
    ),
    ...Object.fromEntries(several.filter(([, columns]) => columns.length > 0)),
  }
}

export function ColumnsForm(
  { lines, onAnswer }: { lines: string[][], onAnswer: (columns: Columns) => void },
) {
  const [header = [], ...examples] = lines
  const { register, handleSubmit } = useForm<{ meanings: Array<Meaning | ''> }>({
    defaultValues: { meanings: header.map(() => '') },
  })
  const [problem, setProblem] = useState<string | null>(null)
  const submit = handleSubmit((values) => {
    const columns = columnsOf(values.meanings, header)
    if (typeof columns === 'string') setProblem(columns)
    else onAnswer(columns)
  })
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p>{m.unknownColumns}</p>
      <table>
        <thead>
          <tr>
            <th>{m.column}</th>
            <th className='wide-only'>{m.examples}</th>
            <th>{m.meaning}</th>
          </tr>
        </thead>
        <tbody>
          {header.map((name, place) => (
            <tr key={place}>
              <th scope='row'>
                {name || m.columnNumber(place + 1)}
                <small className='phone-only'>{examples[0]?.[place]}</small>
              </th>
              <td className='wide-only'>
                {examples.map((cells) => cells[place] ?? '').filter((cell) => cell !== '').join(
                  ', ',
                )}
              </td>
              <td>
                <select
                  aria-label={m.meaningOf(name || m.unnamedColumn(place + 1))}
                  {...register(`meanings.${place}`)}
                >
                  <option value=''>{m.ignoreColumn}</option>
                  <Options of={meanings} />
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p role='alert' className='field-problem'>{problem}</p>
      <div className='buttons'>
        <button type='submit' className='primary'>{m.read}</button>
      </div>
    </form>
  )
}
