/** A bank's file, read in the browser: nothing of it is sent anywhere before the person says what becomes of it. */
import { queryOptions } from '@tanstack/react-query'
import type { ReadOptions, Statement } from 'finance-client/import'

export type BankFile = { id: string, name: string, bytes: ArrayBuffer }

/** What the person said of a file. */
export type Answers = Pick<
  ReadOptions,
  'dateOrder' | 'decimal' | 'columns' | 'negate' | 'directions' | 'statuses' | 'account' | 'encoding' | 'roundAmounts' | 'fee'
>

/** Why a file cannot be read; with lines where it would help to say which column is what. */
export type Refusal = { message: string, lines: string[][] }

export type Question = { bytes: ArrayBuffer, options: Answers }
export type Read = { statement: Statement } | { refusal: Refusal }

/** Reads a file in a worker of its own, which is loaded when the first file is chosen. */
function read(question: Question): Promise<Read> {
  const worker = new Worker(new URL('bank-file.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Read>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<Read>) => resolve(data))
    worker.addEventListener('error', ({ message }) => reject(new Error(message || 'The file could not be read.')))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is a window's; a worker has none
    worker.postMessage(question)
  }).finally(() => worker.terminate())
}

/** Below no context, because it is the person's own file whichever they look at. */
export const bankFileQuery = ({ id, bytes }: BankFile, options: Answers) =>
  queryOptions({ queryKey: ['bank-file', id, options], queryFn: () => read({ bytes, options }), staleTime: Infinity, gcTime: 0, retry: false })

export async function openBankFile(file: File): Promise<BankFile> {
  return { id: crypto.randomUUID(), name: file.name, bytes: await file.arrayBuffer() }
}
