/** A slug for an organization whose maker gave none. */
import { randomBytes } from 'node:crypto'
import anyAscii from 'any-ascii'

/** Leaves room in the 64 characters a slug may have, as schemas.ts says, for what makes it nobody else's. */
const readableLength = 48

/**
 * A slug from a name in any script: readable, and never one that somebody has.
 * @returns `zurich-` and eight random characters for "Zürich"; `team-…` where nothing of the name can be read
 */
export function slugOf(name: string): string {
  const words = anyAscii(name.normalize('NFC')).toLowerCase().replace(/['`]/g, '').replace(/[^a-z0-9]+/g, '-')
  const readable = words.replace(/^-/, '').slice(0, readableLength).replace(/-$/, '')
  return `${readable === '' ? 'team' : readable}-${randomBytes(4).toString('hex')}`
}
