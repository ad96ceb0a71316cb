/**
 * The language of the texts, and the locale of figures and dates. Both are fixed while the page is
 * open.
 */

/** The languages of the app, each with its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof languages

const isLanguage = (text: string | null): text is Language => text !== null && text in languages

/** The entry of the browser's storage with the user's choice. */
export const languageEntry = 'language'

/**
 * Returns the language that the user chose on this device; null if the browser's language decides.
 */
export function chosenLanguage(): Language | null {
  try {
    const chosen = globalThis.localStorage?.getItem(languageEntry) ?? null
    return isLanguage(chosen) ? chosen : null
  } catch {
    // the browser may forbid the storage
    return null
  }
}

/**
 * Returns the first language of a browser that the app has, otherwise English.
 * @param preferred the browser's locales, such as `de-AT`, the preferred one first
 */
export const preferredLanguage = (preferred: readonly string[]): Language =>
  preferred.map((locale) => new Intl.Locale(locale).language).find(isLanguage) ?? 'en'

/**
 * Returns the locale of words, figures and dates: the browser's own locale of the language,
 * otherwise the language with the browser's region, such as `en-DE`. So amounts and dates always
 * look like those of one language.
 */
export function localeOf(language: Language, preferred: readonly string[]): string {
  const exact = preferred.find((locale) => new Intl.Locale(locale).language === language)
  if (exact !== undefined) return exact
  const { region } = new Intl.Locale(preferred[0] ?? 'en').maximize()
  return region === undefined ? language : `${language}-${region}`
}

const browserLocales = globalThis.navigator?.languages ?? ['en']

export const language: Language = chosenLanguage() ?? preferredLanguage(browserLocales)

export const locale = localeOf(language, browserLocales)

/** The keys and parameters of a catalogue, with any text. */
type Texts<Messages> = Messages extends (...values: infer Values) => infer Text ?
  (...values: Values) => Texts<Text>
  : Messages extends string ? string
  : { [Key in keyof Messages]: Texts<Messages[Key]> }

/** Returns the texts of the current language. */
export const inLanguage = <Messages>(
  catalogues: { en: Messages } & Record<Exclude<Language, 'en'>, Texts<NoInfer<Messages>>>,
): Texts<Messages> => catalogues[language] as Texts<Messages>
