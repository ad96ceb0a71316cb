import { useChange } from '../../data/change.ts'
import { type Rate, type RateKey, saveRate } from '../../data/exchange-rates.ts'
import { firstDay, lastDay, today } from '../../locale/days.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CurrencyField } from '../../parts/currency-field.tsx'
import { DateField, Form, SubmitButton, TextField, type Values } from '../../parts/form.tsx'

/** A rate in words: `EUR in USD`. */
export const nameOf = ({ base, quote }: Pick<Rate, 'base' | 'quote'>): string => `${base.toUpperCase()} in ${quote.toUpperCase()}`

type RateFormProps = { rate: Rate | null, /** What a report lacks, for a new one to begin with. */ missing: RateKey | null, onClose: () => void }

/** Adds a rate, or changes the one that is given. */
export function RateForm({ rate, missing, onClose }: RateFormProps) {
  const save = useChange(saveRate, onClose)
  const first = rate ?? missing
  const submit = ({ text, currency }: Values) =>
    save.mutate({ id: rate?.id, values: { base: currency('base'), quote: currency('quote'), rate: Number(text('rate')), on_date: text('on_date') } })
  return (
    <Dialog title={rate === null ? 'New exchange rate' : `Edit ${nameOf(rate)}`} open onClose={onClose}>
      <Form error={save.error} onSubmit={submit}>
        <CurrencyField name='base' label='One' value={first?.base ?? ''} hint='A currency by its three letters, such as EUR.' />
        <TextField name='rate' label='Is worth' type='number' min={0} step='any' defaultValue={rate?.rate} required />
        <CurrencyField name='quote' label='Of' value={first?.quote ?? ''} hint='Another currency. The rate holds in both directions.' />
        <DateField
          name='on_date'
          label='From'
          defaultValue={first?.on_date ?? today()}
          min={firstDay}
          max={lastDay}
          hint='Until there is a later one. What was booked before the first cannot be converted.'
          required
        />
        <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
      </Form>
    </Dialog>
  )
}
