/** What somebody is known by, whoever says it: they themselves, or the provider they sign in with. No I/O. */
import { z } from 'zod'

/** A name, of a person or a thing. It reaches mail headers and other people's screens: one line, no control or direction-changing characters. */
export const line = (max: number) =>
  z.string().max(max)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u, 'must be one line without control characters')
    .refine((value) => value.isWellFormed(), 'must be valid Unicode')
export const name = line(200)

/** An address, in lower case as it is stored. What is none is refused with a code of its own: `problemOf` of routes/schemas.ts. */
export const email = z.string().pipe(z.email('INVALID_EMAIL').max(254, 'INVALID_EMAIL')).transform((value) => value.toLowerCase())
  .meta({ format: 'email', maxLength: 254 })
