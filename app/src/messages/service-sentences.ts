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

/** Sentences of codes for which the service has words of its interface, such as organization. */
export const english: Readonly<Record<string, string>> = {
  INVALID_TOKEN: 'This link is invalid, expired or already used.',
  MEMBERSHIP_LIMIT_REACHED: 'This team has reached its limit of 50 members.',
  INVITATION_LIMIT_REACHED: 'This team has reached its limit of 100 pending invitations.',
  ORGANIZATION_LIMIT_REACHED: 'You can own up to 5 teams.',
  OWNER_REQUIRED: 'A team must have an owner. Transfer ownership first.',
  CONTEXT_CHANGED: 'You switched workspaces during the export. Try again.',
}

/** Returns a sentence of the service in the user's language; null if it is unknown. */
export const serviceSentences = inLanguage({
  en: {
    of: (code: string, sentence: string): string | null => english[code] ?? sentence,
    done: 'Done.',
  },
  de: {
    of: (code: string, sentence: string) => german[code] ?? german[sentence] ?? null,
    done: 'Erledigt.',
  },
})
