/** How the money stands. All reports are asked for at once, and each card shows its own when it is there. */
import { Link } from '@tanstack/react-router'
import { useHere } from '../../app/here.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { MonthSteps } from '../../parts/month-steps.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Balances } from './balances.tsx'
import { BudgetCard } from './budget-card.tsx'
import { CashFlow } from './cash-flow.tsx'
import { CurrencyChoice } from './currency-choice.tsx'
import { DueNext } from './due-next.tsx'
import { Spending } from './spending.tsx'
import { useView } from './view.ts'

export function Page() {
  const { view, currencies, canConvert, isNew, showMonth, showCurrency } = useView()
  return (
    <>
      <PageHead title='Overview'>
        <div className='chooser'>
          <CurrencyChoice view={view} currencies={currencies} canConvert={canConvert} onChange={showCurrency} />
          <MonthSteps month={view.month} onChange={showMonth} />
        </div>
      </PageHead>
      {isNew === true && <Welcome />}
      <div className='cards' hidden={isNew === true}>
        <CashFlow view={view} />
        <Balances />
        <DueNext now={view.now} />
        <Spending view={view} />
        <BudgetCard view={view} />
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
