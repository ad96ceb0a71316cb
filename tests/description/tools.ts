/**
 * The tools that read the OpenAPI document have their own package.json in this folder, because they
 * need another TypeScript.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeSurface } from '../../auth/description.ts'
import { openApiDocument } from '../../http/openapi/openapi.ts'
import { withWholeRows } from '../../http/openapi/whole-rows.ts'
import { ownedDatabase } from '../support/database.ts'

/** Returns the path of a tool. @throws with instructions if the tools are not installed */
export function tool(file: string): string {
  const path = join(import.meta.dirname, 'node_modules', file)
  if (!existsSync(path))
    throw new Error('The tools are not installed: npm ci --prefix tests/description')
  return path
}

/**
 * Writes the OpenAPI document, and its part of whole rows, to files for the tools. @returns the
 * files and the document
 */
export async function descriptionFile(
  directory: string,
): Promise<{ file: string, wholeRows: string, description: any }> {
  const { db, stop } = await ownedDatabase()
  const description = await openApiDocument(db, 'https://money.example.org', describeSurface())
  await stop()
  const [file, wholeRows] = [
    join(directory, 'openapi.json'),
    join(directory, 'openapi-whole-rows.json'),
  ]
  await writeFile(file, JSON.stringify(description))
  await writeFile(wholeRows, JSON.stringify(withWholeRows(description)))
  return { file, wholeRows, description }
}
