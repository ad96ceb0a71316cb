/** Schemas of invitations. */
import { z } from 'zod'
import { givenRoleNames } from '../../roles.ts'
import {
  address,
  email,
  id,
  rowId,
  serialize,
  success,
  time,
  withToken,
} from '../../../http/fields.ts'
import { member, organizationId, reply as organizationReply } from '../organization/schemas.ts'

const statuses = ['pending', 'accepted', 'rejected', 'canceled'] as const

export const input = {
  invite: z.object({ ...organizationId, email, role: z.enum(givenRoleNames) }),
  invitation: z.object({ invitationId: id }),
  answer: withToken.partial().extend({ invitationId: id }),
}

const invitation = z.object({
  id: rowId,
  organization_id: rowId,
  email: address,
  role: z.enum(givenRoleNames),
  inviter_id: rowId,
  status: z.enum(statuses),
  expires_at: time.meta({ description: 'Seven days after it was sent.' }),
  created_at: time,
  organization_name: z.string().optional().meta({
    description: 'Only in the list of received invitations.',
  }),
}).meta({ id: 'Invitation', description: 'An invitation to a team.' })

export const output = {
  invitation,
  list: z.array(invitation),
  answered: z.object({ success, invitation }),
  accepted: z.object({ success, invitation, member: member.optional() }),
  ofLink: z.object({
    id: rowId,
    organization_name: z.string().nullable().meta({
      description:
        'One short line without links, as in the email. null after the invitation was declined or canceled.',
      examples: ['The Household'],
    }),
    inviter_name: z.string().nullable().meta({
      description: 'The name of the inviter in the same form; may be empty.',
      examples: ['Ann'],
    }),
    role: z.enum(givenRoleNames),
    status: z.enum([...statuses, 'expired']).meta({
      description: 'Only a pending invitation can be answered.',
    }),
    expires_at: time,
    email_hint: z.string().meta({
      description: 'A part of the invited address that its owner recognizes.',
      examples: ['b…@example.com'],
    }),
    is_for_caller: z.boolean().meta({
      description: 'Whether the signed-in user has the invited address.',
    }),
  }).meta({
    id: 'InvitationOfLink',
    description: 'An invitation, as the page of its link shows it.',
  }),
}

/** A row, as better-auth returns it. */
export const row = z.object({
  id: z.string(),
  organizationId: z.string(),
  email: z.string(),
  role: z.enum(givenRoleNames),
  inviterId: z.string(),
  status: z.enum(statuses),
  expiresAt: z.coerce.date(),
  createdAt: z.coerce.date(),
  organizationName: z.string().optional(),
})

/** The responses of better-auth. */
export const reply = {
  invitation: row,
  list: z.array(row),
  answered: z.object({ invitation: row, member: organizationReply.member.nullish() }),
}

export const invitationOf = (from: z.output<typeof row>): z.output<typeof invitation> =>
  serialize(invitation, from)
