import { inLanguage } from '../locale/language.ts'

export const overview = inLanguage({
  en: {
    overview: 'Overview',
    balances: 'Balances',
    dueNext: 'Due next',
    spending: 'Spending',
    budgets: 'Budgets',
    nobodyOfTheTeamHas: 'No member of the team has entered anything yet.',
    addAnAccount: 'Add an account',
    importABanksFile: 'Import a bank’s file',
    addATransaction: 'Add a transaction',
    yourMoneyWillBeHere: 'Your money will be here at a glance. Begin with an account, or with a file of your bank.',
  },
  de: {
    overview: 'Übersicht',
    balances: 'Kontostände',
    dueNext: 'Demnächst fällig',
    spending: 'Ausgaben',
    budgets: 'Budgets',
    nobodyOfTheTeamHas: 'Im Team hat noch niemand etwas eingetragen.',
    addAnAccount: 'Konto anlegen',
    importABanksFile: 'Bankdatei importieren',
    addATransaction: 'Buchung eintragen',
    yourMoneyWillBeHere: 'Hier siehst du bald dein Geld auf einen Blick. Leg zuerst ein Konto an oder importiere eine Datei deiner Bank.',
  },
})
