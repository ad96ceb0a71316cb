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
  [
    refused('22023', 'from_account_id and to_account_id must be different'),
    'Something went wrong.',
  ],
  [refused('NETWORK_ERROR', 'fetch failed'), 'No response. Check your connection and try again.'],
])('the message for “%s” contains no term of the database', (error, message) => {
  expect(messageOf(error)).toEqual({ message, hint: null })
})

test('messages of the service for people are shown, and its hints for programs are not', () => {
  expect(
    messageOf(
      refused(
        '22023',
        "you can't change the currency of one side of a transfer",
        'Delete the transfer and create another.',
      ),
    ),
  )
    .toEqual({
      message: "You can't change the currency of one side of a transfer.",
      hint: 'Delete the transfer and create another.',
    })
  expect(
    messageOf(
      refused(
        '22023',
        'the account is in EUR, but the transaction is in USD',
        "Omit currency or send the account's currency. To move money, use /rpc/create_transfer.",
      ),
    ),
  )
    .toEqual({ message: 'The account is in EUR, but the transaction is in USD.', hint: null })
})

test('the app says team and link where the service says organization and token', () => {
  expect(messageOf(refused('ORGANIZATION_LIMIT_REACHED', 'You can own up to 5 organizations.')))
    .toEqual({ message: 'You can own up to 5 teams.', hint: null })
  expect(messageOf(refused('INVALID_TOKEN', 'The token is invalid, expired or already used.')))
    .toEqual({ message: 'This link is invalid, expired or already used.', hint: null })
})

test('a refusal for closed days names the last one as users write it, and says where they are opened', () => {
  expect(
    messageOf(
      refused(
        'PT409',
        'the period through 2024-12-31 is closed',
        'Nothing was saved. Use a later date, or reopen the period first: change closed_until of the account.',
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
