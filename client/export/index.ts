/** Entry point of `finance-client/export`: all data of a user as one ZIP file, and back. */
export { ExportFileError } from './format.ts'
export { exportMine } from './export-mine.ts'
export { restoreMine, type Restored, type RestoreOptions } from './restore-mine.ts'
