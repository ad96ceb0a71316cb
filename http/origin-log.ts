/**
 * Logs two mistakes that browsers do not show to developers: an origin is not trusted, or its
 * browsers drop our cookie. Each origin is logged once an hour. Clients choose the origin, so
 * memory and output are bounded.
 */
import type { Log } from '../common/log.ts'

/** The log message for each setting that the operator must change. */
const sentences = {
  TRUSTED_ORIGINS: 'a page of this origin was refused, because TRUSTED_ORIGINS does not name it',
  COOKIE_SAME_SITE:
    'the browser of this app keeps no session cookie of ours, because it is on another site: docs/front-ends.md says what to set',
}

/** Log lines per hour. */
const capacity = 100
const forgetAfterMs = 3_600_000

/**
 * @param now milliseconds
 * @returns a function that logs an origin once an hour
 */
export function originLog(log: Log, now: () => number = Date.now) {
  const noted = new Set<string>()
  let since = now()
  return (setting: keyof typeof sentences, origin: string): void => {
    if (now() - since >= forgetAfterMs) {
      noted.clear()
      since = now()
    }
    const loggedOrigin = origin.slice(0, 200)
    const note = `${setting} ${loggedOrigin}`
    if (noted.size > capacity || noted.has(note)) return
    noted.add(note)
    if (noted.size > capacity)
      log.warn(
        { setting },
        'more origins than can be noted were refused; others are noted in an hour',
      )
    else log.warn({ setting, origin: loggedOrigin }, sentences[setting])
  }
}
