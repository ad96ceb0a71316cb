/**
 * `npm run build:app`: builds the reference app in advance, for a start without write access to the
 * checkout.
 */
import { join } from 'node:path'
import { referenceApp } from './reference-app.ts'

const app = await referenceApp(
  join(import.meta.dirname, '..'),
  console.log,
  new AbortController().signal,
)
if (app === undefined) process.exitCode = 1
