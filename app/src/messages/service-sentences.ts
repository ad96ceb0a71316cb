import { inLanguage, language } from '../locale/language.ts'

let german: Readonly<Record<string, string>> = {}

/**
 * Loads the German sentences. An error comes later than the first view, which they would make
 * slower.
 */
async function loadGerman(): Promise<void> {
  german = (await import('./service-sentences-german.ts')).german
}
if (language === 'de') void loadGerman()

/** Returns a sentence of the service in the user's language; null if it is unknown. */
export const serviceSentences = inLanguage({
  en: { of: (_code: string, sentence: string): string | null => sentence, done: 'Done.' },
  de: {
    of: (code: string, sentence: string) => german[code] ?? german[sentence] ?? null,
    done: 'Erledigt.',
  },
})
