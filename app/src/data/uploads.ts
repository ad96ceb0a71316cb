/** Running and failed uploads. They go on while the user opens other pages. */
import { useSyncExternalStore } from 'react'
import { refreshAttachments } from './attachments.ts'
import { type Context, finance } from './client.ts'

/** `sent` is the sent part of the file, from 0 to 1. A failed upload has an error. */
export type Upload = {
  id: number
  context: Context
  transactionId: string
  file: File
  sent: number
  error: Error | null
  cancel: AbortController
}

let uploads: readonly Upload[] = []
let lastId = 0
const listeners = new Set<() => void>()

function update(next: readonly Upload[]): void {
  uploads = next
  for (const listener of listeners) listener()
}

const change = (id: number, values: Partial<Upload>) =>
  update(uploads.map((upload) => upload.id === id ? { ...upload, ...values } : upload))
const forget = (id: number) => update(uploads.filter((upload) => upload.id !== id))

async function run(
  { id, context, transactionId, file, cancel: { signal } }: Upload,
): Promise<void> {
  try {
    await finance.attach(transactionId, file, {
      signal,
      onProgress: (sent, size) => change(id, { sent: sent / size }),
    })
    await refreshAttachments(context, transactionId).catch(() => undefined)
    forget(id)
  } catch (error) {
    if (signal.aborted) forget(id)
    else change(id, { error: error as Error })
  }
}

/** Begins to add files to a transaction. */
export function addFiles(context: Context, transactionId: string, files: Iterable<File>): void {
  const added = [...files].map((file): Upload => ({
    id: lastId += 1,
    context,
    transactionId,
    file,
    sent: 0,
    error: null,
    cancel: new AbortController(),
  }))
  update([...uploads, ...added])
  for (const upload of added) void run(upload)
}

/** Repeats a failed upload. */
export function retryUpload(upload: Upload): void {
  change(upload.id, { error: null, sent: 0 })
  void run(upload)
}

/** Cancels a running upload, or forgets a failed one. */
export function removeUpload({ id, cancel }: Upload): void {
  cancel.abort()
  forget(id)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns the running and failed uploads of a transaction. */
export const useUploads = (transactionId: string): Upload[] =>
  useSyncExternalStore(subscribe, () => uploads).filter((upload) =>
    upload.transactionId === transactionId
  )
