/** Everything that is one's own as one file, and back: `exportMine`, `restoreMine`. */
export { ExportFileError } from './format.ts'
export { exportMine } from './mine.ts'
export { restoreMine, type Restored, type RestoreOptions } from './restore.ts'
