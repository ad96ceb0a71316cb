/** The user's choices on this device, which the browser stores. */
import { type Language, languageEntry } from '../locale/language.ts'

/** Stores the language and loads the page again. @param choice null follows the browser */
export function chooseLanguage(choice: Language | null): void {
  if (choice === null) localStorage.removeItem(languageEntry)
  else localStorage.setItem(languageEntry, choice)
  location.reload()
}
