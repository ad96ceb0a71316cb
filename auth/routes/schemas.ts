/** What a client may send. A field that is not named here is dropped before anything sees it. */
import { z } from 'zod'
import { email, line, name } from '../person.ts'
import { givenRoleNames } from '../roles.ts'
import { metadata } from './metadata.ts'

/** An identifier, in examples: it has the form of one, and nobody has it. */
export const exampleId = 'mK3vQx7TnYw2LrJ8sBcD5fGhZp4eA9uV'

const id = z.string().min(1).max(128).regex(/^[\x21-\x7e]+$/, 'is not an identifier').meta({ examples: [exampleId] })
const token = z.string().min(1).max(2_048).regex(/^[\x21-\x7e]+$/, 'is not a token')
const url = z.url({ protocol: /^https?$/ }).max(2_048)
const slug = z.string().max(64).regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, joined by single hyphens')
// refused with a code of its own: see `problemOf`
const password = z.string().min(8, 'INVALID_PASSWORD').max(128, 'INVALID_PASSWORD').meta({ format: 'password' })
// a password to check against may be anything that was once allowed
const givenPassword = z.string().max(128, 'INVALID_PASSWORD').meta({ format: 'password' })
const confirmation = givenPassword.optional().meta({ description: 'May be left out within ten minutes of a sign-in.', format: 'password' })

const trustDevice = z.boolean().default(false).meta({ description: 'Whether this browser signs in without a code for 30 days.' })
// the longest credential id of the standard has 1,023 bytes; answers of devices are below 16 KiB
const base64url = z.string().min(1).max(16_384).regex(/^[\w-]+$/, 'is not base64url')
const credential = <Response extends z.ZodRawShape>(response: Response) =>
  z.object({
    id: base64url.max(1_364),
    rawId: base64url.max(1_364),
    type: z.enum(['public-key']),
    response: z.object({ clientDataJSON: base64url, ...response }),
  })
const passkeyName = line(100).min(1)
const ofProvider = z.string().optional().meta({ description: 'Of the provider.' })

const organizationId = { organizationId: id }
const events = {
  limit: z.coerce.number().int().min(1).max(100).default(50),
  before: id.optional().meta({ description: 'The last event of the list before: what follows is older.', examples: [exampleId] }),
}

export const schemas = {
  nothing: z.object({}),
  signUp: z.object({ email, password, name: name.default('') }),
  signIn: z.object({ email, password: givenPassword }),
  verifyEmail: z.object({ token }),
  disownAccount: z.object({ token }),
  requestEmailChange: z.object({ newEmail: email, password: confirmation }),
  emailChange: z.object({ token }),
  confirmDeleteAccount: z.object({ token }),
  forgetPassword: z.object({
    email,
    redirectTo: z.string().max(2_048).optional().meta({
      description: 'Where the mailed link leads: a page of a trusted origin; at that of `APP_URL`, below its path.',
    }),
  }),
  resetPassword: z.object({ token, password }),
  changePassword: z.object({ currentPassword: givenPassword, newPassword: password, revokeOtherSessions: z.boolean().default(true) }),
  updateUser: z.object({ name: name.optional(), image: url.nullable().optional() })
    .refine((input) => Object.keys(input).length > 0, 'name or image must be given')
    .meta({ minProperties: 1 }),
  email: z.object({ email }),
  session: z.object({ sessionId: id }),
  createOrganization: z.object({ name: name.min(1), slug: slug.optional(), logo: url.nullable().optional(), metadata: metadata.optional() }),
  organization: z.object(organizationId),
  updateOrganization: z.object({
    ...organizationId,
    name: name.min(1).optional(),
    slug: slug.optional(),
    logo: url.nullable().optional(),
    metadata: metadata.optional(),
  }).refine((input) => Object.keys(input).length > 1, 'name, slug, logo or metadata must be given')
    .meta({ minProperties: 2 }),
  setActive: z.object({ organizationId: id.nullable() }),
  inviteMember: z.object({ ...organizationId, email, role: z.enum(givenRoleNames) }),
  updateMemberRole: z.object({ ...organizationId, userId: id, role: z.enum(givenRoleNames) }),
  member: z.object({ ...organizationId, userId: id }),
  invitation: z.object({ invitationId: id }),
  events: z.object(events),
  membershipEvents: z.object({ ...organizationId, ...events }),
  confirmed: z.object({ password: confirmation }),
  totp: z.object({ code: z.string().regex(/^[0-9]{6}$/, 'must be six digits'), trustDevice }),
  backupCode: z.object({ code: z.string().min(1).max(64), trustDevice }),
  newPasskey: z.object({ response: credential({ attestationObject: base64url }), name: passkeyName.default('Passkey') }),
  passkeyAnswer: z.object({ response: credential({ authenticatorData: base64url, signature: base64url, userHandle: base64url }) }),
  renamePasskey: z.object({ passkeyId: id, name: passkeyName }),
  deletePasskey: z.object({ passkeyId: id, password: confirmation }),
  requirePasskey: z.object({ required: z.boolean(), password: confirmation }),
  signInWithProvider: z.object({
    redirectTo: z.string().max(2_048).optional().meta({
      description: 'Where the browser goes on to: a page of a trusted origin; at that of `APP_URL`, below its path.',
    }),
  }),
  // whatever a provider sends is answered by a page, and what is not named is nothing that is asked of it
  returnFromProvider: z.object({ state: ofProvider, code: ofProvider, iss: ofProvider, error: ofProvider }),
  createApiKey: z.object({
    name: name.min(1),
    expiresInDays: z.int().min(1).max(366),
    organizationId: id.nullable().default(null).meta({ description: 'The team whose rows it reaches; null for the personal ones.' }),
    role: z.enum(givenRoleNames).default('viewer').meta({ description: '`viewer` only reads. In the personal context there is no `admin`.' }),
    password: confirmation,
  }).refine(({ organizationId: team, role }) => team !== null || role !== 'admin', {
    path: ['role'],
    message: 'is viewer or editor in the personal context',
  }),
  apiKey: z.object({ keyId: id }),
}

/** The first thing wrong with an input: our code and a sentence that names the field. Never repeats the value. */
export function problemOf(error: z.ZodError): { code: 'INVALID_EMAIL' | 'INVALID_PASSWORD' | 'VALIDATION_ERROR', message: string | undefined } {
  const [issue] = error.issues
  if (issue?.message === 'INVALID_EMAIL' || issue?.message === 'INVALID_PASSWORD') return { code: issue.message, message: undefined }
  const field = issue?.path.join('.') ?? ''
  const message = issue === undefined ? undefined : `${field === '' ? 'The request' : `The field ${field}`}: ${issue.message}.`
  return { code: 'VALIDATION_ERROR', message }
}
