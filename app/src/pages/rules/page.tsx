/** Rules of the context, which file transactions by themselves. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReopenedDraft } from '../../shell/drafts.ts'
import { useSessionContext } from '../../shell/session-context.tsx'
import { updateRow, useChange, useDeletion } from '../../data/change.ts'
import { categoriesQuery, type Category } from '../../data/categories.ts'
import { deleteRule, type Rule, rulesQuery, setActive } from '../../data/rules.ts'
import { common } from '../../messages/common.ts'
import { rules as m } from '../../messages/rules.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { Action, ActionsHead, EmptyState, PageHead } from '../../parts/ui.tsx'
import { ApplyRules } from './apply-rules.tsx'
import { RuleForm } from './rule-form.tsx'

/** The open dialog and its rule. */
type Opened = { dialog: 'new' | 'applyAll' } | { dialog: 'edit' | 'apply', rule: Rule } | null

export function Page() {
  const { context, rights } = useSessionContext()
  const rules = useQuery(rulesQuery(context))
  const { data: categories = [] } = useQuery(categoriesQuery(context))
  const [opened, setOpened] = useState<Opened>(null)
  useReopenedDraft('rule', (id) => {
    const rule = rules.data?.find((one) => one.id === id)
    if (rule !== undefined) setOpened({ dialog: 'edit', rule })
    else if (id === 'new') setOpened({ dialog: 'new' })
  }, rules.isSuccess)
  const remove = useDeletion(deleteRule, ({ name }) => name)
  const { mutate: toggle } = useChange(setActive, {
    optimistic: async ({ id, is_active }, _, client) =>
      updateRow<Rule>(client, rulesQuery(context).queryKey, id, { is_active }),
    outcome: ({ name }, { id, is_active }) => ({
      text: is_active ? m.turnedOn(name) : m.turnedOff(name),
      undo: () => setActive(context, { id, is_active: !is_active }),
    }),
    toastsErrors: true,
  })
  const close = () => setOpened(null)
  return (
    <>
      <PageHead title={m.title}>
        {rights.write && rules.data?.some(({ is_active }) => is_active) && (
          <button
            type='button'
            onClick={() => setOpened({ dialog: 'applyAll' })}
          >
            {m.applyAll}
          </button>
        )}
        {rights.write && (
          <button
            type='button'
            className='primary'
            onClick={() => setOpened({ dialog: 'new' })}
          >
            {m.newRule}
          </button>
        )}
      </PageHead>
      <QueryBoundary of={[rules]} empty={<EmptyState>{m.empty}</EmptyState>}>
        {(rows) => (
          <>
            <p className='field-note'>{m.orderHint}</p>
            <RuleTable {...{ rows, categories, toggle, remove }} onOpen={setOpened} />
          </>
        )}
      </QueryBoundary>
      {opened?.dialog === 'new' && <RuleForm rule={null} onClose={close} />}
      {opened?.dialog === 'edit' && <RuleForm rule={opened.rule} onClose={close} />}
      {opened?.dialog === 'applyAll' && <ApplyRules rule={null} onClose={close} />}
      {opened?.dialog === 'apply' && <ApplyRules rule={opened.rule} onClose={close} />}
    </>
  )
}

type RuleTableProps = {
  rows: Rule[]
  categories: Category[]
  toggle: (change: Pick<Rule, 'id' | 'is_active'>) => void
  remove: (rule: Rule) => void
  onOpen: (opened: Opened) => void
}

function RuleTable({ rows, ...props }: RuleTableProps) {
  const { rights } = useSessionContext()
  return (
    <table className='stacking'>
      <thead>
        <tr>
          <th>{common.name}</th>
          <th>{m.priority}</th>
          <th>{m.sets}</th>
          <th>{m.on}</th>
          {rights.write && <ActionsHead />}
        </tr>
      </thead>
      <tbody>
        {rows.map((rule) => (
          <RuleRow key={rule.id} {...props} rule={rule} isReadOnly={!rights.write} />
        ))}
      </tbody>
    </table>
  )
}

/** Describes the fields that a rule sets. */
const actionsOf = (
  { set_category_id: category, set_name: name, add_tags: tags, mark_as_transfer: isTransfer }: Rule,
  categories: Category[],
): string =>
  [
    ...categories.filter(({ id }) => id === category).map((one) => one.name),
    ...(name === null ? [] : [name]),
    ...(isTransfer ? [m.transfer] : []),
    ...(tags ?? []),
  ].join(', ')

type RuleRowProps = Omit<RuleTableProps, 'rows'> & { rule: Rule, isReadOnly: boolean }

const RuleRow = ({ rule, isReadOnly, categories, toggle, remove, onOpen }: RuleRowProps) => (
  <tr className={rule.is_active ? undefined : 'resting'}>
    <th scope='row'>{rule.name}</th>
    <td data-label={m.priority}>{rule.priority}</td>
    <td data-label={m.sets}>{actionsOf(rule, categories)}</td>
    <td data-label={m.on}>
      <input
        type='checkbox'
        role='switch'
        aria-label={m.onOf(rule.name)}
        checked={rule.is_active}
        disabled={isReadOnly}
        onChange={({ target }) =>
          toggle({ id: rule.id, is_active: target.checked })}
      />
    </td>
    {!isReadOnly && (
      <td className='row-actions'>
        <Action
          name={m.applyToExisting}
          of={rule.name}
          disabled={!rule.is_active}
          onClick={() => onOpen({ dialog: 'apply', rule })}
        />
        <Action
          name={common.edit}
          of={rule.name}
          onClick={() => onOpen({ dialog: 'edit', rule })}
        />
        <Action name={common.delete} of={rule.name} onClick={() => remove(rule)} />
      </td>
    )}
  </tr>
)
