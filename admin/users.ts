/** The commands for users, organizations, products and subscriptions. */
import { sql, type Kysely } from 'kysely'
import type { FunctionRows, Tables } from '../db/types.ts'
import { argument, operatorError, table, userByEmail, type Command } from './terminal.ts'

const integerOption = (
  text: string | undefined,
  fallback: number,
  option: string,
  max: number,
): number => {
  if (text === undefined) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw operatorError(`--${option} must be a whole number from 1 to ${max}.`)
  return value
}

async function existingProduct(db: Kysely<Tables>, product: string): Promise<string> {
  const products = (await db.selectFrom('private.products').select('id').orderBy('rank').execute())
    .map(({ id }) => id)
  if (!products.includes(product))
    throw operatorError(`Unknown product ${product}. There are: ${products.join(', ')}.`)
  return product
}

export const usersCommands: Record<string, Command> = {
  products: async (db, _args, _options, out) => {
    const products = await db.selectFrom('private.products').select(['id', 'name', 'rank']).orderBy(
      'rank',
    ).execute()
    out.write(table(products, ['id', 'name', 'rank']))
  },
  grant: async (db, args, options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'email'))
    const productId = await existingProduct(db, argument(args, 1, 'product'))
    const days = integerOption(options.days, 365, 'days', 36_500)
    const { periodEnd } = await db.insertInto('api.app_subscriptions')
      .values({
        userId: user.id,
        productId,
        status: 'sub_active',
        periodStart: sql`now()`,
        periodEnd: sql`now() + make_interval(days => ${days})`,
      })
      .returning('periodEnd').executeTakeFirstOrThrow()
    out.write(`${user.email} has ${productId} until ${periodEnd.toISOString()}.\n`)
  },
  end: async (db, args, _options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'email'))
    const product = args[1] === undefined ? undefined : await existingProduct(db, args[1])
    const { numUpdatedRows: ended } = await db.updateTable('api.app_subscriptions')
      .set({
        status: 'sub_ended',
        periodEnd: sql`greatest(period_start, least(period_end, now()))`,
      })
      .where('userId', '=', user.id).where('status', '=', 'sub_active')
      .$if(
        product !== undefined,
        (subscriptions) => subscriptions.where('productId', '=', product ?? ''),
      )
      .executeTakeFirst()
    if (ended === 0n)
      throw operatorError(
        `${user.email} has no active subscription${product === undefined ? '' : ` of ${product}`}.`,
      )
    out.write(`Ended ${ended} subscription${ended === 1n ? '' : 's'} of ${user.email}.\n`)
  },
  verify: async (db, args, _options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'email'))
    await db.updateTable('auth.users').set({ emailVerified: true, updatedAt: sql`now()` }).where(
      'id',
      '=',
      user.id,
    ).execute()
    out.write(`${user.email} is verified.\n`)
  },
  'two-factor reset': async (db, args, _options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'email'))
    const { numDeletedRows } = await db.deleteFrom('auth.two_factors').where('userId', '=', user.id)
      .executeTakeFirst()
    if (numDeletedRows !== 1n) throw operatorError(`${user.email} has no second factor.`)
    await db.deleteFrom('auth.sessions').where('userId', '=', user.id).execute()
    out.write(`${user.email} signs in with only the password. All sessions are signed out.\n`)
  },
  'passkeys reset': async (db, args, _options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'email'))
    const { numDeletedRows: count } = await db.deleteFrom('auth.passkeys').where(
      'userId',
      '=',
      user.id,
    ).executeTakeFirst()
    if (count === 0n) throw operatorError(`${user.email} has no passkey.`)
    await db.deleteFrom('auth.sessions').where('userId', '=', user.id).execute()
    out.write(
      `Deleted ${count} passkey${
        count === 1n ? '' : 's'
      } of ${user.email}, who signs in without one. All sessions are signed out.\n`,
    )
  },
  'api-keys revoke': async (db, args, _options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'email'))
    const { numDeletedRows: ended } = await db.deleteFrom('auth.api_keys').where(
      'userId',
      '=',
      user.id,
    ).executeTakeFirst()
    out.write(`Ended ${ended} API key${ended === 1n ? '' : 's'} of ${user.email}.\n`)
  },
  users: async (db, _args, options, out) => {
    const users = await db.selectFrom('auth.users as u')
      .leftJoinLateral(
        sql<FunctionRows['private.active_product']>`private.active_product(u.id)`.as('p'),
        (join) => join.onTrue(),
      )
      .select([
        'u.email',
        'u.name',
        'u.emailVerified as verified',
        'p.productId as product',
        'u.createdAt',
        'u.id',
      ])
      .orderBy('u.createdAt', 'desc').limit(integerOption(options.limit, 100, 'limit', 100_000))
      .execute()
    out.write(table(users, ['email', 'name', 'verified', 'product', 'createdAt', 'id']))
  },
  organizations: async (db, _args, options, out) => {
    const organizations = await db.selectFrom('auth.organizations as o')
      .leftJoin(
        'auth.members as m',
        (join) => join.onRef('m.organizationId', '=', 'o.id').on('m.role', '=', 'owner'),
      )
      .leftJoin('auth.users as u', 'u.id', 'm.userId')
      .select(['o.slug', 'o.name', 'u.email as owner', 'o.createdAt', 'o.id'])
      .select((of) =>
        of.selectFrom('auth.members').select(of.fn.countAll<string>().as('count')).whereRef(
          'organizationId',
          '=',
          'o.id',
        ).as('members')
      )
      .orderBy('o.createdAt', 'desc').limit(integerOption(options.limit, 100, 'limit', 100_000))
      .execute()
    out.write(table(organizations, ['slug', 'name', 'owner', 'members', 'createdAt', 'id']))
  },
}
