/**
 * Calendars: addresses at which a calendar program reads the due days of recurring expenses, income
 * and transfers. Such programs send no cookie, so the address has a secret. The database finds the
 * due days by its hash: db/calendars/calendar_days.sql.
 */
import { createHash, randomBytes } from 'node:crypto'
import { generateId } from 'better-auth'
import { sql } from 'kysely'
import { z } from 'zod'
import { basePath } from '../../common/contract.ts'
import { rejection, reject } from '../../http/errors.ts'
import { perMinute } from '../../http/policy.ts'
import { callerOf, type RouteContext } from '../../http/route.ts'
import { confirmation, id, name, rowId, serialize, time } from '../../http/fields.ts'
import { iCalendar } from './icalendar.ts'

export const input = {
  create: z.object({
    name: name.min(1),
    organizationId: id.nullable().default(null).meta({
      description: 'The team whose due days it shows; null for the personal ones.',
    }),
    amounts: z.boolean().default(false).meta({
      description: 'Whether the calendar also shows amounts.',
    }),
    password: confirmation,
  }),
  revoke: z.object({ calendarId: id }),
  read: z.object({
    secret: z.string().max(200).meta({ description: 'The secret of the address.' }),
  }),
}

const calendar = z.object({
  id: rowId,
  name: z.string().meta({ examples: ['What is due'] }),
  organization_id: z.string().nullable().meta({
    description: 'The team whose due days it shows; null for the personal ones.',
  }),
  amounts: z.boolean().meta({ description: 'Whether it also shows amounts.' }),
  created_at: time,
  last_read_at: time.nullable().meta({
    description: 'Time of the last request, to the minute; null before the first.',
  }),
}).meta({ id: 'Calendar', description: 'The address of a calendar.' })

export const output = {
  list: z.array(calendar),
  created: calendar.extend({
    url: z.url().meta({ description: 'The address with its secret. It cannot be returned again.' }),
  })
    .meta({ id: 'NewCalendar', description: 'A newly created address of a calendar.' }),
  read: z.string().meta({ description: 'The calendar, in the format iCalendar.' }),
}

/** The beginning of each secret, by which the log leaves it out: common/log.ts. */
const prefix = 'cal_'
const secretForm = /^(cal_[\w-]{43})\.ics$/

/** Limit of wrong secrets per client address. */
const wrongSecrets = { path: '/calendar with a wrong secret', limit: perMinute(60) }
/** Limit of requests per calendar. */
const reads = { counter: 'reads of a calendar', limit: perMinute(30) }

/**
 * Time limit of a read in the database, in milliseconds. Only thousands of subscriptions need more.
 */
const readTimeoutMs = 3_000

/** The interval at which programs should read a calendar again. */
const refreshHours = 6

const columns = [
  'id',
  'name',
  'organizationId',
  'hasAmounts as amounts',
  'createdAt',
  'lastReadAt',
] as const

/** Hashes a secret. It is 256 random bits, so a slow hash would protect nothing. */
const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export async function createCalendar(
  c: RouteContext,
  { password, amounts, ...given }: z.output<typeof input.create>,
) {
  const { user } = callerOf(c)
  // as for an API key: the owner of the address may take the account over
  if (!user.emailVerified) reject('EMAIL_NOT_VERIFIED')
  await c.var.services.identity.confirmCaller(c, password)
  const secret = `${prefix}${randomBytes(32).toString('base64url')}`
  const values = {
    ...given,
    id: generateId(),
    userId: user.id,
    hasAmounts: amounts,
    secretHash: hashOf(secret),
  }
  const row = await c.var.services.identity.withAccountLock(
    c,
    (trx) =>
      trx.insertInto('auth.calendars').values(values).returning(columns).executeTakeFirstOrThrow(),
  )
  return serialize(output.created, {
    ...row,
    url: `${c.var.services.config.publicUrl}${basePath}/calendar/${secret}.ics`,
  })
}

