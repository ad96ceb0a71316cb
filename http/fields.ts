/**
 * The schemas and policies that several features share. A field that a schema does not name is
 * dropped.
 */
import { z } from 'zod'
import { perMinute, type Policy } from './policy.ts'

/** An id for examples. No row has it. */
export const exampleId = 'mK3vQx7TnYw2LrJ8sBcD5fGhZp4eA9uV'

// Requests

/** A character that screens show. The data surface has the same set in private.is_blank(). */
export const visibleCharacter = /[^\p{Cc}\p{Z}\p{DI}\u2800]/u

/**
 * One line. Names reach mail headers and other users' screens, so control and direction-changing
 * characters are refused.
 */
export const line = (max: number) =>
  z.string().max(max)
    .regex(
      /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u,
      'must be one line without control characters',
    )
    .refine((value) => value.isWellFormed(), 'must be valid Unicode')
    .refine(
      (value) => value === '' || visibleCharacter.test(value),
      'must have a visible character',
    )

export const name = line(200)

/**
 * An email address, in lower case as it is stored. `problemOf` gives its error a separate code.
 */
export const email = z.string().pipe(z.email('INVALID_EMAIL').max(254, 'INVALID_EMAIL'))
  .transform((value) => value.toLowerCase())
  .meta({ format: 'email', maxLength: 254 })

export const id = z.string().min(1).max(128).regex(/^[\x21-\x7e]+$/, 'is not an identifier').meta({
  examples: [exampleId],
})
export const url = z.url({ protocol: /^https?$/ }).max(2_048)
/**
 * A password that is compared with the stored one. It must allow every password that was ever
 * valid.
 */
export const givenPassword = z.string().max(128, 'INVALID_PASSWORD').meta({ format: 'password' })
export const confirmation = givenPassword.optional().meta({
  description: 'Optional within ten minutes after a sign-in.',
  format: 'password',
})

export const nothing = z.object({})
export const confirmed = z.object({ password: confirmation })
export const withToken = z.object({
  token: z.string().min(1).max(2_048).regex(/^[\x21-\x7e]+$/, 'is not a token'),
})

export type Confirmed = z.output<typeof confirmed>
export type WithToken = z.output<typeof withToken>

/** The sentence about a field for the errors that have a code of their own. */
const sentences = {
  INVALID_EMAIL: 'is not a valid email address',
  INVALID_PASSWORD: 'must have 8 to 128 characters',
} as const

const isOwnCode = (message: string): message is keyof typeof sentences =>
  Object.hasOwn(sentences, message)

/**
 * Returns the code of the first error of an input, and a message with the first error of each
 * field. It never repeats a value. The message is undefined if the default sentence of the code
 * says all.
 */
export function problemOf(
  { issues }: z.ZodError,
): { code: keyof typeof sentences | 'VALIDATION_ERROR', message: string | undefined } {
  const code = isOwnCode(issues[0]?.message ?? '')
    ? issues[0]?.message as keyof typeof sentences
    : 'VALIDATION_ERROR'
  const fields = [...Map.groupBy(issues, ({ path }) => path.join('.'))]
  if (code !== 'VALIDATION_ERROR' && fields.length === 1) return { code, message: undefined }
  const sentenceOf = ([field, [issue]]: typeof fields[number]) => {
    // Zod would say "expected string, received undefined"
    const problem = issue?.message.endsWith('received undefined')
      ? 'is missing'
      : issue?.message ?? ''
    return `${field === '' ? 'The request' : `The field ${field}`}: ${
      isOwnCode(problem) ? sentences[problem] : problem
    }.`
  }
  return { code, message: fields.map(sentenceOf).join(' ') }
}

// Responses

export const rowId = z.string().meta({ examples: [exampleId] })
export const time = z.iso.datetime().meta({ examples: ['2026-11-21T09:30:00.000Z'] })
export const address = z.string().meta({ examples: ['ann@example.com'] })
export const success = z.boolean().meta({ description: 'true', examples: [true] })
export const done = z.object({ success }).meta({ id: 'Done', description: 'It is done.' })
export const successMessage = z.object({ success, message: z.string() }).meta({
  id: 'MessageResponse',
  description: 'Success, and a sentence for the user.',
})

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/**
 * A row for a response: the same fields in camelCase, with dates and with any text for closed sets,
 * which the database checks.
 */
type RowOf<Body> = {
  [Name in keyof Body as CamelCase<Name & string>]: Extract<Body[Name], string> extends never
    ? Body[Name] :
    Body[Name] | string | Date
}

/**
 * Returns the body of a response from a row. This is the one place where camelCase becomes
 * snake_case. Only fields of the schema pass.
 */
export function serialize<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  row: RowOf<z.output<z.ZodObject<Shape>>>,
): z.output<z.ZodObject<Shape>> {
  const values = row as Record<string, unknown>
  const fields = Object.entries(schema.shape).map(([key, field]) => {
    const value = values[key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
    const isMissing = value === undefined && !(field instanceof z.ZodOptional)
    return [key, value instanceof Date ? value.toISOString() : isMissing ? null : value] as const
  })
  return Object.fromEntries(fields) as z.output<z.ZodObject<Shape>>
}

// Policies

/**
 * Limits of the routes that check the caller's password. Wrong passwords also count against the
 * account's budget.
 */
export const passwordLimits = {
  address: perMinute(20),
  accounts: [{ by: 'caller', ...perMinute(10) }],
} satisfies Policy['limits']

/**
 * The policy of a route that needs the password or a recent sign-in: `confirmCaller` in caller.ts.
 */
export const needsConfirmation = {
  hashesPassword: true,
  guessesPassword: true,
  limits: passwordLimits,
} as const

/** The errors of `confirmCaller`. */
export const unconfirmed = ['INVALID_PASSWORD', 'FRESH_SIGN_IN_REQUIRED'] as const
