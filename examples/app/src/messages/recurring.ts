import { inLanguage } from '../locale/language.ts'

export const recurring = inLanguage({
  en: {
    recurring: 'Recurring',
    newRecurringCost: 'New recurring cost',
    noRecurringCostYetRent:
      'No recurring cost yet. Add rent, insurances and everything else that you pay regularly. The overview and the coming months then show when it is due.',
    isBookedAsOnWhen: (amount: string, date: string) => `Is booked as ${amount} on ${date}, when you record it.`,
    none: 'None',
    toAccount: 'To account',
    chooseAnAccount: 'Choose an account',
    transfer: 'Transfer',
    howOften: 'How often',
    orEverySoManyDays: 'Or every so many days',
    leaveItEmptyUnlessIt: 'Leave it empty unless the cost has another interval.',
    firstDueOn: 'First due on',
    until: 'Until',
    note: 'Note',
    nextDue: 'Next due',
    inAMonth: 'In a month',
    allThatGoOnIn: (currency: string) => `All that go on, in ${currency}`,
    everyDays: (interval: number) => `Every ${interval} days`,
    pause: 'Pause',
    resume: 'Resume',
    goesOn: (title: string) => `${title} goes on.`,
    isPaused: (title: string) => `${title} is paused.`,
    periods: {
      daily: 'Every day',
      weekly: 'Every week',
      monthly: 'Every month',
      quarterly: 'Every quarter',
      'semi-annually': 'Every half year',
      yearly: 'Every year',
    },
  },
})
