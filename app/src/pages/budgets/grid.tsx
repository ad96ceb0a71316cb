import { TriangleAlert } from 'lucide-react'
import { useSessionContext } from '../../shell/session-context.tsx'
import {
  type BudgetCell,
  type BudgetSources,
  type BudgetTotal,
  cellOf,
  totalOf,
} from '../../data/budget-grid.ts'
import type { Category } from '../../data/categories.ts'
import type { Comparison } from '../../data/reports.ts'
import { formatAmount, formatFigure } from '../../locale/amounts.ts'
import { today } from '../../locale/days.ts'
import {
  addMonths,
  daysOf,
  formatMonthName,
  formatMonths,
  formatPeriod,
  monthOf,
  passedOf,
} from '../../locale/months.ts'
import { budgets as m } from '../../messages/budgets.ts'
import { common } from '../../messages/common.ts'
import { BudgetBar, transactionsOf } from '../../parts/reports/budgets.tsx'
import { Dot } from '../../parts/reports/marks.tsx'
import { RowsLink } from '../../parts/ui.tsx'

type Row = { category: Category, currency: string }

type BudgetGridProps = {
  rows: Row[]
  months: string[]
  /** The comparison of each month; undefined while loading. */
  compared: Array<Comparison[] | undefined>
  sources: BudgetSources
  categories: Category[]
  onEdit: (category: Category, currency: string, month: string) => void
}

/** Computes the months of the grid, each with a cell per row. */
function columnsOf({ rows, months, compared, sources }: BudgetGridProps) {
  const thisMonth = monthOf(today())
  return months.map((month, index) => {
    const some = compared[index]
    const time = month === thisMonth ? 'now' : month < thisMonth ? 'past' : 'coming'
    const cells = rows.map((row) => ({
      row,
      cell: some === undefined
        ? undefined
        : cellOf({ category_id: row.category.id, currency: row.currency }, month, some, sources),
    }))
    return { month, time, compared: some ?? [], isLoading: some === undefined, cells } as const
  })
}

type Columns = ReturnType<typeof columnsOf>

