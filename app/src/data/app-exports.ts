/**
 * Exports of other apps: what exists already, and the import with accounts, categories, tags,
 * splits and transfers.
 */
import { queryOptions } from '@tanstack/react-query'
import type { Row } from 'finance-client'
import { matchAppExport, storeAppExport } from 'finance-client/export'
import type { AppExport } from 'finance-client/import'
import { type Context, finance } from './client.ts'

/** The existing rows that the export names. */
export const appMatchesQuery = (context: Context, fileId: string, exported: AppExport) =>
  queryOptions({
    queryKey: [context.key, 'app-export', fileId],
    queryFn: () => matchAppExport(finance, exported),
    gcTime: 0,
  })

type Order = {
  exported: AppExport
  currency: string
  types: Record<string, Row<'accounts'>['type']>
  onProgress: (done: number, of: number) => void
}

/**
 * Stores the export. @returns the number of stored transactions, and the sentences about rows that
 * were not stored
 */
export async function storeExport(
  _: Context,
  { exported, ...options }: Order,
): Promise<{ count: number, problems: string[] }> {
  const { tables, problems } = await storeAppExport(finance, exported, options)
  return {
    count: tables.transactions?.stored ?? 0,
    problems: problems.map(({ message }) => message),
  }
}
