/** The bank files of this folder, as bytes, because each has its own encoding. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'

export const bytesOf = (file: string): Uint8Array =>
  readFileSync(join(import.meta.dirname, 'files', file))

/** Returns rows without fields that a test does not check. */
export const briefly = (
  rows: Array<{ transaction_date: string, amount: number, name: string, currency?: string }>,
): unknown[] =>
  rows.map((
    { transaction_date, amount, currency, name },
  ) => [transaction_date, amount, currency, name])

export const textOf = (file: string): string => new TextDecoder().decode(bytesOf(file))

/** Returns a ZIP archive of the files. */
export async function zipOf(files: Record<string, Uint8Array>): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  for (const [name, bytes] of Object.entries(files))
    await writer.add(name, new Uint8ArrayReader(bytes))
  return writer.close()
}