/** Budgets of categories by months. */
export function BudgetGrid(props: BudgetGridProps) {
  const { rows, months, categories, onEdit } = props
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  const thisMonth = monthOf(today())
  const columns = columnsOf(props)
  const hasCurrencies = currencies.length > 1
  return (
    <table className='budget-table'>
      <caption className='unseen'>
        {m.monthsTitle(formatMonths(months[0] ?? thisMonth, months.at(-1) ?? thisMonth))}
      </caption>
      <thead>
        <tr>
          <th scope='col'>{common.category}</th>
          {columns.map(({ month, time }) => (
            <th
              key={month}
              scope='col'
              className='budget-month'
              data-time={time}
              aria-current={time === 'now' ? 'date' : undefined}
            >
              {formatPeriod(month, 'month')}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {currencies.map((currency) => (
          <TotalRow key={currency} {...{ currency, columns, hasCurrencies }} />
        ))}
        {rows.map((row, index) => (
          <CategoryRow
            key={`${row.category.id} ${row.currency}`}
            {...{ row, index, columns, categories, hasCurrencies, onEdit }}
          />
        ))}
      </tbody>
    </table>
  )
}

type RowProps = {
  columns: Columns
  /** Whether the grid has several currencies, so that each row names its own. */
  hasCurrencies: boolean
}

/** The sums of a currency. */
const TotalRow = ({ currency, columns, hasCurrencies }: RowProps & { currency: string }) => (
  <tr className='budget-total'>
    <th scope='row'>
      {m.allBudgets}
      {hasCurrencies && <small>{currency.toUpperCase()}</small>}
    </th>
    {columns.map(({ month, time, cells, isLoading }) => (
      <td key={month} className='budget-cell' data-time={time}>
        {isLoading
          ? <Waiting />
          : <Total {...{ month, currency }} total={totalOf(cellsIn(currency, cells))} />}
      </td>
    ))}
  </tr>
)

type CategoryRowProps = RowProps & Pick<BudgetGridProps, 'categories' | 'onEdit'> & {
  row: Row
  /** The position of the row in the cells of each month. */
  index: number
}

const CategoryRow = (
  { row, index, columns, categories, hasCurrencies, onEdit }: CategoryRowProps,
) => (
  <tr>
    <th scope='row' className={row.category.parent_id === null ? undefined : 'budget-sub'}>
      <Dot color={row.category.color} />
      {row.category.name}
      {hasCurrencies && <small>{row.currency.toUpperCase()}</small>}
    </th>
    {columns.map(({ month, time, cells, compared: all, isLoading }) => (
      <td key={month} className='budget-cell' data-time={time}>
        {isLoading ?
          <Waiting /> :
          (
            <Cell
              {...row}
              month={month}
              cell={cells[index]?.cell ?? null}
              rows={transactionsOf(row.category.id, categories, all)}
              onEdit={onEdit}
            />
          )}
      </td>
    ))}
  </tr>
)

const cellsIn = (
  currency: string,
  cells: ReadonlyArray<{ row: Row, cell: BudgetCell | null | undefined }>,
) => cells.filter(({ row }) => row.currency === currency).flatMap(({ cell }) => cell ?? [])

/** The placeholder of a cell. */
const Waiting = () => <span className='budget-waiting' />

/** The figure that matters: the rest, or the amount over the budget. */
function Rest(
  { left, currency, hasSymbol = false }: { left: number, currency: string, hasSymbol?: boolean },
) {
  const format = hasSymbol ? formatAmount : formatFigure
  return left < 0 ?
    (
      <span className='budget-rest budget-over'>
        <TriangleAlert className='icon' aria-hidden='true' />
        {format(-left, currency)} <span className='budget-word'>{m.over}</span>
      </span>
    ) :
    (
      <span className='budget-rest'>
        {format(left, currency)} <span className='budget-word'>{m.left}</span>
      </span>
    )
}

const restOf = (left: number, currency: string) =>
  left < 0
    ? m.overAmount(formatAmount(-left, currency))
    : m.leftAmount(formatAmount(left, currency))

/** The amount that a month has from the one before. */
function Carried(
  { carried, month, currency }: { carried: number, month: string, currency: string },
) {
  const before = addMonths(month, -1)
  const say = before < monthOf(today()) ? m.carried : m.carriedSoFar
  const figure = `${carried > 0 ? '+' : ''}${formatFigure(carried, currency)}`
  return carried !== 0 && (
    <small className='budget-carried'>{say(figure, formatMonthName(before))}</small>
  )
}

/** The sums of a month. */
function Total(
  { total: { budget, spent, left, carried }, month, currency }: {
    total: BudgetTotal
    month: string
    currency: string
  },
) {
  return (
    <>
      <Rest left={left} currency={currency} hasSymbol />
      <span className='budget-bar'>
        <BudgetBar budget={budget} actual={spent} passed={passedOf(daysOf(month), today())} />
      </span>
      <span className='budget-parts'>
        {formatFigure(spent, currency)} {m.spentOf} {formatFigure(budget, currency)}
      </span>
      <Carried {...{ carried, month, currency }} />
    </>
  )
}

type CellProps = Row & {
  month: string
  /** Null without a budget and without expenses. */
  cell: BudgetCell | null
  /** The filter of the transactions behind the cell. */
  rows: { parent: string } | { category: string }
  onEdit: BudgetGridProps['onEdit']
}

/** A budget of a month. The whole cell leads to its transactions, and the budget opens the form. */
function Cell({ category, currency, month, cell, rows, onEdit }: CellProps) {
  const { rights } = useSessionContext()
  const { name } = category
  const when = formatPeriod(month, 'month')
  const edit = (label: string, text: string) => (
    <button
      type='button'
      className='budget-amount'
      aria-label={label}
      onClick={() => onEdit(category, currency, month)}
    >
      {text}
    </button>
  )
  const set = rights.write ? edit(m.setBudgetOf(name, when), m.setBudget) : m.noBudget
  if (cell === null) return <span className='budget-parts'>{set}</span>
  const { limit, carried, budget, spent, left } = cell
  const say = (amount: number) => formatAmount(amount, currency)
  if (limit === null)
    return (
      <>
        <RowsLink
          {...rows}
          days={daysOf(month)}
          currency={currency}
          className='budget-open'
          label={m.cellWithout(name, when, say(spent))}
        >
          <span className='budget-rest'>
            {formatFigure(spent, currency)} <span className='budget-word'>{m.spent}</span>
          </span>
        </RowsLink>
        <span className='budget-parts'>{set}</span>
      </>
    )
  return (
    <>
      <RowsLink
        {...rows}
        days={daysOf(month)}
        currency={currency}
        className='budget-open'
        label={m.cell(name, when, say(spent), say(budget), restOf(left, currency))}
      >
        <Rest left={left} currency={currency} />
      </RowsLink>
      <span className='budget-bar'>
        <BudgetBar budget={budget} actual={spent} passed={passedOf(daysOf(month), today())} />
      </span>
      <span className='budget-parts'>
        {formatFigure(spent, currency)} {m.spentOf} {rights.write ?
          edit(m.changeBudget(name, when, say(budget)), formatFigure(budget, currency)) :
          formatFigure(budget, currency)}
      </span>
      <Carried {...{ carried, month, currency }} />
    </>
  )
}
