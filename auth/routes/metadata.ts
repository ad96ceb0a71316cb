/** What an organization's metadata may be. The same bounds as the `metadata` of the data surface's tables have. */
import { z } from 'zod'

const maxLevels = 16
const maxBytes = 16 * 1024

/** What is wrong with it, as the end of a sentence. Level by level and not recursively, because a client decides how deep it goes. */
function problemOf(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return 'must be an object'
  let level: unknown[] = [metadata]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxLevels) return `has more than ${maxLevels} levels`
    const containers = level.filter((value): value is object => typeof value === 'object' && value !== null)
    // a program that merges such a field into an object changes the prototype of all objects
    if (containers.some((value) => Object.hasOwn(value, '__proto__'))) return 'has a field named __proto__'
    level = containers.flatMap((value): unknown[] => Object.values(value))
    if (level.some((value) => typeof value === 'number' && !Number.isFinite(value))) return 'has a number that is too large'
  }
  return Buffer.byteLength(JSON.stringify(metadata)) > maxBytes ? `is larger than ${maxBytes / 1024} KiB` : undefined
}

/** An object of up to 16 levels and 16 KiB as JSON, which is stored and read back as it was sent. */
export const metadata = z.unknown().superRefine((value, context) => {
  const message = problemOf(value)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
}).pipe(z.record(z.string(), z.unknown())).meta({ type: 'object', additionalProperties: true, description: 'Any object of up to 16 levels and 16 KiB.' })
