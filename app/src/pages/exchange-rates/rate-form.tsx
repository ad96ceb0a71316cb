import { useChange } from '../../data/change.ts'
import { type Rate, type RateKey, saveRate } from '../../data/exchange-rates.ts'
import { firstDay, lastDay, today } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { exchangeRates as m } from '../../messages/exchange-rates.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DateField } from '../../parts/date-field.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { CurrencyField } from '../../parts/money-fields.tsx'

/** The name of a rate: `EUR in USD`. */
export const nameOf = ({ base, quote }: Pick<Rate, 'base' | 'quote'>): string =>
  m.pair(base.toUpperCase(), quote.toUpperCase())

type RateFormProps = {
  rate: Rate | null /** The rate that a report is missing. */
  missing: RateKey | null
  onClose: () => void
}

/** Creates a rate, or changes the given one. */
export function RateForm({ rate, missing, onClose }: RateFormProps) {
  const save = useChange(saveRate, { onStored: onClose })
  const first = rate ?? missing
  const defaultValues = {
    base: first?.base ?? '',
    rate: String(rate?.rate ?? ''),
    quote: first?.quote ?? '',
    on_date: first?.on_date ?? today(),
  }
  return (
    <Dialog
      title={rate === null ? m.newExchangeRate : common.editOf(nameOf(rate))}
      open
      onClose={onClose}
    >
      <Form
        defaultValues={defaultValues}
        error={save.error}
        onSubmit={(values) =>
          save.mutate({ id: rate?.id, values: { ...values, rate: Number(values.rate) } })}
      >
        <CurrencyField name='base' label={m.base} hint={m.baseHint} />
        <TextField name='rate' label={m.baseIsWorth} type='number' min={0} step='any' required />
        <CurrencyField name='quote' label={m.quote} hint={m.quoteHint} />
        <DateField
          name='on_date'
          label={m.validFrom}
          min={firstDay}
          max={lastDay}
          hint={m.validFromHint}
          required
        />
        <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
      </Form>
    </Dialog>
  )
}
