import { z } from 'zod'
import { givenRoleNames } from '../../roles.ts'
import { confirmation, id, name, rowId, time } from '../fields.ts'

export const input = {
  create: z.object({
    name: name.min(1),
    expiresInDays: z.int().min(1).max(366),
    organizationId: id.nullable().default(null).meta({ description: 'The team whose rows it reaches; null for the personal ones.' }),
    role: z.enum(givenRoleNames).default('viewer').meta({ description: '`viewer` only reads. In the personal context there is no `admin`.' }),
    password: confirmation,
  }).refine(({ organizationId: team, role }) => team !== null || role !== 'admin', {
    path: ['role'],
    message: 'is viewer or editor in the personal context',
  }),
  revoke: z.object({ keyId: id }),
}

export const apiKey = z.object({
  id: rowId,
  name: z.string().meta({ examples: ['Monthly report'] }),
  hint: z.string().meta({ description: 'How the key begins.', examples: ['fin_5xQ2'] }),
  organization_id: z.string().nullable().meta({ description: 'The team whose rows it reaches; null for the personal ones.' }),
  role: z.enum(givenRoleNames),
  created_at: time,
  expires_at: time,
  last_used_at: time.nullable().meta({ description: 'When it last got a token, to the minute; null before the first.' }),
}).meta({ id: 'ApiKey', description: 'A key of a program.' })

export const output = {
  list: z.array(apiKey),
  created: apiKey.extend({ key: z.string().meta({ description: 'The key itself, which nobody can show again.' }) })
    .meta({ id: 'NewApiKey', description: 'A key that has just been made.' }),
}
