import { inLanguage } from '../locale/language.ts'

export const exchangeRates = inLanguage({
  en: {
    newExchangeRate: 'New exchange rate',
    instanceRates: (count: number, day: string) =>
      `${count} rates of the European Central Bank come by themselves every working day; the latest are of ${day}. Reports use them where you have none of your own.`,
    noExchangeRateYetWith: 'No exchange rate yet. With rates the overview shows all of your currencies in one.',
    theNewest: (most: number) => `The newest ${most}.`,
    currencies: 'Currencies',
    from: 'From',
    rate: 'Rate',
    rateFrom: (name: string, date: string) => `${name} from ${date}`,
    in: (currency: string, currency2: string) => `${currency} in ${currency2}`,
    one: 'One',
    aCurrencyByItsThree: 'A currency by its three letters, such as EUR.',
    isWorth: 'Is worth',
    of: 'Of',
    anotherCurrencyTheRateHolds: 'Another currency. The rate holds in both directions.',
    untilThereIsALater: 'Until there is a later rate. Transactions before the first rate cannot be converted.',
  },
  de: {
    newExchangeRate: 'Neuer Wechselkurs',
    instanceRates: (count: number, day: string) =>
      count === 1
        ? `Ein Kurs der Europäischen Zentralbank kommt an jedem Werktag von selbst, zuletzt am ${day}. Er gilt überall, wo du keinen eigenen hast.`
        : `${count} Kurse der Europäischen Zentralbank kommen an jedem Werktag von selbst, zuletzt am ${day}. Sie gelten überall, wo du keinen eigenen hast.`,
    noExchangeRateYetWith: 'Noch kein Wechselkurs. Mit Kursen zeigt die Übersicht alle deine Währungen in einer.',
    theNewest: (most: number) => `Die neuesten ${most}.`,
    currencies: 'Währungen',
    from: 'Ab',
    rate: 'Kurs',
    rateFrom: (name: string, date: string) => `${name} ab ${date}`,
    in: (currency: string, currency2: string) => `${currency} in ${currency2}`,
    one: 'Ein',
    aCurrencyByItsThree: 'Drei Buchstaben einer Währung, z. B. EUR.',
    isWorth: 'sind',
    of: 'in',
    anotherCurrencyTheRateHolds: 'Eine andere Währung. Der Kurs gilt in beide Richtungen.',
    untilThereIsALater: 'Bis es einen neueren Kurs gibt. Buchungen vor dem ersten Kurs lassen sich nicht umrechnen.',
  },
})
