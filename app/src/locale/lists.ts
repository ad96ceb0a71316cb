/** Lists within a sentence. */
import { locale as appLocale } from './language.ts'

/** Joins parts with commas and “and”, as the language does it. */
export const listOf = (parts: readonly string[], locale = appLocale): string =>
  new Intl.ListFormat(locale).format(parts)
