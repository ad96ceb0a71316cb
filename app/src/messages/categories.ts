import { inLanguage } from '../locale/language.ts'

export const categories = inLanguage({
  en: {
    newCategory: 'New category',
    kind: 'Type',
    kinds: { expense: 'Expenses', income: 'Income' },
    kindHint: 'Refunds reduce expenses. Subcategories have the same type as their parent.',
    parent: 'Parent category',
    noParent: 'None',
    color: 'Color',
    monthlyBudget: 'Monthly budget',
    monthlyBudgetHint:
      'Leave empty for no budget. You can set a different budget for individual months.',
    deletedAndMoved: (name: string, transactions: number) =>
      `${name} deleted, ${
        transactions === 1 ? '1 transaction' : `${transactions} transactions`
      } moved.`,
    itsContents: 'Its transactions and recurring items',
    uncategorize: 'become uncategorized',
    moveTo: (name: string) => `move to ${name}`,
    title: 'Categories',
    empty:
      'No categories yet. Categories show where your money goes: food, rent, travel. Each can have a budget.',
  },
  de: {
    newCategory: 'Neue Kategorie',
    kind: 'Art',
    kinds: { expense: 'Ausgaben', income: 'Einnahmen' },
    kindHint:
      'Eine Erstattung mindert die Ausgaben. Eine Unterkategorie hat die Art ihrer Oberkategorie.',
    parent: 'Gehört zu',
    noParent: 'keiner anderen Kategorie',
    color: 'Farbe',
    monthlyBudget: 'Monatsbudget',
    monthlyBudgetHint: 'Leer lassen für keins. Einzelne Monate können ein eigenes Budget haben.',
    deletedAndMoved: (name: string, transactions: number) =>
      `${name} gelöscht, ${
        transactions === 1 ? 'eine Buchung' : `${transactions} Buchungen`
      } verschoben.`,
    itsContents: 'Ihre Buchungen und wiederkehrenden Zahlungen',
    uncategorize: 'bleiben ohne Kategorie',
    moveTo: (name: string) => `kommen zu ${name}`,
    title: 'Kategorien',
    empty:
      'Noch keine Kategorie. Kategorien zeigen, wofür dein Geld war: Essen, Miete, Reisen. Jede kann ein Budget haben.',
  },
})
