/** The budget of the first view, which keeps the app quick on a phone. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Maximum size of the first view's compressed scripts, in bytes. */
export const firstViewBudget = 150_000

/**
 * Measures the scripts that the document loads, compressed by brotli.
 * @param directory the built app
 * @returns their size in bytes
 */
export async function firstViewBytes(directory: string): Promise<number> {
  const html = await readFile(join(directory, 'index.html'), 'utf8')
  const scripts = [...html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, path = '']) => path)
  const sizes = await Promise.all(
    scripts.map(async (path) => (await stat(join(directory, `${path}.br`))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
