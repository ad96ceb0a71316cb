import { inLanguage } from '../locale/language.ts'

export const exchangeRates = inLanguage({
  en: {
    newExchangeRate: 'New exchange rate',
    instanceRates: (count: number, day: string) =>
      count === 1
        ? `1 rate from the European Central Bank is updated every business day, most recently on ${day}. Reports use it wherever you haven’t entered your own.`
        : `${count} rates from the European Central Bank are updated every business day, most recently on ${day}. Reports use them wherever you haven’t entered your own.`,
    empty:
      'No exchange rates yet. Add rates to see all your money in one currency on the overview.',
    theNewest: (most: number) => `Showing the newest ${most}.`,
    currencies: 'Currencies',
    validFrom: 'Valid from',
    rate: 'Rate',
    rateFrom: (name: string, date: string) => `${name} from ${date}`,
    pair: (base: string, quote: string) => `${base} to ${quote}`,
    base: 'From currency',
    baseHint: 'Three letters, such as EUR.',
    baseIsWorth: 'Rate',
    quote: 'To currency',
    quoteHint: 'The rate applies in both directions.',
    validFromHint:
      'Applies until the next rate. Transactions before the first rate can’t be converted.',
  },
  de: {
    newExchangeRate: 'Neuer Wechselkurs',
    instanceRates: (count: number, day: string) =>
      count === 1
        ? `Ein Kurs der Europäischen Zentralbank kommt an jedem Werktag von selbst, zuletzt am ${day}. Er gilt überall, wo du keinen eigenen hast.`
        : `${count} Kurse der Europäischen Zentralbank kommen an jedem Werktag von selbst, zuletzt am ${day}. Sie gelten überall, wo du keinen eigenen hast.`,
    empty: 'Noch kein Wechselkurs. Mit Kursen zeigt die Übersicht alle deine Währungen in einer.',
    theNewest: (most: number) => `Die neuesten ${most}.`,
    currencies: 'Währungen',
    validFrom: 'Ab',
    rate: 'Kurs',
    rateFrom: (name: string, date: string) => `${name} ab ${date}`,
    pair: (base: string, quote: string) => `${base} in ${quote}`,
    base: 'Ein',
    baseHint: 'Drei Buchstaben einer Währung, z. B. EUR.',
    baseIsWorth: 'sind',
    quote: 'in',
    quoteHint: 'Eine andere Währung. Der Kurs gilt in beide Richtungen.',
    validFromHint:
      'Bis es einen neueren Kurs gibt. Buchungen vor dem ersten Kurs lassen sich nicht umrechnen.',
  },
})
