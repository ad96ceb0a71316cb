/** Copies of db/ that a test may change. */
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { migrate } from '../../db/migrate.ts'

const root = join(import.meta.dirname, '../..')

export type CopyOfDb = {
  folder: string
  migrate: typeof migrate
  /** Writes a file of `migrations/`. */
  addMigration: (name: string, sql: string) => Promise<void>
  /** Adds text to the end of a file, or replaces a text in it. */
  append: (file: string, text: string) => Promise<void>
  replace: (file: string, text: string, by: string) => Promise<void>
}

/**
 * Copies db/ until the test ends. The copy is inside the repository, so that its imports resolve.
 */
export async function copyOfDb(): Promise<CopyOfDb> {
  const folder = await mkdtemp(join(root, '.data-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(join(root, 'db'), folder, { recursive: true })
  return {
    folder,
    migrate: (await import(join(folder, 'migrate.ts')) as { migrate: typeof migrate }).migrate,
    addMigration: (name, sql) => writeFile(join(folder, `migrations/${name}.sql`), `${sql}\n`),
    append: (file, text) => appendFile(join(folder, file), text),
    async replace(file, text, by) {
      const before = await readFile(join(folder, file), 'utf8')
      expect(before).toContain(text)
      await writeFile(join(folder, file), before.replace(text, by))
    },
  }
}
