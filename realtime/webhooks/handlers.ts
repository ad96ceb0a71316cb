/**
 * Webhooks: addresses of a user that receive a signed message when rows change. The database
 * decides which changes a webhook receives: db/webhooks/queue_webhooks.sql. dispatcher.ts sends the
 * messages.
 */
import { randomBytes } from 'node:crypto'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { generateId } from 'better-auth'
import { sql } from 'kysely'
import { z } from 'zod'
import { rejection, reject } from '../../http/errors.ts'
import { callerOf, type RouteContext } from '../../http/route.ts'
import { failures, problemOfTarget, secretPrefix, sendMessage } from './sender.ts'
import { confirmation, id, name, rowId, serialize, time } from '../../http/fields.ts'

const webhookId = id

export const input = {
  create: z.object({
    name: name.min(1),
    url: z.url({ protocol: /^https?$/ }).max(2_048).meta({
      description: 'An https URL of a server on the public internet.',
      examples: ['https://example.com/hooks'],
    }),
    tables: z.array(z.string().regex(/^[a-z_]{1,63}$/, 'is not a table')).min(1).max(50).nullable()
      .default(null)
      .meta({ description: 'The tables whose changes it receives; null for all.' }),
    organizationId: id.nullable().default(null).meta({
      description: 'The team whose changes it receives; null for the personal ones.',
    }),
    password: confirmation,
  }),
  one: z.object({ webhookId }),
  confirmed: z.object({ webhookId, password: confirmation }),
}

const webhook = z.object({
  id: rowId,
  name: z.string().meta({ examples: ['Spreadsheet'] }),
  url: z.string().meta({ examples: ['https://example.com/hooks'] }),
  organization_id: z.string().nullable().meta({
    description: 'The team whose changes it receives; null for the personal ones.',
  }),
  tables: z.array(z.string()).nullable().meta({ description: 'null for all.' }),
  created_at: time,
  delivered_at: time.nullable().meta({
    description: 'Time of the last delivered message; null before the first.',
  }),
  failing_since: time.nullable().meta({ description: 'null if the last attempt succeeded.' }),
  last_failure: z.enum(failures).nullable().meta({
    description: 'The kind of the last failure; null if the last attempt succeeded.',
  }),
  last_status: z.int().nullable().meta({
    description: 'The HTTP status of that failure, if the receiver responded.',
  }),
  disabled_at: time.nullable().meta({
    description: 'Time at which it was turned off; null while it is on.',
  }),
}).meta({ id: 'Webhook', description: 'A webhook.' })

const secret = z.string().meta({
  description: 'The key of the signatures. It cannot be returned again.',
})

export const output = {
  list: z.array(webhook),
  one: webhook,
  created: webhook.extend({ secret }).meta({
    id: 'NewWebhook',
    description: 'A newly created webhook.',
  }),
  rotated: z.object({ secret }).meta({
    id: 'WebhookSecret',
    description: 'The new secret of a webhook.',
  }),
  tested: z.object({
    delivered: z.boolean(),
    failure: z.enum(failures).nullable(),
    status: z.int().nullable().meta({
      description: 'The HTTP status of the receiver; null if it did not respond.',
    }),
  }).meta({ id: 'WebhookTest', description: 'The outcome of a test.' }),
}

/** Time for which messages also have a signature of the secret before the last rotation. */
const formerSecretLasts = sql<Date>`now() + interval '1 day'`

const newSecret = (): string => `${secretPrefix}${randomBytes(32).toString('base64')}`

const columns = [
  'id',
  'name',
  'url',
  'organizationId',
  'tables',
  'createdAt',
  'deliveredAt',
  'failingSince',
  'lastFailure',
  'lastStatus',
  'disabledAt',
] as const

/** Refuses tables that no webhook can receive changes of. @throws Rejection VALIDATION_ERROR */
async function checkTables(c: RouteContext, tables: string[]): Promise<void> {
  const permissions = await c.var.services.db.selectFrom('private.role_permissions').select(
    'resource',
  ).distinct().where('action', '=', 'create').execute()
  const unknown = tables.find((table) =>
    table !== 'app_subscriptions' && !permissions.some(({ resource }) => resource === table)
  )
  if (unknown !== undefined)
    throw rejection(
      'VALIDATION_ERROR',
      'The field tables: contains an unknown table.',
    )
}

