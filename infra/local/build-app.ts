/** `npm run build:app`: builds the reference app ahead of a start that may not write into the checkout. */
import { join } from 'node:path'
import { referenceApp } from './reference-app.ts'

const app = await referenceApp(join(import.meta.dirname, '../..'), console.log, new AbortController().signal)
if (app === undefined) process.exitCode = 1
