/**
 * The user's choices on this device, which the browser stores: language, theme, contrast, density,
 * motion and single keys.
 */
import { language, type Language, languageEntry } from '../locale/language.ts'
import { shell } from '../messages/shell.ts'

/**
 * The values of each choice. The first one is the default, which follows the browser where it has
 * such a setting.
 */
export const appearances = {
  theme: ['system', 'light', 'dark'],
  contrast: ['system', 'more'],
  density: ['comfortable', 'compact'],
  motion: ['system', 'reduced'],
  keys: ['on', 'off'],
} as const

export type Appearance = { [Name in keyof typeof appearances]: (typeof appearances)[Name][number] }

/** The settings of the browser that a choice of `system` follows. */
const queries = {
  contrast: { value: 'more', media: matchMedia('(prefers-contrast: more)') },
  motion: { value: 'reduced', media: matchMedia('(prefers-reduced-motion: reduce)') },
} as const

const read = (name: string): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    // the browser may forbid the storage
    return null
  }
}

/** Returns the user's choices. An unknown value is the default. */
export function chosenAppearance(): Appearance {
  const entries = Object.entries(appearances).map(([name, values]) => {
    const chosen = read(name)
    return [name, (values as readonly string[]).find((value) => value === chosen) ?? values[0]]
  })
  return Object.fromEntries(entries) as Appearance
}

/** Stores a choice and applies it to the page. */
export function chooseAppearance(name: keyof Appearance, value: string): void {
  if (value === appearances[name][0]) localStorage.removeItem(name)
  else localStorage.setItem(name, value)
  applyAppearance()
}

/** Applies the choices to the document, whose style sheets read them. */
function applyAppearance(): void {
  const chosen = chosenAppearance()
  for (
    const [name, value] of Object.entries({
      ...chosen,
      contrast: followed('contrast', chosen),
      motion: followed('motion', chosen),
    })
  )
    document.documentElement.dataset[name] = value
}

const followed = (name: keyof typeof queries, chosen: Appearance): string =>
  chosen[name] === 'system' && queries[name].media.matches ? queries[name].value : chosen[name]

/** Applies the choices, and again when the browser's settings or another tab changes them. */
export function followAppearance(): void {
  applyAppearance()
  for (const { media } of Object.values(queries)) media.addEventListener('change', applyAppearance)
  addEventListener('storage', applyAppearance)
}

/**
 * Applies the language to the document: its language, its description and the manifest of the
 * installed app.
 */
export function followLanguage(): void {
  document.documentElement.lang = language
  document.querySelector('meta[name=description]')?.setAttribute('content', shell.tagline)
  // the manifest of index.html is English
  if (language !== 'en')
    document.querySelector('link[rel=manifest]')?.setAttribute(
      'href',
      `/manifest.${language}.webmanifest`,
    )
}

/** Stores the language and loads the page again. @param choice null follows the browser */
export function chooseLanguage(choice: Language | null): void {
  if (choice === null) localStorage.removeItem(languageEntry)
  else localStorage.setItem(languageEntry, choice)
  location.reload()
}
