import { inLanguage } from '../locale/language.ts'

export const forecast = inLanguage({
  en: {
    lookingAhead: 'Looking ahead',
    addAnAccount: 'Add an account',
    aForecastIsOfAccounts: 'A forecast shows the balances of accounts. Add an account first, and choose it for your recurring costs.',
    howFar: 'How far',
    reaches: { 30: 'The next 30 days', 92: 'The next 3 months', 365: 'The next year' },
    eachAccount: 'Each account',
    allAccounts: 'All accounts',
    allIn: (currency: string) => `All in ${currency}`,
    lowest: 'lowest',
    lowestAndLast: (lowest: string, day: string, last: string, until: string) => `lowest on ${day} with ${lowest}; on ${until} it has ${last}`,
    change: 'Change',
    balance: 'Balance',
    shownAs: 'Shown as',
    reason: (name: string, amount: string) => `${name}: ${amount}`,
    withoutARate: 'no exchange rate',
    someHaveNoRate: 'Some amounts have no exchange rate and are left out.',
    whatIf: 'What if …',
    amountOn: (amount: string, day: string, account: string) => `${amount} on ${day}, ${account}`,
    isLater: ', after the forecast',
    day: 'Day',
    isStoredNowhere: 'The app stores no such row. It is lost when you leave the page.',
    tryIt: 'Try it',
  },
})
