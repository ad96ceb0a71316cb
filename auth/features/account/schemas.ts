import { z } from 'zod'
import { confirmation, email, givenPassword, name, rowId, success, url, withToken } from '../fields.ts'
import { newSession, user } from '../session/schemas.ts'

// refused with a code of its own: `problemOf`
const password = z.string().min(8, 'INVALID_PASSWORD').max(128, 'INVALID_PASSWORD').meta({ format: 'password' })

export const input = {
  signUp: z.object({ email, password, name: name.default('') }),
  signIn: z.object({ email, password: givenPassword }),
  email: z.object({ email }),
  forgetPassword: z.object({
    email,
    redirectTo: z.string().max(2_048).optional().meta({
      description: 'Where the mailed link leads: a page of a trusted origin; at that of `APP_URL`, below its path.',
    }),
  }),
  resetPassword: withToken.extend({ password }),
  changePassword: z.object({ currentPassword: givenPassword, newPassword: password, revokeOtherSessions: z.boolean().default(true) }),
  updateUser: z.object({ name: name.optional(), image: url.nullable().optional() })
    .refine((given) => Object.keys(given).length > 0, 'name or image must be given')
    .meta({ minProperties: 1 }),
  requestEmailChange: z.object({ newEmail: email, password: confirmation }),
}

export const output = {
  signedUp: z.object({ user, session: newSession }),
  updatedUser: z.object({
    user: user.extend({ image: z.string().nullable() }).meta({ id: 'UserWithImage', description: 'An account with its picture.' }),
  }),
  deletionRequested: z.object({
    success,
    message: z.string(),
    organizations: z.array(z.object({
      id: rowId,
      name: z.string().meta({ examples: ['The Household'] }),
      successor: z.object({ id: rowId, name: z.string().meta({ examples: ['Bob'] }) }).nullable().meta({
        description: 'Who owns it then; null where nobody is left in it.',
      }),
    })).meta({ description: 'Those that the person owns.' }),
  }),
}
