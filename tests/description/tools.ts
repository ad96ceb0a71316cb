/** The tools that read docs/openapi.json are packages of their own, because they need another TypeScript: package.json beside this. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A file of one of them. @throws with what to do when they are not installed. */
export function tool(file: string): string {
  const path = join(import.meta.dirname, 'node_modules', file)
  if (!existsSync(path)) throw new Error('The tools are not installed: npm ci --prefix tests/description')
  return path
}
