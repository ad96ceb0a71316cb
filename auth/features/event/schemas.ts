/** Schemas of events. */
import { z } from 'zod'
import { accountEventKinds, membershipEventKinds } from '../../events.ts'
import { roleNames } from '../../roles.ts'
import { address, exampleId, id, rowId, time } from '../fields.ts'
import { organizationId } from '../organization/schemas.ts'

const page = {
  limit: z.coerce.number().int().min(1).max(100).default(50),
  before: id.optional().meta({ description: 'The last event of the list before: what follows is older.', examples: [exampleId] }),
}

export const input = { account: z.object(page), membership: z.object({ ...organizationId, ...page }) }

/** The `detail` column, as the triggers write it. */
export const detail = z.object({
  newDevice: z.boolean(),
  name: z.string(),
  email: z.string(),
  previousEmail: z.string(),
  role: z.enum(roleNames),
  previousRole: z.enum(roleNames),
}).partial()

const somebody = z.object({ id: rowId, name: z.string().meta({ examples: ['Ann'] }) }).nullable()

export const accountEvent = z.object({
  id: rowId,
  kind: z.enum(accountEventKinds),
  happened_at: time,
  ip_address: z.string().nullable().meta({ description: 'null where it was done without a request.', examples: ['203.0.113.7'] }),
  user_agent: z.string().nullable().meta({ examples: ['Mozilla/5.0'] }),
  new_device: z.boolean().optional().meta({ description: 'Of a sign-in: whether there was none before of this program in this network.' }),
  name: z.string().optional().meta({ description: 'What was added or removed, where it has a name.', examples: ['My phone'] }),
  email: address.optional(),
  previous_email: address.optional(),
}).meta({ id: 'AccountEvent', description: 'Something that happened in an account.' })

export const membershipEvent = z.object({
  id: rowId,
  kind: z.enum(membershipEventKinds),
  happened_at: time,
  user: somebody.meta({ description: 'Whom it is about; null once their account is deleted.' }),
  actor: somebody.meta({ description: 'Who did it; null where nobody is known, and once their account is deleted.' }),
  role: z.enum(roleNames).optional().meta({ description: 'Of who joined, and of who has another role: the new one.' }),
  previous_role: z.enum(roleNames).optional(),
}).meta({ id: 'MembershipEvent', description: 'Something that happened to who belongs to a team.' })

export const output = { account: z.array(accountEvent), membership: z.array(membershipEvent) }
