import { expect, test } from 'vitest'
import { FinanceError } from '../../../client/errors.ts'
import { formatDay } from '../locale/days.ts'
import { isAbout, messageOf } from './error-messages.ts'

const refused = (code: string, message: string, hint: string | null = null) =>
  new FinanceError(400, { code, message, hint })
const ofRule = (rule: string) =>
  refused(
    '23514',
    `new row for relation "accounts" violates check constraint "${rule}"`,
    'currency: Code of ISO 4217, stored in lower case.',
  )

test.each([
  [ofRule('accounts_currency_form'), 'Unknown currency. Use a three-letter code such as EUR.'],
  [
    ofRule('transactions_amount_fits_currency'),
    'The amount has more decimals than its currency allows.',
  ],
  [ofRule('transactions_name_length'), 'A name must have 1 to 255 characters.'],
  [ofRule('subscriptions_days_in_order'), 'The end date is before the start date.'],
  [ofRule('one_of_tomorrow'), 'One of the values isn’t allowed.'],
  [refused('22003', 'numeric field overflow'), 'The amount is too large.'],
  [refused('22023', 'from_account_id and to_account_id are different'), 'Something went wrong.'],
  [refused('NETWORK_ERROR', 'fetch failed'), 'No response. Check your connection and try again.'],
])('the message for “%s” contains no term of the database', (error, message) => {
  expect(messageOf(error)).toEqual({ message, hint: null })
})

test('messages of the service for people are shown, and its hints for programs are not', () => {
  expect(
    messageOf(
      refused(
        '22023',
        'a half of a transfer keeps its currency',
        'Delete the transfer and create another.',
      ),
    ),
  )
    .toEqual({
      message: 'A half of a transfer keeps its currency.',
      hint: 'Delete the transfer and create another.',
    })
  expect(
    messageOf(
      refused(
        '22023',
        'the account is of eur',
        "Leave currency out or send the account's; /rpc/create_transfer moves money.",
      ),
    ),
  )
    .toEqual({ message: 'The account is of eur.', hint: null })
})

test('a refusal for closed days names the last one as users write it, and says where they are opened', () => {
  expect(
    messageOf(
      refused(
        'PT409',
        'the days until 2024-12-31 are closed',
        'Nothing was stored. Or open the days first: change closed_until of the account.',
      ),
    ),
  )
    .toEqual({
      message: `The period through ${
        formatDay('2024-12-31')
      } is closed, so nothing was saved. Use a later date, or reopen the period on the Accounts page.`,
      hint: null,
    })
})

test('the error of a too large amount belongs to the field of the amount', () => {
  expect(isAbout(refused('22003', 'numeric field overflow'), 'balance')).toBe(true)
  expect(isAbout(refused('22003', 'numeric field overflow'), 'name')).toBe(false)
})
