/** Keeps the input of forms in drafts, and brings it back. */
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { draftPrefix, draftStore, draftValues, followDrafts } from './draft-store.ts'
import { useDraftScope } from './session-context.tsx'

type UsedDraft = {
  /** The values of a former visit of the form, if there are any. */
  restored: Record<string, unknown> | null
  keep: (values: Record<string, unknown>) => void
  /** Deletes the draft, because the input is sent. */
  drop: () => void
  /** Deletes the draft and the restored values. */
  discard: () => void
}

/**
 * Keeps the input of a form. Closing the form deletes its draft. A reload or another page keeps it.
 * @param name the kind of the form and the id of its row, such as `account new`; undefined for a
 * form without a draft
 */
export function useDraft(name: string | undefined, defaults: Record<string, unknown>): UsedDraft {
  const scope = useDraftScope()
  const key = name === undefined || scope === null ? null : `${draftPrefix}${scope} ${name}`
  const [restored, setRestored] = useState(() =>
    key === null ? null : draftStore.read(key)?.values ?? null
  )
  const opened = useRef(defaults)
  const keep = useCallback((values: Record<string, unknown>) => {
    const changed = key === null ? null : draftValues(values, opened.current)
    if (key === null) return
    if (changed === null) draftStore.drop(key)
    else draftStore.write(key, { path: location.pathname, values: changed })
  }, [key])
  const dropThis = useCallback(() => {
    if (key !== null) draftStore.drop(key)
  }, [key])
  const discard = useCallback(() => {
    setRestored(null)
    dropThis()
  }, [dropThis])
  const first = useRef(restored)
  useEffect(() => {
    const path = location.pathname
    // React mounts twice while developing, and the cleanup deletes the draft
    if (key !== null && first.current !== null)
      draftStore.write(key, { path, values: first.current })
    return () => {
      // on another page the shell offers to continue
      if (key !== null && location.pathname === path) draftStore.drop(key)
    }
  }, [key])
  return { restored, keep, drop: dropThis, discard }
}

/**
 * Opens the form of a draft again, once.
 * @param kind the first word of the draft's name
 * @param open receives the rest of the name: the id of the row, or `new`
 * @param isReady whether the page can open the form
 */
export function useReopenedDraft(kind: string, open: (id: string) => void, isReady = true): void {
  const scope = useDraftScope()
  const isDone = useRef(false)
  useEffect(() => {
    if (!isReady || isDone.current || scope === null) return
    isDone.current = true
    const start = `${draftPrefix}${scope} ${kind} `
    const key = draftStore.keys().find((one) =>
      one.startsWith(start) && draftStore.read(one)?.path === location.pathname
    )
    if (key !== undefined) open(key.slice(start.length))
  })
}

let offered: Array<{ key: string, path: string }> = []

/** Returns the drafts of the user in the shown context, with the paths of their pages. */
export function useDrafts(): {
  drafts: ReadonlyArray<{ key: string, path: string }>
  dropDraft: (key: string) => void
} {
  const scope = useDraftScope()
  const all = useSyncExternalStore(followDrafts, () => {
    const next = draftStore.keys().map((key) => ({ key, path: draftStore.read(key)?.path ?? '/' }))
    // the same drafts are the same object
    if (JSON.stringify(next) !== JSON.stringify(offered)) offered = next
    return offered
  })
  return {
    drafts: scope === null
      ? []
      : all.filter(({ key }) => key.startsWith(`${draftPrefix}${scope} `)),
    dropDraft: draftStore.drop,
  }
}
