/** Schemas of organizations and members. */
import { z } from 'zod'
import { givenRoleNames, roleNames } from '../../roles.ts'
import { address, id, name, rowId, serialize, success, time, url } from '../../../http/fields.ts'
import { sessionSchema } from '../session-fields.ts'

const maxLevels = 16
const maxBytes = 16 * 1_024

/**
 * Returns the problem of metadata. The check goes level by level instead of recursively, because a
 * client decides the depth.
 */
function metadataProblem(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return 'must be an object'
  let level: unknown[] = [metadata]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxLevels) return `has more than ${maxLevels} levels`
    const containers = level.filter((value): value is object =>
      typeof value === 'object' && value !== null
    )
    // a program that merges such a field into an object would change the prototype of all objects
    if (containers.some((value) => Object.hasOwn(value, '__proto__')))
      return 'has a field named __proto__'
    level = containers.flatMap((value): unknown[] => Object.values(value))
    if (level.some((value) => typeof value === 'number' && !Number.isFinite(value)))
      return 'has a number that is too large'
  }
  return Buffer.byteLength(JSON.stringify(metadata)) > maxBytes
    ? `is larger than ${maxBytes / 1_024} KiB`
    : undefined
}

/**
 * Any object within the limits of the `metadata` columns of the data surface. It is stored and
 * returned unchanged.
 */
const metadata = z.unknown().superRefine((value, context) => {
  const message = metadataProblem(value)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
}).pipe(z.record(z.string(), z.unknown())).meta({
  type: 'object',
  additionalProperties: true,
  description: 'Any object of up to 16 levels and 16 KiB.',
})

const slug = z.string().max(64).regex(
  /^[a-z0-9]+(-[a-z0-9]+)*$/,
  'must be lower-case letters and digits, joined by single hyphens',
)

export const organizationId = { organizationId: id }

export const input = {
  create: z.object({
    name: name.min(1),
    slug: slug.optional(),
    logo: url.nullable().optional(),
    metadata: metadata.optional(),
  }),
  organization: z.object(organizationId),
  update: z.object({
    ...organizationId,
    name: name.min(1).optional(),
    slug: slug.optional(),
    logo: url.nullable().optional(),
    metadata: metadata.optional(),
  }).refine((given) => Object.keys(given).length > 1, 'name, slug, logo or metadata must be given')
    .meta({ minProperties: 2 }),
  setActive: z.object({ organizationId: id.nullable() }),
  updateMemberRole: z.object({ ...organizationId, userId: id, role: z.enum(givenRoleNames) }),
  member: z.object({ ...organizationId, userId: id }),
}

const organization = z.object({
  id: rowId,
  name: z.string().meta({ examples: ['The Household'] }),
  slug: z.string().meta({ examples: ['the-household-1f2e3d4c'] }),
  logo: z.string().nullable().meta({ description: 'The address of a picture.' }),
  metadata: z.record(z.string(), z.unknown()).meta({
    description: 'As it was sent; {} by default.',
    examples: [{}],
  }),
  created_at: time,
}).meta({ id: 'Organization', description: 'A team.' })

export const member = z.object({
  id: rowId,
  user_id: rowId,
  organization_id: rowId,
  role: z.enum(roleNames),
  user: z.object({ id: rowId, name: z.string(), email: address, image: z.string().nullable() })
    .optional()
    .meta({ description: 'The user; in the list of members, and in a response about one member.' }),
  created_at: time,
}).meta({ id: 'Member', description: 'A member of a team.' })

export const output = {
  organization,
  withCount: organization.extend({ members_count: z.int().nonnegative() })
    .meta({ id: 'OrganizationWithCount', description: 'A team and the number of its members.' }),
  list: z.array(
    organization.extend({ role: z.enum(roleNames) })
      .meta({
        id: 'OrganizationWithRole',
        description: 'A team and the role of the caller in it.',
      }),
  ),
  updated: organization.extend({ updated_at: time }).meta({
    id: 'UpdatedOrganization',
    description: 'A team after its change.',
  }),
  deleted: z.object({ success, organization }),
  activeSession: z.object({
    session: sessionSchema.pick({ id: true, active_organization_id: true }),
  }),
  members: z.array(member),
  memberChanged: z.object({ success, member }),
}

const betterAuthOrganization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullish(),
  metadata: z.unknown().optional(),
  createdAt: z.coerce.date(),
})
const betterAuthMember = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string(),
  role: z.enum(roleNames),
  createdAt: z.coerce.date(),
  user: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    image: z.string().nullish(),
  }).optional(),
})

/** The responses of better-auth. */
export const reply = {
  organization: betterAuthOrganization,
  member: betterAuthMember,
  members: z.object({ members: z.array(betterAuthMember) }),
  memberChanged: z.object({ member: betterAuthMember }),
}

// better-auth returns the stored text or the given object
const metadataObject = (value: unknown): Record<string, unknown> =>
  (typeof value === 'string' && value !== '' ? JSON.parse(value) : value) ?? {}

export const organizationOf = (
  from: z.output<typeof reply.organization>,
): z.output<typeof organization> =>
  serialize(organization, {
    ...from,
    logo: from.logo ?? null,
    metadata: metadataObject(from.metadata),
  })

export const memberOf = (from: z.output<typeof reply.member>): z.output<typeof member> =>
  serialize(member, {
    ...from,
    user: from.user && { ...from.user, image: from.user.image ?? null },
  })
