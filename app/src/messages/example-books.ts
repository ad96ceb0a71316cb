import { inLanguage } from '../locale/language.ts'

export const exampleBooks = inLanguage({
  en: {
    add: 'Explore with sample data',
    addHint:
      'A year of data from a fictional household, in your currency. You can remove it with one click.',
    added: 'Sample data added. Look around and try everything.',
    notice: 'You are looking at sample data.',
    remove: 'Remove sample data',
    removed: 'Sample data removed.',
    keptBecauseUsed: (names: string) =>
      `Sample data removed. Your own transactions use ${names}, so we kept these but removed their sample balances.`,
    title: 'Sample data',
    notEmpty: 'You can only add sample data to an empty workspace.',
  },
  de: {
    add: 'Mit Beispieldaten umsehen',
    addHint:
      'Ein Jahr eines erfundenen Haushalts, in deiner Währung. Mit einem Tipp ist es wieder weg.',
    added: 'Die Beispieldaten sind da: Sieh dich um und probiere alles aus.',
    notice: 'Das sind Beispieldaten.',
    remove: 'Entfernen',
    removed: 'Die Beispieldaten sind entfernt.',
    keptBecauseUsed: (names: string) =>
      `Die Beispieldaten sind entfernt. Deine eigenen Daten verwenden ${names}, deshalb bleibt das, ohne den Saldo der Beispiele.`,
    title: 'Beispieldaten',
    notEmpty: 'Beispieldaten kannst du nur hinzufügen, solange hier noch nichts steht.',
  },
})
