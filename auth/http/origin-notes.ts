/**
 * What a developer has to know of the origins that pages call from, said once of each: that one is refused, or that its
 * browser will not keep our cookie. A browser shows them neither. Whoever sends requests chooses the origin in them, so what is
 * remembered and what is written is bounded.
 */
import type { Log } from '../log.ts'

/** Which setting has to be changed, and why. */
const sentences = {
  TRUSTED_ORIGINS: 'a page of this origin was refused, because TRUSTED_ORIGINS does not name it',
  COOKIE_SAME_SITE: 'the browser of this app keeps no session cookie of ours, because it is on another site: docs/front-ends.md says what to set',
}

/** How many notes are written in an hour. */
const capacity = 100
const forgetAfterMs = 3_600_000

/**
 * @param now the clock, in milliseconds
 * @returns what writes a note, unless it was written in this hour
 */
export function originNotes(log: Log, now: () => number = Date.now) {
  const noted = new Set<string>()
  let since = now()
  return (setting: keyof typeof sentences, origin: string): void => {
    if (now() - since >= forgetAfterMs) {
      noted.clear()
      since = now()
    }
    const shown = origin.slice(0, 200)
    const note = `${setting} ${shown}`
    if (noted.size > capacity || noted.has(note)) return
    noted.add(note)
    if (noted.size > capacity) log.warn({ setting }, 'more origins than can be noted were refused; others are noted in an hour')
    else log.warn({ setting, origin: shown }, sentences[setting])
  }
}
