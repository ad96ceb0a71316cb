import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import type { Account } from '../../data/accounts.ts'
import { closeAccountDays, closeDays, closingsQuery } from '../../data/balances.ts'
import { useChange } from '../../data/change.ts'
import { firstDay, formatDay, lastDay, today } from '../../locale/days.ts'
import { addDays, monthOf } from '../../locale/months.ts'
import { reconciliation as m } from '../../messages/reconciliation.ts'
import { DateField } from '../../parts/date-field.tsx'
import { Form, SubmitButton } from '../../parts/form.tsx'

/** Closes the days of one account. */
export function ClosedAccount({ account: { id, closed_until: until } }: { account: Account }) {
  const { context } = useSessionContext()
  const [latest] = useQuery(closingsQuery(context)).data ?? []
  const close = useChange(closeAccountDays, {
    outcome: ({ closed_until: day }) => ({ text: outcomeOf(day), undoOf: id }),
  })
  return (
    <>
      {latest !== undefined && <p>{m.closedForAll(formatDay(latest.closed_until))}</p>}
      <ClosedDays
        until={until}
        error={close.error}
        isBusy={close.isPending}
        onClose={(day) => close.mutate({ id, closed_until: day })}
      />
    </>
  )
}

/** Closes the days of all accounts of the context. */
export function ClosedContext() {
  const { context } = useSessionContext()
  const [latest] = useQuery(closingsQuery(context)).data ?? []
  const close = useChange(closeDays, {
    outcome: ([row], { closed_until: day }) =>
      row === undefined ? null : { text: outcomeOf(day), undoOf: row.id },
  })
  return (
    <ClosedDays
      until={latest?.closed_until ?? null}
      hint={m.closeAllHint}
      error={close.error}
      isBusy={close.isPending}
      onClose={(day) => close.mutate({ closed_until: day })}
    />
  )
}

const outcomeOf = (day: string | null) => day === null ? m.reopened : m.closed(formatDay(day))

type ClosedDaysProps = {
  until: string | null
  hint?: string
  error: Error | null
  isBusy: boolean
  onClose: (day: string | null) => void
}

function ClosedDays({ until, hint, error, isBusy, onClose }: ClosedDaysProps) {
  const { rights } = useSessionContext()
  return (
    <>
      <p>{until === null ? m.noneClosed : m.closedHint(formatDay(until))}</p>
      {rights.write && (
        <Form
          defaultValues={{ closed_until: addDays(monthOf(today()), -1) }}
          error={error}
          onSubmit={({ closed_until: day }) => onClose(day)}
        >
          <DateField
            name='closed_until'
            label={m.closeThrough}
            hint={hint}
            min={firstDay}
            max={lastDay}
            required
          />
          <div className='buttons'>
            <SubmitButton isBusy={isBusy}>{m.close}</SubmitButton>
            {until !== null && (
              <button
                type='button'
                disabled={isBusy}
                onClick={() => onClose(null)}
              >
                {m.reopen}
              </button>
            )}
          </div>
        </Form>
      )}
    </>
  )
}
