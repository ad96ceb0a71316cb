import { inLanguage } from '../locale/language.ts'

export const reconciliation = inLanguage({
  en: {
    notFound: 'This account isn’t in this workspace. It may have been deleted.',
    allAccounts: 'All accounts',
    currentBalance: 'Current balance',
    viewTransactions: 'View transactions',
    title: 'Reconciliation',
    hint:
      'Enter the balance from a bank statement. The app compares it with your transactions up to that day. No money is moved.',
    statementBalance: 'Statement balance',
    statementDate: 'Statement date',
    compare: 'Compare',
    saved: (amount: string, day: string) => `Balance of ${amount} on ${day} saved.`,
    balanceOf: (day: string) => `Balance on ${day}`,
    day: 'Date',
    calculated: 'Calculated balance',
    difference: 'Difference',
    reconciled: 'reconciled',
    transactionsSince: 'New transactions',
    sources: { statement: 'from a statement', manual: 'entered manually' },
    reconcile: 'Reconcile',
    reconcileOf: (day: string) => `Reconcile ${day}`,
    adjustQuestion: (day: string) => `Adjust the balance on ${day}?`,
    adjustment: 'Balance adjustment',
    adjustHint: (amount: string, day: string, isIncome: boolean) =>
      `This adds a “Balance adjustment” transaction of ${amount} on ${day}. Reports count it as ${
        isIncome ? 'income' : 'an expense'
      }. You can categorize it afterward.`,
    adjustWarning: 'First check for a wrong, missing or duplicate transaction.',
    adjust: 'Add adjustment',
    adjusted: (amount: string, day: string) => `Adjustment of ${amount} on ${day} added.`,
    noDifference: 'The balance already matches, so nothing was added.',
    closedPeriods: 'Closed periods',
    noneClosed:
      'Close a period to keep its figures from changing, for example after filing your taxes.',
    closedHint: (day: string) =>
      `Closed through ${day}. Transactions in this period can’t be added, changed or deleted.`,
    closedForAll: (day: string) => `All accounts are closed through ${day}.`,
    closeThrough: 'Close through',
    closeAllHint: 'Applies to all accounts.',
    close: 'Close period',
    reopen: 'Reopen period',
    closed: (day: string) => `Closed through ${day}.`,
    reopened: 'Period reopened.',
  },
  de: {
    notFound: 'Dieses Konto gibt es hier nicht. Vielleicht wurde es gelöscht.',
    allAccounts: 'Alle Konten',
    currentBalance: 'Kontostand heute',
    viewTransactions: 'Buchungen ansehen',
    title: 'Abgleich mit der Bank',
    hint:
      'Trag den Kontostand aus einem Kontoauszug ein. Die App vergleicht ihn mit deinen Buchungen bis zu diesem Tag. Es wird kein Geld bewegt.',
    statementBalance: 'Kontostand laut Bank',
    statementDate: 'Am Ende des',
    compare: 'Vergleichen',
    saved: (amount: string, day: string) => `${amount} am ${day} gespeichert.`,
    balanceOf: (day: string) => `Kontostand vom ${day}`,
    day: 'Tag',
    calculated: 'Berechnet',
    difference: 'Unterschied',
    reconciled: 'stimmt',
    transactionsSince: 'Buchungen seit',
    sources: { statement: 'aus einem Auszug', manual: 'selbst eingetragen' },
    reconcile: 'Abgleichen',
    reconcileOf: (day: string) => `Auszug vom ${day} abgleichen`,
    adjustQuestion: (day: string) => `Kontostand vom ${day} berichtigen?`,
    adjustment: 'Saldokorrektur',
    adjustHint: (amount: string, day: string, isIncome: boolean) =>
      `Am ${day} wird eine Buchung „Saldokorrektur“ über ${amount} eingetragen. Sie zählt als ${
        isIncome ? 'Einnahme' : 'Ausgabe'
      }; gib ihr danach eine Kategorie.`,
    adjustWarning: 'Schau zuerst, ob eine Buchung falsch ist, fehlt oder doppelt da ist.',
    adjust: 'Buchen',
    adjusted: (amount: string, day: string) => `${amount} am ${day} gebucht.`,
    noDifference: 'Es gibt keinen Unterschied mehr, deshalb wurde nichts gebucht.',
    closedPeriods: 'Abgeschlossene Tage',
    noneClosed:
      'Kein Tag ist abgeschlossen. Schließ Tage ab, wenn sich ihre Zahlen nicht mehr ändern sollen, etwa nach der Steuererklärung.',
    closedHint: (day: string) =>
      `Die Tage bis ${day} sind abgeschlossen. Buchungen lassen sich dort nicht mehr eintragen, ändern oder löschen.`,
    closedForAll: (day: string) => `Für alle Konten sind die Tage bis ${day} abgeschlossen.`,
    closeThrough: 'Tage abschließen bis',
    closeAllHint: 'Die Tage aller Konten.',
    close: 'Tage abschließen',
    reopen: 'Tage wieder öffnen',
    closed: (day: string) => `Die Tage bis ${day} sind abgeschlossen.`,
    reopened: 'Die Tage sind wieder offen.',
  },
})
