import { useSessionContext } from '../../shell/session-context.tsx'
import { type Category, inFamilies, isParent } from '../../data/categories.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { categories as m } from '../../messages/categories.ts'
import { common } from '../../messages/common.ts'
import { Action, ActionsHead, RowsLink } from '../../parts/ui.tsx'

type CategoryTableProps = {
  categories: Category[]
  onOpen: (dialog: 'edit' | 'delete', category: Category) => void
}

/** Categories, each with its kind and its usual budget. */
export function CategoryTable({ categories, onOpen }: CategoryTableProps) {
  const { rights } = useSessionContext()
  return (
    <table className='stacking'>
      <thead>
        <tr>
          <th>{common.name}</th>
          <th>{m.kind}</th>
          <th className='amount'>{m.monthlyBudget}</th>
          {rights.write && <ActionsHead />}
        </tr>
      </thead>
      <tbody>
        {inFamilies(categories).map((category) => {
          const {
            id,
            name,
            kind,
            color,
            parent_id: parent,
            monthly_budget: budget,
            budget_currency: currency,
          } = category
          return (
            <tr key={id}>
              <th scope='row'>
                <span className='swatch' style={{ background: color ?? 'var(--line)' }} />
                {parent !== null && '– '}
                <RowsLink {...isParent(category, categories) ? { parent: id } : { category: id }}>
                  {name}
                </RowsLink>
              </th>
              <td data-label={m.kind}>{m.kinds[kind]}</td>
              <td className='amount' data-label={budget === null ? undefined : m.monthlyBudget}>
                {budget !== null && formatAmount(budget, currency)}
              </td>
              {rights.write && (
                <td className='row-actions'>
                  <Action name={common.edit} of={name} onClick={() => onOpen('edit', category)} />
                  <Action
                    name={common.delete}
                    of={name}
                    onClick={() => onOpen('delete', category)}
                  />
                </td>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
