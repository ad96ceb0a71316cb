/** What a browser loads before it shows anything: the budget that keeps the app quick on a phone. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What the scripts of the first view may weigh as they are sent, in bytes. */
export const firstViewBudget = 150_000

/**
 * The scripts that the document itself asks for, as brotli makes them.
 * @param directory the built app
 * @returns their size in bytes
 */
export async function firstViewBytes(directory: string): Promise<number> {
  const html = await readFile(join(directory, 'index.html'), 'utf8')
  const scripts = [...html.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, path = '']) => path)
  const sizes = await Promise.all(scripts.map(async (path) => (await stat(join(directory, `${path}.br`))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
