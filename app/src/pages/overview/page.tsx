/** The overview: three questions, and below them one card per report. */
import { Link } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { today } from '../../locale/days.ts'
import { comparedDays, daysOf, monthOf } from '../../locale/months.ts'
import { common } from '../../messages/common.ts'
import { overview as m } from '../../messages/overview.ts'
import { AddExamples } from '../../parts/examples.tsx'
import { Card, EmptyState, MonthSteps, PageHead } from '../../parts/ui.tsx'
import { Balances } from '../../parts/reports/balances.tsx'
import { Budgets } from '../../parts/reports/budgets.tsx'
import { CashFlow } from '../../parts/reports/cash-flow.tsx'
import { CurrencyChoice } from '../../parts/reports/currency-choice.tsx'
import { Spending } from '../../parts/reports/spending.tsx'
import { Coming, Remained } from './coming.tsx'
import { Month } from './month.tsx'
import { flowMonths, useView } from './view.ts'
import { Worth } from './worth.tsx'

export function Page() {
  const { month, money, currencies, canConvert, isNew, showMonth, showCurrency } = useView()
  return (
    <>
      <PageHead title={m.title}>
        <div className='report-chooser'>
          <CurrencyChoice {...{ money, currencies, canConvert }} onChange={showCurrency} />
          <MonthSteps month={month} onChange={showMonth} />
        </div>
      </PageHead>
      {isNew === true && <Welcome />}
      <div className='report-heroes' hidden={isNew === true}>
        <Worth month={month} money={money} canConvert={canConvert} />
        <Month month={month} money={money} />
        {month < monthOf(today())
          ? <Remained month={month} money={money} />
          : <Coming money={money} />}
      </div>
      <div className='report-details' hidden={isNew === true}>
        <Card title={common.cashFlow} className='report-card report-flow'>
          <CashFlow grouping='monthly' {...flowMonths} money={money} />
        </Card>
        <Card title={m.balances}>
          <Balances />
        </Card>
        <Card title={m.spending}>
          <Spending days={daysOf(month)} before={comparedDays(month, today())} money={money} />
        </Card>
        <Card title={m.budgets}>
          <Budgets days={daysOf(month)} money={money} />
        </Card>
      </div>
    </>
  )
}

/** The first steps of a user without data. */
function Welcome() {
  const { rights } = useSessionContext()
  if (!rights.write) return <EmptyState>{m.teamEmpty}</EmptyState>
  return (
    <EmptyState
      action={
        <>
          <div className='buttons'>
            <Link to='/accounts'>{m.addAccount}</Link>
            <Link to='/import'>{m.importFile}</Link>
            <Link to='/transactions'>{m.addTransaction}</Link>
          </div>
          <AddExamples />
        </>
      }
    >
      {m.empty}
    </EmptyState>
  )
}
