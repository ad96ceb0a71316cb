import { inLanguage } from '../locale/language.ts'

export const overview = inLanguage({
  en: {
    title: 'Overview',
    netWorth: 'Net worth',
    thisMonth: 'This month',
    comingUp: 'Coming up',
    leftOver: 'Left over',
    netWorthOn: (day: string) => `on ${day}`,
    netWorthAtEnd: (month: string) => `at the end of ${month}`,
    sinceEndOf: (change: string, month: string) => `${change} since the end of ${month}`,
    unchangedSince: (month: string) => `unchanged since the end of ${month}`,
    plusWithoutRate: (amount: string, count: number) =>
      `plus ${amount} in ${
        count === 1 ? '1 account' : `${count} accounts`
      } without an exchange rate`,
    plusNotIncluded: (amount: string, count: number) =>
      `plus ${amount} in ${count === 1 ? '1 account' : `${count} accounts`}, not included`,
    netWorthChart: 'Net worth over time',
    noFigures: 'No figures for this month.',
    accounts: 'Accounts',
    spentSoFar: 'spent so far, minus refunds',
    spentIn: (month: string) => `spent in ${month}, minus refunds`,
    leftOfBudgets: (amount: string, budgets: string) => `${amount} left of ${budgets} budgeted`,
    overBudgets: (amount: string, budgets: string) => `${amount} over the ${budgets} budgeted`,
    leftOfIncome: (amount: string, income: string) => `${amount} left of ${income} income`,
    moreThanIncome: (amount: string, income: string) =>
      `${amount} more than your income of ${income}`,
    moreThan: (amount: string, days: string) => `${amount} more than ${days}`,
    lessThan: (amount: string, days: string) => `${amount} less than ${days}`,
    asMuchAs: (days: string) => `the same as ${days}`,
    moreThanUsual: (amount: string) => `${amount} more than your three-month average`,
    lessThanUsual: (amount: string) => `${amount} less than your three-month average`,
    asMuchAsUsual: 'the same as your three-month average',
    spendingChart: 'Spending by day',
    spentUntil: (day: string, amount: string, before: string) =>
      `${day}: ${amount}, previous month ${before}`,
    spentBeforeUntil: (day: string, before: string) => `${day}: previous month ${before}`,
    spendingChartLimit: 'Daily spending is shown only for recent months.',
    thisMonthsLine: 'this month',
    lastMonthsLine: 'previous month',
    day: 'Date',
    previousMonth: 'Previous month',
    lowestToday: 'lowest balance, today',
    withoutAccount: (count: number) =>
      count === 1
        ? '1 recurring item has no account and is not included'
        : `${count} recurring items have no account and are not included`,
    lowestOn: (day: string) => `lowest balance, on ${day}`,
    todayAndLast: (count: number, today: string, last: string) =>
      `${today} today, ${last} in ${count} days`,
    fallsBelowZero: (account: string, day: string, amount: string) =>
      `${account} falls below zero on ${day}: ${amount}`,
    forecastChart: 'Balance forecast',
    forecastEmpty: 'Add an account to see a forecast.',
    forecast: 'Forecast',
    transactions: 'Transactions',
    leftOverIn: (month: string) => `income minus expenses in ${month}`,
    balances: 'Balances',
    dueNext: 'Due next',
    spending: 'Spending',
    budgets: 'Budgets',
    teamEmpty: 'No one on the team has added anything yet.',
    addAccount: 'Add an account',
    importFile: 'Import a bank file',
    addTransaction: 'Add a transaction',
    empty: 'Your finances at a glance. Start with an account, or with a file from your bank.',
  },
  de: {
    title: 'Übersicht',
    netWorth: 'Wie viel ist da',
    thisMonth: 'Dieser Monat',
    comingUp: 'Was kommt',
    leftOver: 'Was übrig blieb',
    netWorthOn: (day: string) => `Vermögen am ${day}`,
    netWorthAtEnd: (month: string) => `Vermögen Ende ${month}`,
    sinceEndOf: (change: string, month: string) => `${change} seit Ende ${month}`,
    unchangedSince: (month: string) => `unverändert seit Ende ${month}`,
    plusWithoutRate: (amount: string, count: number) =>
      `dazu ${amount} auf ${count === 1 ? '1 Konto' : `${count} Konten`}, kein Wechselkurs`,
    plusNotIncluded: (amount: string, count: number) =>
      `dazu ${amount} auf ${count === 1 ? '1 Konto' : `${count} Konten`}, nicht eingerechnet`,
    netWorthChart: 'Verlauf des Vermögens',
    noFigures: 'Für diesen Monat gibt es keine Zahlen.',
    accounts: 'Konten',
    spentSoFar: 'bisher ausgegeben, abzüglich Erstattungen',
    spentIn: (month: string) => `ausgegeben im ${month}, abzüglich Erstattungen`,
    leftOfBudgets: (amount: string, budgets: string) => `${amount} übrig von ${budgets} Budget`,
    overBudgets: (amount: string, budgets: string) =>
      `${amount} über deinen Budgets von ${budgets}`,
    leftOfIncome: (amount: string, income: string) => `${amount} übrig von ${income} Einnahmen`,
    moreThanIncome: (amount: string, income: string) =>
      `${amount} mehr als deine Einnahmen von ${income}`,
    moreThan: (amount: string, days: string) => `${amount} mehr als ${days}`,
    lessThan: (amount: string, days: string) => `${amount} weniger als ${days}`,
    asMuchAs: (days: string) => `so viel wie ${days}`,
    moreThanUsual: (amount: string) => `${amount} mehr als im Schnitt von drei Monaten`,
    lessThanUsual: (amount: string) => `${amount} weniger als im Schnitt von drei Monaten`,
    asMuchAsUsual: 'so viel wie im Schnitt von drei Monaten',
    spendingChart: 'Ausgaben des Monats, Tag für Tag',
    spentUntil: (day: string, amount: string, before: string) =>
      `${day}: ${amount}, im Vormonat ${before}`,
    spentBeforeUntil: (day: string, before: string) => `${day}: im Vormonat ${before}`,
    spendingChartLimit: 'Den Verlauf nach Tagen gibt es nur für die letzten Monate.',
    thisMonthsLine: 'dieser Monat',
    lastMonthsLine: 'Vormonat',
    day: 'Tag',
    previousMonth: 'Vormonat',
    lowestToday: 'niedrigster Stand, heute',
    withoutAccount: (count: number) =>
      count === 1
        ? '1 wiederkehrende Zahlung hat kein Konto und fehlt hier'
        : `${count} wiederkehrende Zahlungen haben kein Konto und fehlen hier`,
    lowestOn: (day: string) => `niedrigster Stand, am ${day}`,
    todayAndLast: (count: number, today: string, last: string) =>
      `heute ${today}, in ${count} Tagen ${last}`,
    fallsBelowZero: (account: string, day: string, amount: string) =>
      `${account} fällt am ${day} unter null: ${amount}`,
    forecastChart: 'Ausblick auf den Kontostand',
    forecastEmpty: 'Für einen Ausblick brauchst du ein Konto.',
    forecast: 'Ausblick',
    transactions: 'Buchungen',
    leftOverIn: (month: string) => `Einnahmen minus Ausgaben im ${month}`,
    balances: 'Kontostände',
    dueNext: 'Demnächst fällig',
    spending: 'Ausgaben',
    budgets: 'Budgets',
    teamEmpty: 'Im Team hat noch niemand etwas eingetragen.',
    addAccount: 'Konto anlegen',
    importFile: 'Bankdatei importieren',
    addTransaction: 'Buchung eintragen',
    empty:
      'Hier siehst du bald dein Geld auf einen Blick. Leg zuerst ein Konto an oder importiere eine Datei deiner Bank.',
  },
})
