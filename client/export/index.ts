/**
 * Entry point of `finance-client/export`: all data of a user as one ZIP file, and back. Also stores
 * the exports of other apps.
 */
export { csvText } from '../../bank-files/formulas.ts'
export { ExportFileError } from './format.ts'
export { exportMine } from './export-mine.ts'
export { restoreMine, type RestoreOptions } from './restore-mine.ts'
export type { Restored } from './row-store.ts'
export type { AppExportMatches } from './app-export-rows.ts'
export { matchAppExport, storeAppExport, type StoreOptions } from './store-app-export.ts'
