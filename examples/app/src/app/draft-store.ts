/**
 * The storage of drafts. Drafts are unsaved input of forms, which survives a reload, a crash and an ended session. The browser stores them
 * for one tab. A user's sign-out deletes them, and so does the sign-in of another user.
 */

/** Values that differ from the form's default values, and the page of the form. */
export type Draft = { path: string, values: Record<string, unknown> }

/** The beginning of each entry. */
export const draftPrefix = 'draft '

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
  write: (key: string, draft: Draft) => {
    try {
      sessionStorage.setItem(key, JSON.stringify(draft))
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

/** Deletes the drafts of all users but one. @param userId null deletes all */
export function dropDrafts(userId: string | null): void {
  for (const key of draftStore.keys()) if (userId === null || !key.startsWith(`${draftPrefix}${userId} `)) sessionStorage.removeItem(key)
  notify()
}

/** A form with such a field has no draft. */
const isSecret = (name: string): boolean => /password|code|secret|token|key/i.test(name)

/** Returns the values that differ from the defaults. Null if there are none, or if the form has a secret. */
export function draftValues(values: Record<string, unknown>, defaults: Record<string, unknown>): Record<string, unknown> | null {
  if (Object.keys(values).some(isSecret)) return null
  const changed = Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]))
  return changed.length === 0 ? null : Object.fromEntries(changed)
}
