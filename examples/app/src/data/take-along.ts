/** Everything that is the person's as one file, and back. What writes and reads it is loaded when it is asked for. */
import type { Restored } from 'finance-client/export'
import { finance } from './client.ts'

export const exported = async (): Promise<ReadableStream<Uint8Array>> => (await import('finance-client/export')).exportMine(finance)

/** @param onProgress is told how many rows are done, of how many */
export const restore = async (file: Blob, onProgress: (done: number, rows: number) => void): Promise<Restored> =>
  (await import('finance-client/export')).restoreMine(finance, file, { onProgress })
