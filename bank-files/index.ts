/** Entry point of `finance-client/import`: reads bank files, and exports of other apps. */
export { type AppExport, isAppExport, readAppExport } from './app-export.ts'
export { type AppName } from './app-rules.ts'
export { type ExportedTransaction } from './app-types.ts'
export { type NamedFile, unpack } from './archive.ts'
export { type PresetName, PRESETS } from './presets.ts'
export { inParts, readStatement } from './read-statement.ts'
export * from './types.ts'
