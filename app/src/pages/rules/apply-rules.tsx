import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { categoriesQuery, type Category } from '../../data/categories.ts'
import { useChange } from '../../data/change.ts'
import {
  applyRules,
  previewed,
  type Rule,
  type RuleChange,
  ruleChangesQuery,
  rulesQuery,
} from '../../data/rules.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { formatDay } from '../../locale/days.ts'
import { rules as m } from '../../messages/rules.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { Amount } from '../../parts/ui.tsx'

/**
 * Shows the changes of stored transactions by a rule, or by all, and stores them after a
 * confirmation. @param rule null for all rules
 */
export function ApplyRules({ rule, onClose }: { rule: Rule | null, onClose: () => void }) {
  const { context } = useSessionContext()
  const { data: categories = [] } = useQuery(categoriesQuery(context))
  const { data: rules = [] } = useQuery(rulesQuery(context))
  const apply = useChange(applyRules, {
    onStored: onClose,
    outcome: ({ count, transactionId }) =>
      transactionId === undefined ? null : { text: m.applied(count), undoOf: transactionId },
  })
  // the refresh after the change needs no new preview
  const changes = useQuery({
    ...ruleChangesQuery(context, rule?.id ?? null),
    enabled: !apply.isPending,
  })
  const count = changes.data?.count ?? 0
  return (
    <Confirm
      title={rule === null ? m.applyAll : m.applyOf(rule.name)}
      action={m.applyToAll}
      error={apply.error}
      isBusy={apply.isPending || changes.isFetching || count === 0}
      onConfirm={() => apply.mutate(rule?.id ?? null)}
      onClose={onClose}
    >
      <QueryBoundary of={[changes]} empty={null}>
        {({ rows }) =>
          count === 0 ? <p>{rule === null ? m.noneChanges : m.nothingChanges}</p> : (
            <>
              <p>{m.wouldChange(count)}</p>
              <table className='stacking'>
                <thead>
                  <tr>
                    <th>{m.transaction}</th>
                    <th>{m.before}</th>
                    <th>{m.after}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <ChangeRow
                      key={row.transaction_id}
                      {...{ row, categories }}
                      rules={rule === null ? rules : null}
                    />
                  ))}
                </tbody>
              </table>
              {count > previewed && <p className='field-note'>{m.theFirst(previewed)}</p>}
            </>
          )}
      </QueryBoundary>
    </Confirm>
  )
}

/** Describes the fields of a transaction that rules set. */
function textOf(
  { category_id: id, name, tags, transfer }: RuleChange['before'],
  categories: Category[],
): string {
  const category = categories.find((one) => one.id === id)?.name ?? m.none
  return [
    ...(name === undefined ? [] : [name]),
    ...(id === undefined ? [] : [category]),
    ...(transfer === undefined ? [] : [transfer ? m.transfer : m.noTransfer]),
    ...(tags ?? []),
  ]
    .join(', ')
}

type ChangeRowProps = {
  row: RuleChange
  categories: Category[]
  /** null if only one rule applies, which the title names. */
  rules: Rule[] | null
}

/** A transaction before and after the rules. */
const ChangeRow = (
  { row: { rule_id: ruleId, transaction, before, after }, categories, rules }: ChangeRowProps,
) => (
  <tr>
    <th scope='row'>
      {transaction?.name}
      {transaction !== undefined && (
        <small>
          {formatDay(dayOf(transaction))},{' '}
          <Amount value={transaction.amount} currency={transaction.currency} />
        </small>
      )}
      {rules !== null && <small>{rules.find(({ id }) => id === ruleId)?.name}</small>}
    </th>
    <td data-label={m.before}>{textOf(before, categories)}</td>
    <td data-label={m.after}>{textOf(after, categories)}</td>
  </tr>
)
