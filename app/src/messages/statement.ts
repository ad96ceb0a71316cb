import { inLanguage } from '../locale/language.ts'

export const statement = inLanguage({
  en: {
    title: (account: string, day: string) => `${account}: statement dated ${day}`,
    backToAccount: 'Back to account',
    noBalance: 'No balance has been entered for this day. Enter one on the account page.',
    reconciled: 'Reconciled',
    differs: (amount: string) => `Off by ${amount}`,
    statementBalance: 'Statement balance',
    calculated: 'Calculated balance',
    checked: 'Checked',
    checkedOf: (count: number, all: number) => `${count} of ${all}`,
    checkedBalance: 'Balance with checked transactions',
    since: (day: string) => `Transactions since ${day}`,
    sinceStart: 'All transactions up to this day',
    hint:
      'Check off everything on the statement. Anything left unchecked is wrong, a duplicate, or not on the statement.',
    checkAll: 'Check all',
    clearAll: 'Clear all',
    empty: 'No transactions in this period.',
    tooMany: (count: number) =>
      `Only the newest ${count} transactions are listed. Enter an earlier statement balance first.`,
    pending: 'pending',
    explanations: 'Possible explanations',
    noExplanation:
      'No single transaction explains the difference. If one is missing, add it with “New transaction”.',
    wasPosted: (names: string) => `${names}: pending here, but posted by the bank.`,
    markPaid: 'Mark as posted',
    mayBeDuplicate: (name: string, day: string, other: string) =>
      `${name} on ${day} may be a duplicate of ${other}.`,
    mayBeExtra: (name: string, day: string) => `${name} on ${day} may not be on the statement.`,
    delete: 'Delete',
    mayHaveOtherSign: (name: string, day: string, amount: string) =>
      `${name} on ${day} may have the wrong sign. The correct amount would be ${amount}.`,
    mayHaveSwappedDigits: (name: string, day: string, amount: string) =>
      `${name} on ${day} may have two digits swapped. The correct amount would be ${amount}.`,
    change: 'Change',
    actionOn: (action: string, name: string) => `${action} ${name}`,
    closeThrough: (day: string) => `Close through ${day}`,
    closedThrough: (day: string) => `Closed through ${day}. These figures won’t change.`,
    closeHint: 'Closing the period protects these figures from accidental changes.',
    adjust: 'Adjust balance',
  },
  de: {
    title: (account: string, day: string) => `${account}: Auszug vom ${day}`,
    backToAccount: 'Zum Konto',
    noBalance:
      'Für diesen Tag ist kein Kontostand eingetragen. Trag ihn auf der Seite des Kontos ein.',
    reconciled: 'Stimmt',
    differs: (amount: string) => `${amount} Unterschied`,
    statementBalance: 'Kontostand laut Bank',
    calculated: 'Hier berechnet',
    checked: 'Abgehakt',
    checkedOf: (count: number, all: number) => `${count} von ${all}`,
    checkedBalance: 'Mit den abgehakten Buchungen',
    since: (day: string) => `Buchungen seit dem ${day}`,
    sinceStart: 'Alle Buchungen bis dahin',
    hint:
      'Hak ab, was auf dem Auszug steht. Was übrig bleibt, ist falsch, doppelt oder fehlt bei der Bank.',
    checkAll: 'Alle abhaken',
    clearAll: 'Keine abhaken',
    empty: 'In diesen Tagen gibt es keine Buchung.',
    tooMany: (count: number) =>
      `Hier stehen nur die neuesten ${count} Buchungen. Trag zuerst einen früheren Kontostand ein.`,
    pending: 'vorgemerkt',
    explanations: 'Das würde es erklären',
    noExplanation:
      'Keine einzelne Buchung erklärt den Unterschied. Fehlt eine, trag sie mit „Neue Buchung“ ein.',
    wasPosted: (names: string) => `${names}: hier vorgemerkt, bei der Bank gebucht.`,
    markPaid: 'Als gebucht markieren',
    mayBeDuplicate: (name: string, day: string, other: string) =>
      `${name} vom ${day} ist vielleicht eine Kopie von ${other}.`,
    mayBeExtra: (name: string, day: string) => `${name} vom ${day} fehlt vielleicht bei der Bank.`,
    delete: 'Löschen',
    mayHaveOtherSign: (name: string, day: string, amount: string) =>
      `${name} vom ${day} ist vielleicht ${amount}, mit dem anderen Vorzeichen.`,
    mayHaveSwappedDigits: (name: string, day: string, amount: string) =>
      `${name} vom ${day} ist vielleicht ${amount}: zwei Ziffern sind vertauscht.`,
    change: 'Ändern',
    actionOn: (action: string, name: string) => `${action}: ${name}`,
    closeThrough: (day: string) => `Tage bis ${day} abschließen`,
    closedThrough: (day: string) =>
      `Die Tage bis ${day} sind abgeschlossen, diese Zahlen bleiben so.`,
    closeHint: 'Abgeschlossene Tage bleiben, wie sie sind: Niemand ändert sie aus Versehen.',
    adjust: 'Unterschied buchen',
  },
})
