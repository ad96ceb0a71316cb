import { inLanguage } from '../locale/language.ts'

export const categories = inLanguage({
  en: {
    newCategory: 'New category',
    kind: 'Kind',
    kinds: { expense: 'Expenses', income: 'Income' },
    aRefundLowersExpenses: 'A refund lowers the expenses. A subcategory has the kind of its parent.',
    partOf: 'Part of',
    noParent: 'no other category',
    colour: 'Colour',
    monthlyBudget: 'Monthly budget',
    emptyForNoneAMonth: 'Empty for none. A month may have a budget of its own.',
    isDeletedAndTransactionsHave: (name: string, transactions: number) =>
      `${name} is deleted, and ${transactions === 1 ? 'one transaction has' : `${transactions} transactions have`} moved.`,
    itsTransactionsAndRecurringCosts: 'Its transactions and recurring costs',
    stayWithoutACategory: 'stay without a category',
    moveTo: (name: string) => `move to ${name}`,
    categories: 'Categories',
    noCategoryYetCategoriesSay: 'No category yet. Categories say what money was for: food, rent, travel. Each may have a budget.',
  },
  de: {
    newCategory: 'Neue Kategorie',
    kind: 'Art',
    kinds: { expense: 'Ausgaben', income: 'Einnahmen' },
    aRefundLowersExpenses: 'Eine Erstattung mindert die Ausgaben. Eine Unterkategorie hat die Art ihrer Oberkategorie.',
    partOf: 'Gehört zu',
    noParent: 'keiner anderen Kategorie',
    colour: 'Farbe',
    monthlyBudget: 'Monatsbudget',
    emptyForNoneAMonth: 'Leer lassen für keins. Einzelne Monate können ein eigenes Budget haben.',
    isDeletedAndTransactionsHave: (name: string, transactions: number) =>
      `${name} gelöscht, ${transactions === 1 ? 'eine Buchung' : `${transactions} Buchungen`} verschoben.`,
    itsTransactionsAndRecurringCosts: 'Ihre Buchungen und wiederkehrenden Zahlungen',
    stayWithoutACategory: 'bleiben ohne Kategorie',
    moveTo: (name: string) => `kommen zu ${name}`,
    categories: 'Kategorien',
    noCategoryYetCategoriesSay: 'Noch keine Kategorie. Kategorien zeigen, wofür dein Geld war: Essen, Miete, Reisen. Jede kann ein Budget haben.',
  },
})
