import { inLanguage } from '../locale/language.ts'

export const inbox = inLanguage({
  en: {
    inbox: 'Inbox',
    toReviewSentence: (count: number) =>
      count === 1 ? '1 transaction to review.' : `${count} transactions to review.`,
    reviewNow: 'Review now',
    items: 'To review',
    reviewed: (done: number, of: number) => `${done} of ${of} reviewed`,
    allReviewed: 'All caught up',
    allReviewedText: 'There is nothing left to review.',
    viewMonth: 'View this month',
    empty:
      'Transactions from your bank files will appear here, with suggested categories, transfers and expected payments for you to confirm.',
    importFile: 'Import a bank file',
    viewerHint: 'You’re a viewer here. Only the owner, admins and editors can review transactions.',
    acceptCertain: (count: number) =>
      `Accept ${count} high-confidence ${count === 1 ? 'suggestion' : 'suggestions'}`,
    acceptSelected: (count: number) => `Accept ${count} selected`,
    accept: 'Accept',
    confirmTransfer: 'Confirm transfer',
    confirmMatch: 'Confirm payment',
    noSuggestion: 'no suggestion',
    choose: 'Choose a category',
    times: (count: number, name: string) => `${count} × ${name}`,
    select: (name: string) => `Select ${name}`,
    transferBetween: (from: string, to: string) => `Transfer between ${from} and ${to}?`,
    transferQuestion: 'Transfer?',
    dueQuestion: (title: string, day: string) => `${title}, due on ${day}?`,
    transferHint:
      'The amounts cancel out and the dates are close together. If it isn’t a transfer, choose a category.',
    matchHint:
      'If you confirm, the forecast no longer expects this payment. If it’s a different payment, choose a category.',
    categorized: (count: number, category: string) =>
      count === 1
        ? `Categorized as ${category}.`
        : `${count} transactions categorized as ${category}.`,
    accepted: (count: number) =>
      count === 1 ? '1 transaction reviewed.' : `${count} transactions reviewed.`,
    noneLeft: 'Another user has already reviewed these.',
    ruleQuestion: (text: string, category: string) => `Always categorize “${text}” as ${category}?`,
    ruleText: 'Text to match',
    ruleYes: 'Yes, always',
    ruleNo: 'No',
    ruleSaved: (name: string, count: number) =>
      count === 0 ? `Rule “${name}” saved.` : `Rule “${name}” saved, ${count} more reviewed.`,
    differences: 'Doesn’t match the bank',
    differs: (account: string, amount: string, day: string) =>
      `${account} has been off by ${amount} since ${day}`,
    reconcile: 'Reconcile',
    undo: 'Undo',
    nextItem: 'next or previous item',
    acceptKey: 'accept and continue',
    categoryKey: 'choose a different category',
    transferKey: 'confirm the transfer',
    openKey: 'show the transactions, for example to split one',
    selectKey: 'select',
    acceptAllKey: 'accept the selection or all high-confidence suggestions',
    undoKey: 'undo the last action',
    showRows: 'Show in list',
    moreItems: (count: number) => `${count} more not shown yet.`,
    noAccount: 'no account',
    category: 'Category',
    none: '—',
  },
  de: {
    inbox: 'Eingang',
    toReviewSentence: (count: number) =>
      count === 1 ? 'Eine Buchung zu sortieren.' : `${count} Buchungen zu sortieren.`,
    reviewNow: 'Jetzt sortieren',
    items: 'Zu sortieren',
    reviewed: (done: number, of: number) => `${done} von ${of} sortiert`,
    allReviewed: 'Alles sortiert',
    allReviewedText: 'Jede Buchung hat ihren Platz.',
    viewMonth: 'Zum Monat',
    empty:
      'Der Eingang zeigt, was deine Bankdateien bringen: Kategorien, Umbuchungen und erwartete Zahlungen zum Bestätigen.',
    importFile: 'Bankdatei importieren',
    viewerHint: 'Du darfst hier nur lesen. Sortieren können Mitglieder mit Schreibrecht.',
    acceptCertain: (count: number) => `${count} sichere übernehmen`,
    acceptSelected: (count: number) => `${count} ausgewählte übernehmen`,
    accept: 'Übernehmen',
    confirmTransfer: 'Ist eine Umbuchung',
    confirmMatch: 'Ist diese Zahlung',
    noSuggestion: 'kein Vorschlag',
    choose: 'Kategorie wählen',
    times: (count: number, name: string) => `${count} × ${name}`,
    select: (name: string) => `${name} auswählen`,
    transferBetween: (from: string, to: string) => `Umbuchung zwischen ${from} und ${to}?`,
    transferQuestion: 'Umbuchung?',
    dueQuestion: (title: string, day: string) => `${title}, fällig am ${day}?`,
    transferHint:
      'Die Beträge sind entgegengesetzt und liegen nah beieinander. Wählst du eine Kategorie, ist es keine Umbuchung.',
    matchHint:
      'Die Vorschau erwartet die Zahlung dann nicht mehr. Wählst du eine Kategorie, ist es eine andere.',
    categorized: (count: number, category: string) =>
      count === 1 ? `${category} zugeordnet.` : `${count} Buchungen ${category} zugeordnet.`,
    accepted: (count: number) =>
      count === 1 ? 'Eine Buchung sortiert.' : `${count} Buchungen sortiert.`,
    noneLeft: 'Jemand anderes hat sie schon sortiert.',
    ruleQuestion: (text: string, category: string) => `„${text}“ immer ${category} zuordnen?`,
    ruleText: 'Text der Regel',
    ruleYes: 'Ja, immer',
    ruleNo: 'Nein',
    ruleSaved: (name: string, count: number) =>
      count === 0
        ? `Regel „${name}“ gespeichert.`
        : `Regel „${name}“ gespeichert, ${count} weitere sortiert.`,
    differences: 'Weicht von der Bank ab',
    differs: (account: string, amount: string, day: string) =>
      `${account} weicht seit ${day} um ${amount} ab`,
    reconcile: 'Abgleichen',
    undo: 'Zurücknehmen',
    nextItem: 'nächster, vorheriger Eintrag',
    acceptKey: 'übernehmen und weiter',
    categoryKey: 'andere Kategorie wählen',
    transferKey: 'Umbuchung bestätigen',
    openKey: 'Buchungen zeigen, etwa zum Aufteilen',
    selectKey: 'auswählen',
    acceptAllKey: 'Auswahl oder alles Sichere übernehmen',
    undoKey: 'das Letzte zurücknehmen',
    showRows: 'In der Liste zeigen',
    moreItems: (count: number) => `${count} weitere folgen, wenn diese sortiert sind.`,
    noAccount: 'kein Konto',
    category: 'Kategorie',
    none: '—',
  },
})