export async function listCalendars(c: RouteContext) {
  const rows = await c.var.services.db.selectFrom('auth.calendars').select(columns).where(
    'userId',
    '=',
    callerOf(c).user.id,
  )
    .orderBy('createdAt', 'desc').orderBy('id').execute()
  return rows.map((row) => serialize(calendar, row))
}

export async function revokeCalendar(
  c: RouteContext,
  { calendarId }: z.output<typeof input.revoke>,
): Promise<void> {
  const revoked = await c.var.services.db.deleteFrom('auth.calendars').where('id', '=', calendarId)
    .where('userId', '=', callerOf(c).user.id).executeTakeFirst()
  if (revoked.numDeletedRows !== 1n) reject('NOT_FOUND')
}

/** A row of private.calendar_days(). The first row has the calendar and no day. */
type Row = {
  name: string
  organization: string | null
  subscriptionId: string | null
  title: string
  dueOn: string
  kind: 'expense' | 'income' | 'transfer'
  amount: string | null
  currency: string | null
}

const categories: Record<Row['kind'], string> = {
  expense: 'Expense',
  income: 'Income',
  transfer: 'Transfer',
}

/**
 * Reads the due days. Calendars of all users share two connections, so that they never take those
 * of sign-ins.
 * @throws Rejection SERVICE_BUSY if there is no slot, or if the read takes too long
 */
async function readDays(c: RouteContext, userId: string, secret: string): Promise<Row[]> {
  const { db, calendarQueue } = c.var.services
  const leave = await calendarQueue.enter(userId) ?? reject('SERVICE_BUSY', 5)
  try {
    return await db.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = ${sql.lit(readTimeoutMs)}`.execute(trx)
      const { rows } = await sql<Row>`
        select name, organization, subscription_id, title, due_on::text as due_on, kind, amount::text as amount, currency
        from private.calendar_days(${
        hashOf(secret)
      }) order by due_on nulls first, title, subscription_id`.execute(trx)
      return rows
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === '57014') reject('SERVICE_BUSY', 60)
    throw error
  } finally {
    leave()
  }
}

/**
 * Responds with the calendar, or with 304 if the program has this version. @throws Rejection
 * NOT_FOUND for a wrong secret
 */
export async function readCalendar(
  c: RouteContext,
  { secret: file }: z.output<typeof input.read>,
): Promise<Response> {
  const { db, limits, config } = c.var.services
  const secret = secretForm.exec(file)?.[1]
  const found = secret === undefined
    ? undefined
    : await db.selectFrom('auth.calendars').select(['id', 'userId']).where(
      'secretHash',
      '=',
      hashOf(secret),
    ).executeTakeFirst()
  const { allowed, retryAfterSeconds } = found === undefined
    ? await limits.consumeForAddress(wrongSecrets.path, c.var.client, wrongSecrets.limit)
    : await limits.consumeForAccount(reads.counter, found.id, reads.limit)
  if (!allowed) throw rejection('RATE_LIMIT_EXCEEDED', undefined, retryAfterSeconds)
  if (secret === undefined || found === undefined) reject('NOT_FOUND')
  const [about, ...days] = await readDays(c, found.userId, secret)
  if (about === undefined) reject('NOT_FOUND')
  const host = new URL(config.publicUrl).hostname
  const text = iCalendar(
    about.organization === null ? about.name : `${about.name} (${about.organization})`,
    days.map(({ subscriptionId, title, dueOn: day, kind, amount, currency }) => ({
      uid: `${subscriptionId}-${day}@${host}`,
      day,
      title: amount === null ? title : `${title}: ${amount} ${currency?.toUpperCase()}`,
      category: categories[kind],
    })),
    new Date(),
    refreshHours,
  )
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  const isKnown =
    c.req.header('if-none-match')?.split(',').some((one) =>
      one.trim().replace(/^W\//, '') === etag
    ) ?? false
  return new Response(isKnown ? null : text, {
    status: isKnown ? 304 : 200,
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'cache-control': 'private, max-age=3600',
      etag,
    },
  })
}
