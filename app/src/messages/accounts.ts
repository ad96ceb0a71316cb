import { inLanguage } from '../locale/language.ts'

export const accounts = inLanguage({
  en: {
    newAccount: 'New account',
    type: 'Type',
    openingBalance: 'Opening balance',
    openingBalanceHint: 'The balance before the first transaction.',
    openedOn: 'Opened on',
    openedOnHint:
      'The date of the opening balance. Leave empty if the balance applies from the beginning.',
    closedOn: 'Closed on',
    closedOnHint: 'Closed accounts keep their transactions but no longer appear in forms.',
    closedAccounts: 'Closed accounts',
    upcoming: (amount: string) => `Upcoming: ${amount}`,
    upcomingHint: 'Balances are as of today. “Upcoming” includes pending and future transactions.',
    netWorth: 'Net worth',
    closedSince: (day: string) => `closed on ${day}`,
    bank: 'Bank',
    balance: 'Balance',
    accounts: 'Accounts',
    nextDays: (days: number) => `Next ${days} days`,
    lowestOn: (account: string, balance: string, day: string) =>
      `${account}: lowest on ${day} at ${balance}`,
    endsAt: (balance: string, day: string) => `${balance} on ${day}`,
    empty: 'No accounts yet. An account can be a bank account, a card or cash.',
    types: {
      checking: 'Checking',
      savings: 'Savings',
      credit_card: 'Credit card',
      cash: 'Cash',
      investment: 'Investment',
      loan: 'Loan',
      asset: 'Property or other asset',
    },
  },
  de: {
    newAccount: 'Neues Konto',
    type: 'Art',
    openingBalance: 'Anfangssaldo',
    openingBalanceHint: 'Der Kontostand vor der ersten Buchung.',
    openedOn: 'Eröffnet am',
    openedOnHint: 'Der Tag des Anfangssaldos. Lass das Feld leer, wenn er von Anfang an gilt.',
    closedOn: 'Geschlossen am',
    closedOnHint:
      'Ein geschlossenes Konto behält seine Buchungen, steht aber nicht mehr zur Auswahl.',
    closedAccounts: 'Geschlossene Konten',
    upcoming: (amount: string) => `Kommt noch: ${amount}`,
    upcomingHint:
      'Der Kontostand ist der von heute. Was vorgemerkt oder später datiert ist, kommt noch.',
    netWorth: 'Vermögen',
    closedSince: (day: string) => `geschlossen am ${day}`,
    bank: 'Bank',
    balance: 'Kontostand',
    accounts: 'Konten',
    nextDays: (days: number) => `Die nächsten ${days} Tage`,
    lowestOn: (account: string, balance: string, day: string) =>
      `Am niedrigsten ist ${account} am ${day} mit ${balance}`,
    endsAt: (balance: string, day: string) => `am ${day} sind es ${balance}`,
    empty:
      'Noch kein Konto. Auf einem Konto liegt Geld: bei der Bank, auf einer Karte oder in bar.',
    types: {
      checking: 'Girokonto',
      savings: 'Sparkonto',
      credit_card: 'Kreditkarte',
      cash: 'Bargeld',
      investment: 'Depot',
      loan: 'Kredit',
      asset: 'Immobilie oder anderer Besitz',
    },
  },
})
