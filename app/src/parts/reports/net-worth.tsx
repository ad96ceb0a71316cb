import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountsQuery, useUsualCurrency } from '../../data/accounts.ts'
import { instanceRatesQuery, ratesQuery } from '../../data/exchange-rates.ts'
import { type Money, netWorthQuery } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatPeriod } from '../../locale/months.ts'
import { accounts as named } from '../../messages/accounts.ts'
import { reports as m } from '../../messages/reports.ts'
import { lazyPart } from '../chunk.ts'
import { QueryBoundary } from '../query-boundary.tsx'
import { Skeleton } from '../ui.tsx'
import { CurrencyChoice } from './currency-choice.tsx'
import { type Flow, nothing } from './flows.ts'
import { LazyLineChart } from './lazy-line-chart.tsx'
import { Legend, TableSwitch } from './marks.tsx'
import { RateNote } from './report-notes.tsx'

const ColumnsChart = lazyPart(() => import('./columns-chart.tsx'), (chunk) => chunk.default)

/**
 * Assets, liabilities and net worth at the end of each month, in one currency. More than a year is
 * a line.
 */
export function NetWorth() {
  const { context } = useSessionContext()
  const usual = useUsualCurrency()
  const [chosen, setChosen] = useState<Money | null>(null)
  const [years, setYears] = useState('1')
  const { currency, convertTo } = chosen ?? { currency: usual, convertTo: null }
  const worth = useQuery(
    netWorthQuery(context, { grouping: 'monthly', periods: Number(years) * 12 }, { convertTo }),
  )
  const accounts = useQuery(accountsQuery(context)).data ?? []
  const rates = useQuery(ratesQuery(context, 1)).data ?? []
  const instanceRates = useQuery(instanceRatesQuery()).data ?? []
  const [isTable, setIsTable] = useState(false)
  const currencies = [...new Set([usual, ...accounts.map((account) => account.currency)])]
  return (
    <>
      <div className='report-chooser'>
        <select
          aria-label={m.range}
          value={years}
          onChange={({ target }) => setYears(target.value)}
        >
          {Object.entries(m.years).map(([count, name]) => (
            <option key={count} value={count}>{name}</option>
          ))}
        </select>
        <CurrencyChoice
          money={{ currency, convertTo }}
          currencies={currencies}
          canConvert={rates.length + instanceRates.length > 0}
          onChange={({ currency: only, convert }) =>
            setChosen({ currency: convert ?? only, convertTo: convert ?? null })}
        />
      </div>
      <QueryBoundary of={[worth]} empty={null} loading={<Skeleton rows={8} />}>
        {(rows) => (
          <Course
            {...{ rows, currency, convertTo, isTable }}
            isOneYear={years === '1'}
            onTable={setIsTable}
          />
        )}
      </QueryBoundary>
    </>
  )
}

type CourseProps = {
  rows: Worth[]
  currency: string | null | undefined
  convertTo: string | null
  isTable: boolean
  /** More than a year is a line. */
  isOneYear: boolean
  onTable: (isTable: boolean) => void
}

/** The figures as a chart or as a table, with a note about each currency without a rate. */
function Course({ rows, currency, convertTo, isTable, isOneYear, onTable }: CourseProps) {
  const visible = rows.filter((row) => row.currency === currency)
  const apart = [...new Set(rows.map((row) => row.currency))].filter((one) =>
    convertTo !== null && one !== convertTo
  )
  return (
    <>
      {isTable && <WorthTable rows={visible} />}
      {!isTable && (isOneYear ? <WorthChart rows={visible} /> : <WorthLine rows={visible} />)}
      {!isTable && isOneYear && (
        <Legend
          parts={[['report-flow-in', m.assets], ['report-flow-out', m.liabilities]]}
          net={named.netWorth}
        />
      )}
      <TableSwitch isTable={isTable} onChange={onTable} />
      {apart.map((base) => <MissingRates key={base} {...{ rows, base, convertTo }} />)}
    </>
  )
}

type MissingRatesProps = { rows: Worth[], base: string, convertTo: string | null }

/** A note about the months in which a currency has no rate. */
function MissingRates({ rows, base, convertTo }: MissingRatesProps) {
  const missing = rows.filter((row) => row.currency === base).map(({ period }) => period)
  const [first = '', last = ''] = [missing[0], missing.at(-1)]
  return (
    <RateNote rate={{ base, quote: convertTo ?? '', on_date: first }}>
      {m.lacksRates(
        base.toUpperCase(),
        formatPeriod(first, 'month'),
        formatPeriod(last, 'month'),
      )}
    </RateNote>
  )
}

type Worth = { period: string, currency: string, assets: number, liabilities: number, net: number }

const figuresOf = ({ assets, liabilities, net, currency }: Worth) =>
  [assets, liabilities, net].map((amount) => formatAmount(amount, currency)) as [
    string,
    string,
    string,
  ]

const textOf = (row: Worth | undefined) =>
  row === undefined
    ? ''
    : `${formatPeriod(row.period, 'month')}: ${m.assetsLiabilitiesNet(...figuresOf(row))}`

/** The course of the net worth over years. */
const WorthLine = ({ rows }: { rows: Worth[] }) =>
  rows.length > 0 && (
    <LazyLineChart
      name={named.netWorth}
      currency={rows[0]?.currency ?? ''}
      lines={[{ kind: 'main', values: rows.map(({ net }) => net) }]}
      names={rows.map(({ period }) => period)}
      // a short month with its year
      shortNames={rows.map(({ period }) => formatPeriod(period, 'quarter'))}
      textOf={(index) => textOf(rows[index])}
      start={rows.length - 1}
    />
  )

/** Assets above the line, and liabilities below it. */
function WorthChart({ rows }: { rows: Worth[] }) {
  const flows = rows.map(({ period, assets, liabilities, net }): Flow => ({
    period,
    actual: { income: assets, expenses: liabilities, net },
    planned: nothing,
    isComing: false,
  }))
  const labels = new Map(rows.map((row) => [row.period, textOf(row)]))
  return (
    <Suspense fallback={<div className='report-chart' />}>
      <ColumnsChart
        name={named.netWorth}
        flows={flows}
        currency={rows[0]?.currency ?? ''}
        unit='month'
        textOf={({ period }) => labels.get(period) ?? ''}
        wrap={({ period }, column, tabIndex) => (
          <g
            role='img'
            className='report-column'
            aria-label={labels.get(period)}
            tabIndex={tabIndex}
          >
            {column}
          </g>
        )}
      />
    </Suspense>
  )
}

const columns = [m.assets, m.liabilities, m.net]

/** The figures of the chart. */
const WorthTable = ({ rows }: { rows: Worth[] }) => (
  <table className='stacking'>
    <thead>
      <tr>
        <th>{m.period}</th>
        {columns.map((column) => <th key={column} className='amount'>{column}</th>)}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.period}>
          <th scope='row'>{formatPeriod(row.period, 'month')}</th>
          {figuresOf(row).map((figure, index) => (
            <td key={index} className='amount' data-label={columns[index]}>{figure}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
