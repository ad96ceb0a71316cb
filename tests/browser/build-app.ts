/**
 * Builds the reference app before the browser tests, as `npm start` does, if its sources have
 * changed.
 */
import { join } from 'node:path'
import { referenceApp } from '../../start/reference-app.ts'

export default async function build(): Promise<void> {
  const said: string[] = []
  const directory = await referenceApp(
    join(import.meta.dirname, '../..'),
    (line) => said.push(line),
    new AbortController().signal,
  )
  if (directory === undefined) throw new Error(`There is no app to test. ${said.join(' ')}`)
}
