import { inLanguage } from '../locale/language.ts'

export const agreement = inLanguage({
  en: {
    thisAccountIsNotHere: 'This account is not in this context. Another user may have deleted it.',
    allAccounts: 'All accounts',
    currentBalance: 'Balance of today',
    transactions: 'Its transactions',
    agreementWithTheBank: 'Agreement with the bank',
    enterWhatTheBankSays: 'Enter the balance of a statement. The app compares it with the transactions until that day. It moves no money.',
    theBankSays: 'The bank says',
    onDay: 'At the end of',
    store: 'Compare',
    isStated: (amount: string, day: string) => `${amount} on ${day} is stored.`,
    balanceOf: (day: string) => `the balance of ${day}`,
    day: 'Day',
    computed: 'Computed',
    difference: 'Difference',
    agrees: 'agrees',
    rowsBetween: 'Transactions since',
    sources: { statement: 'from a statement', manual: 'entered by hand' },
    correct: 'Correct',
    correctOf: (day: string) => `Correct the balance of ${day}?`,
    wouldBook: (amount: string, day: string, isIncome: boolean) =>
      `One transaction “Balance adjustment” of ${amount} is booked on ${day}. Reports count it as an ${
        isIncome ? 'income' : 'expense'
      }; give it a category afterwards.`,
    lookFirst: 'First look for a transaction that is wrong, missing or there twice.',
    book: 'Book it',
    isBooked: (amount: string, day: string) => `${amount} is booked on ${day}.`,
    nothingToBook: 'There is no difference any more, so nothing was booked.',
    closedDays: 'Closed days',
    noDayIsClosed: 'No day is closed. Close days when their figures must stay as they are, such as after a tax return.',
    daysAreClosed: (day: string) => `The days until ${day} are closed. No transaction on them can be added, changed or deleted.`,
    closedForAll: (day: string) => `The days of all accounts are closed until ${day}.`,
    closeUpTo: 'Close the days up to',
    ofAllAccounts: 'The days of all accounts.',
    closeTheDays: 'Close the days',
    openTheDays: 'Open the days again',
    areClosed: (day: string) => `The days until ${day} are closed.`,
    areOpen: 'The days are open again.',
  },
})
