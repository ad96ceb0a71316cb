/** Reads a bank's file in the browser. Nothing is sent before the user confirms the import. */
import { queryOptions } from '@tanstack/react-query'
import { bankImport as m } from '../messages/bank-import.ts'
import type { AppExport, ReadOptions, Statement } from 'finance-client/import'

export type BankFile = { id: string, name: string, bytes: ArrayBuffer }

/** The user's answers about a file. */
export type Answers = Pick<
  ReadOptions,
  | 'dateOrder'
  | 'decimal'
  | 'columns'
  | 'negate'
  | 'directions'
  | 'statuses'
  | 'account'
  | 'encoding'
  | 'roundAmounts'
  | 'fee'
>

/** Why a file cannot be read. `lines` is empty unless a column mapping would help. */
type Refusal = { message: string, lines: string[][] }

export type Question = { bytes: ArrayBuffer, options: Answers }
/** `exported` is the same file as the export of another app. */
export type Read = { statement: Statement, exported?: AppExport } | { refusal: Refusal }

/** Reads a file in a worker, which is loaded with the first file. */
function read(question: Question): Promise<Read> {
  const worker = new Worker(new URL('bank-file.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Read>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<Read>) => resolve(data))
    worker.addEventListener('error', ({ message }) => reject(new Error(message || m.readFailed)))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have a target origin
    worker.postMessage(question)
  }).finally(() => worker.terminate())
}

/** The key has no context, because the file belongs to the user. */
export const bankFileQuery = ({ id, bytes }: BankFile, options: Answers) =>
  queryOptions({
    queryKey: ['bank-file', id, options],
    queryFn: () => read({ bytes, options }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })

export async function openBankFile(file: File): Promise<BankFile> {
  return { id: crypto.randomUUID(), name: file.name, bytes: await file.arrayBuffer() }
}
