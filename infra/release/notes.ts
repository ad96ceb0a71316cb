/**
 * Prints the part of the changelog about a version, for its release page: node
 * infra/release/notes.ts [0.2.0]
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import about from '../../package.json' with { type: 'json' }

/**
 * Returns the part of the changelog about a version, without its heading. Throws if it is missing,
 * not dated, or without the steps of an operator.
 */
export function notesOf(changelog: string, version: string): string {
  const part = changelog.split(/^## /m).find((text) => text.split(/\s/, 1)[0] === version)
  if (part === undefined)
    throw new Error(
      `CHANGELOG.md has no version ${version}: node infra/release/version.ts ${version}`,
    )
  const [heading = '', ...lines] = part.split('\n')
  if (!/ – \d{4}-\d{2}-\d{2}$/.test(heading))
    throw new Error(`The heading of ${version} in CHANGELOG.md has no date.`)
  const notes = lines.join('\n').trim()
  if (!/^### What an operator must do\n\n\S/m.test(notes))
    throw new Error(
      `${version} in CHANGELOG.md does not say what an operator must do. If nothing, write: Nothing.`,
    )
  return notes
}

if (import.meta.main) {
  try {
    const [version = about.version] = process.argv.slice(2)
    process.stdout.write(
      `${
        notesOf(readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8'), version)
      }\n`,
    )
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
