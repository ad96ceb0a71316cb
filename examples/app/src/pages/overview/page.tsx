/** How the money stands. All reports are asked for at once, and each card shows its own when it is there. */
import { Link } from '@tanstack/react-router'
import { useHere } from '../../app/here.tsx'
import { today } from '../../locale/days.ts'
import { comparedDays, daysOf } from '../../locale/months.ts'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { MonthSteps } from '../../parts/month-steps.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Balances } from '../../parts/reports/balances.tsx'
import { Budgets } from '../../parts/reports/budgets.tsx'
import { CashFlow } from '../../parts/reports/cash-flow.tsx'
import { DueNext } from '../../parts/reports/due-next.tsx'
import { Spending } from '../../parts/reports/spending.tsx'
import { CurrencyChoice } from './currency-choice.tsx'
import { flowMonths, useView } from './view.ts'

export function Page() {
  const { month, money, currencies, canConvert, isNew, showMonth, showCurrency } = useView()
  return (
    <>
      <PageHead title='Overview'>
        <div className='chooser'>
          <CurrencyChoice {...{ money, currencies, canConvert }} onChange={showCurrency} />
          <MonthSteps month={month} onChange={showMonth} />
        </div>
      </PageHead>
      {isNew === true && <Welcome />}
      <div className='cards' hidden={isNew === true}>
        <Card title='Cash flow' className='card card-wide'>
          <CashFlow grouping='monthly' {...flowMonths} money={money} />
        </Card>
        <Card title='Balances'>
          <Balances />
        </Card>
        <Card title='Due next'>
          <DueNext />
        </Card>
        <Card title='Spending'>
          <Spending days={daysOf(month)} before={comparedDays(month, today())} money={money} />
        </Card>
        <Card title='Budgets'>
          <Budgets days={daysOf(month)} money={money} />
        </Card>
      </div>
    </>
  )
}

/** What somebody sees who has entered nothing yet: the first steps. */
function Welcome() {
  const { rights } = useHere()
  if (!rights.write) return <EmptyState>Nobody of the team has entered anything yet.</EmptyState>
  return (
    <EmptyState
      action={
        <div className='buttons'>
          <Link to='/accounts'>Add an account</Link>
          <Link to='/import'>Import a bank’s file</Link>
          <Link to='/transactions'>Add a transaction</Link>
        </div>
      }
    >
      Your money will be here at a glance. Begin with an account, or with a file of your bank.
    </EmptyState>
  )
}
