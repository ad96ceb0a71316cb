import { inLanguage } from '../locale/language.ts'

export const exampleBooks = inLanguage({
  en: {
    lookAround: 'Look around with example books',
    aYearOfAHousehold: 'A year of a household that does not exist, in your currency. You remove it with one tap.',
    examplesAreHere: 'Example books are here: look around and try everything.',
    theseAreExamples: 'These are example books.',
    removeThem: 'Remove them',
    examplesAreRemoved: 'The example books are removed.',
    keptBecauseUsed: (names: string) => `The example books are removed. Your own rows use ${names}, so these stay, without their example balance.`,
    exampleBooks: 'Example books',
    thereAreRowsAlready: 'You can add example books only as long as there is nothing here yet.',
  },
  de: {
    lookAround: 'Mit Beispieldaten umsehen',
    aYearOfAHousehold: 'Ein Jahr eines erfundenen Haushalts, in deiner Währung. Mit einem Tipp ist es wieder weg.',
    examplesAreHere: 'Die Beispieldaten sind da: Sieh dich um und probiere alles aus.',
    theseAreExamples: 'Das sind Beispieldaten.',
    removeThem: 'Entfernen',
    examplesAreRemoved: 'Die Beispieldaten sind entfernt.',
    keptBecauseUsed: (names: string) =>
      `Die Beispieldaten sind entfernt. Deine eigenen Daten verwenden ${names}, deshalb bleibt das, ohne den Saldo der Beispiele.`,
    exampleBooks: 'Beispieldaten',
    thereAreRowsAlready: 'Beispieldaten kannst du nur hinzufügen, solange hier noch nichts steht.',
  },
})