export async function createWebhook(
  c: RouteContext,
  { password, ...given }: z.output<typeof input.create>,
) {
  const { config, receivers } = c.var.services
  const { user } = callerOf(c)
  // as for an API key: the owner of the address may take the account over
  if (!user.emailVerified) reject('EMAIL_NOT_VERIFIED')
  await c.var.services.identity.confirmCaller(c, password)
  if (given.tables !== null) await checkTables(c, given.tables)
  const problem = await problemOfTarget(receivers, given.url)
  if (problem !== undefined) throw rejection('VALIDATION_ERROR', `The field url: ${problem}.`)
  const plain = newSecret()
  const values = {
    ...given,
    id: generateId(),
    userId: user.id,
    secret: await symmetricEncrypt({ key: config.secret, data: plain }),
  }
  const row = await c.var.services.identity.withAccountLock(
    c,
    (trx) =>
      trx.insertInto('auth.webhooks').values(values).returning(columns).executeTakeFirstOrThrow(),
  )
  return serialize(output.created, { ...row, secret: plain })
}

export async function listWebhooks(c: RouteContext) {
  const rows = await c.var.services.db.selectFrom('auth.webhooks').select(columns).where(
    'userId',
    '=',
    callerOf(c).user.id,
  )
    .orderBy('createdAt', 'desc').orderBy('id').execute()
  return rows.map((row) => serialize(webhook, row))
}

/**
 * Sends a message without changes at once, also to a webhook that is off. Its outcome does not
 * count.
 */
export async function testWebhook(
  c: RouteContext,
  { webhookId: which }: z.output<typeof input.one>,
): Promise<z.output<typeof output.tested>> {
  const { db, config, receivers } = c.var.services
  const row =
    await db.selectFrom('auth.webhooks').select(['url', 'secret']).where('id', '=', which).where(
      'userId',
      '=',
      callerOf(c).user.id,
    )
      .executeTakeFirst() ?? reject('NOT_FOUND')
  const plain = await symmetricDecrypt({ key: config.secret, data: row.secret }).catch(() =>
    undefined
  )
  if (plain === undefined) return { delivered: false, failure: 'secret', status: null }
  const ping = {
    id: `msg_${generateId()}`,
    type: 'ping' as const,
    timestamp: new Date(),
    changes: [],
  }
  const delivery = await sendMessage(receivers, row.url, ping, [plain])
  return {
    delivered: delivery.delivered,
    failure: delivery.delivered ? null : delivery.failure,
    status: delivery.status ?? null,
  }
}

/**
 * Turns a webhook on again. It has missed changes, so its first message is a reset. A webhook that
 * is on stays as it is.
 */
export async function enableWebhook(
  c: RouteContext,
  { webhookId: which }: z.output<typeof input.one>,
) {
  const row = await c.var.services.db.transaction().execute(async (trx) => {
    const enabled = await trx.updateTable('auth.webhooks').set({
      disabledAt: null,
      failingSince: null,
      lastFailure: null,
      lastStatus: null,
    }).where('id', '=', which).where('userId', '=', callerOf(c).user.id).where(
      'disabledAt',
      'is not',
      null,
    ).returning(columns).executeTakeFirst()
    if (enabled === undefined) {
      return await trx.selectFrom('auth.webhooks').select(columns).where('id', '=', which).where(
        'userId',
        '=',
        callerOf(c).user.id,
      ).executeTakeFirst() ??
        reject('NOT_FOUND')
    }
    await sql`insert into private.jobs (task, key, share, payload)
      values ('send_webhook', ${which}, ${
      callerOf(c).user.id
    }, '{"type": "rows.reset", "changes": []}')
      on conflict (task, key) where started_at is null do update set payload = excluded.payload`
      .execute(trx)
    return enabled
  })
  return serialize(webhook, row)
}

export async function rotateWebhookSecret(
  c: RouteContext,
  { webhookId: which, password }: z.output<typeof input.confirmed>,
) {
  const { config } = c.var.services
  await c.var.services.identity.confirmCaller(c, password)
  const plain = newSecret()
  const stored = await symmetricEncrypt({ key: config.secret, data: plain })
  const changed = await c.var.services.identity.withAccountLock(
    c,
    (trx) =>
      trx.updateTable('auth.webhooks').set({
        secret: stored,
        formerSecret: sql`secret`,
        formerSecretUntil: formerSecretLasts,
      })
        .where('id', '=', which).where('userId', '=', callerOf(c).user.id).executeTakeFirst(),
  )
  if (changed.numUpdatedRows !== 1n) reject('NOT_FOUND')
  return { secret: plain }
}

export async function deleteWebhook(
  c: RouteContext,
  { webhookId: which }: z.output<typeof input.one>,
): Promise<void> {
  const deleted = await c.var.services.db.deleteFrom('auth.webhooks').where('id', '=', which).where(
    'userId',
    '=',
    callerOf(c).user.id,
  ).executeTakeFirst()
  if (deleted.numDeletedRows !== 1n) reject('NOT_FOUND')
}
