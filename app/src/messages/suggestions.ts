import { inLanguage } from '../locale/language.ts'

export const suggestions = inLanguage({
  en: {
    seen: (agreeing: number, seen: number, payee: string, category: string) =>
      agreeing === seen
        ? `All ${seen} transactions with “${payee}” are in ${category}.`
        : `${agreeing} of ${seen} transactions with “${payee}” are in ${category}.`,
    mixed: (agreeing: number, seen: number, payee: string) =>
      `Only ${agreeing} of ${seen} transactions with “${payee}” have the same category.`,
    isNew: (payee: string) => `No transaction with “${payee}” has a category yet.`,
    ruleApplies: (name: string) => `The rule “${name}” applies.`,
    ruleMakesTransfer: (name: string) => `The rule “${name}” marks it as a transfer.`,
    few: (payee: string) => `Fewer than three transactions with “${payee}” have the same category.`,
  },
  de: {
    seen: (agreeing: number, seen: number, payee: string, category: string) =>
      agreeing === seen
        ? `Alle ${seen} Buchungen von „${payee}“ sind in ${category}.`
        : `${agreeing} von ${seen} Buchungen von „${payee}“ sind in ${category}.`,
    mixed: (agreeing: number, seen: number, payee: string) =>
      `Nur ${agreeing} von ${seen} Buchungen von „${payee}“ haben dieselbe Kategorie.`,
    isNew: (payee: string) => `„${payee}“ hat noch in keiner Buchung eine Kategorie.`,
    ruleApplies: (name: string) => `Die Regel „${name}“ gilt.`,
    ruleMakesTransfer: (name: string) => `Die Regel „${name}“ macht eine Umbuchung daraus.`,
    few: (payee: string) => `Weniger als drei Buchungen von „${payee}“ haben dieselbe Kategorie.`,
  },
})
