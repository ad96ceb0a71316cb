/**
 * The storage of drafts. Drafts are unsaved input of forms, which survives a reload, a crash and an
 * ended session. The browser stores them for one tab. A user's sign-out deletes them, and so does
 * the sign-in of another user. A tab that the browser has discarded deletes them when it loads
 * again.
 */

/** Values that differ from the form's default values, the page of the form, and the time. */
export type Draft = { path: string, values: Record<string, unknown>, at: number }

/** The beginning of each entry. */
export const draftPrefix = 'draft '

/** The entry of `localStorage` with the time of the last sign-out. */
const signOutEntry = 'signed-out-at'

const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}

/** Calls the listener after each change. Returns a function that ends it. */
export const followDrafts = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const draftStore = {
  read: (key: string): Draft | null => {
    try {
      return JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | null
    } catch {
      // the browser may forbid the storage
      return null
    }
  },
  write: (key: string, draft: Omit<Draft, 'at'>) => {
    try {
      sessionStorage.setItem(key, JSON.stringify({ ...draft, at: Date.now() } satisfies Draft))
      notify()
    } catch {
      // the storage is full or forbidden, and the input stays only on the page
    }
  },
  drop: (key: string) => {
    if (draftStore.read(key) === null) return
    sessionStorage.removeItem(key)
    notify()
  },
  keys: (): string[] => {
    try {
      return Object.keys(sessionStorage).filter((key) => key.startsWith(draftPrefix))
    } catch {
      return []
    }
  },
}

/**
 * Deletes the drafts from before the last sign-out, and those of other users. @param userId
 * undefined without a session
 */
export function dropDrafts(userId?: string): void {
  const isLeft = (key: string) =>
    userId !== undefined && !key.startsWith(`${draftPrefix}${userId} `)
  for (const key of draftStore.keys())
    if (
      isLeft(key) || (draftStore.read(key)?.at ?? 0) <= Number(localStorage.getItem(signOutEntry))
    ) sessionStorage.removeItem(key)
  notify()
}

/** Deletes all drafts at a sign-out, in each tab of this device. */
export function endDrafts(): void {
  try {
    localStorage.setItem(signOutEntry, String(Date.now()))
  } catch {
    // the browser may forbid the storage
  }
  dropDrafts()
}

/** A form with such a field has no draft. */
const isSecret = (name: string): boolean => /password|code|secret|token|key/i.test(name)

/**
 * Returns the values that differ from the defaults. Null if there are none, or if the form has a
 * secret.
 */
export function draftValues(
  values: Record<string, unknown>,
  defaults: Record<string, unknown>,
): Record<string, unknown> | null {
  if (Object.keys(values).some(isSecret)) return null
  const changed = Object.entries(values).filter(([name, value]) =>
    JSON.stringify(value) !== JSON.stringify(defaults[name])
  )
  return changed.length === 0 ? null : Object.fromEntries(changed)
}
