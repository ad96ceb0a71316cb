/** Recognizes income by the names of rows, in many languages. */
import type { Entry } from './entries.ts'

/** Names of payments to a card's account. They are never expenses. */
const RECEIVED = new RegExp(
  'payment.{0,20}(?:thank|received)|thank you.{0,20}pa?ym|(?:zahlung|einzahlung).{0,12}(?:erhalten|dank)|ihre (?:ein)?zahlung|zahlungseingang'
    + '|paiement (?:reçu|recu)|merci.{0,20}paiement|pago recibido|su pago|pagamento (?:recebido|ricevuto)|betaling ontvangen|betalning mottagen'
    + '|inn?betaling mott|wpłata własna|spłata karty',
  'i',
)

/** Names of wages, which people receive. */
const WAGES =
  /payroll|direct dep|salary|gehalt|\blohn\b|salaire|n[oó]mina|sal[aá]rio|stipendio|salaris|wynagrodzenie/i

/**
 * Names of refunds and of payments to a card. An account that pays a card uses them for expenses.
 */
const PERHAPS_INCOME =
  /autopay|automatic payment|e-?payment|(?:online|mobile|bill) payment|^payment\b|refund|erstattung|remboursement|reembolso|rimborso|estorno/i

/** Returns true for a payment to a card's account. */
export const isReceived = ({ name, description = '', fallbackName = '' }: Entry): boolean =>
  RECEIVED.test(`${name} ${description} ${fallbackName}`)

/** Returns true for wages. */
export const isWage = ({ name, description = '' }: Entry): boolean =>
  WAGES.test(`${name} ${description}`)

/** Returns true for a refund or a payment to a card, which can also be an expense. */
export const isPerhapsIncome = ({ name, description = '' }: Entry): boolean =>
  PERHAPS_INCOME.test(`${name} ${description}`)
