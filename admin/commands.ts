/**
 * The operator's command line: parses the arguments and runs one of the commands, with the owner's
 * database connection.
 */
import { parseArgs } from 'node:util'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import about from '../package.json' with { type: 'json' }
import type { FunctionRows, Tables } from '../db/types.ts'
import { isConfigError } from '../common/errors.ts'
import { collationChangeSql } from '../common/collation.ts'
import {
  belowFloors,
  databaseVersionsSql,
  floorOf,
  type Program,
  type Versions,
} from '../common/floors.ts'
import { objectGraceSeconds } from '../common/deleted-objects.ts'
import { exportCommand } from './export.ts'
import { filesCommands } from './files.ts'
import { keysCommands } from './keys.ts'
import {
  argument,
  operatorError,
  table,
  usageError,
  userByEmail,
  type Command,
  type Deployment,
  type Output,
} from './terminal.ts'

/**
 * The forms of the commands with their descriptions, for `--help` and for the check of the
 * arguments.
 */
const forms = [
  ['status', 'show the version, the database, and the versions of its programs with their floors'],
  ['products', 'list all products'],
  [
    'grant <e-mail> <product> [--days <n>]',
    'give a user an active subscription, from now on (365 days)',
  ],
  ['end <e-mail> [<product>]', "end a user's active subscriptions, of one product or of all"],
  ['verify <e-mail>', "mark a user's address as verified"],
  ['two-factor reset <e-mail>', "remove a user's second factor, such as after its loss"],
  ['passkeys reset <e-mail>', "delete a user's passkeys, and no longer require one"],
  ['users [--limit <n>]', 'list users, newest first (100)'],
  ['organizations [--limit <n>]', 'list organizations, newest first (100)'],
  ['api-keys revoke <e-mail>', 'delete all API keys of a user, and end their tokens'],
  [
    'export <e-mail> [--organization <slug>]',
    'write all data of a user, and of one organization as the user sees it, as a ZIP archive',
  ],
  [
    'files move [--to database]',
    'move the files of transactions to the object storage of FILES_URL, or back into the database',
  ],
  ['files check', 'read all files, and compare them with their size and SHA-256'],
  ['mail-test <e-mail>', "send one mail by the mail settings, and show the server's answer"],
  ['restored', 'after a restore by other means, end all sessions and pending links'],
  ['keys', 'list the signing keys'],
  ['keys rotate', 'sign with a new key as soon as every PostgREST has loaded it'],
  ['keys revoke <kid>', 'reject a key and all tokens that it signed, at once'],
  ['keys revoke --all', 'replace all keys, such as after the loss of BETTER_AUTH_SECRET'],
] as const

const width = Math.max(...forms.map(([form]) => form.length))

const help = (command: string, isDeployed: boolean) =>
  `Usage: ${command} <command> [options]

${forms.map(([form, description]) => `  ${form.padEnd(width)}  ${description}\n`).join('')}
The command uses ${
    isDeployed
      ? 'the database of this deployment'
      : 'DATABASE_URL, or the embedded database if that is unset'
  }.
`

/**
 * Splits a form into the words of its command, the maximum number of its words and arguments, and
 * its options.
 */
function partsOf(form: string) {
  const positionals = form.replace(/ \[?--\w+( [^\]]+)?\]?/g, '').split(' ')
  return {
    form,
    words: positionals.filter((word) => /^\w/.test(word)),
    most: positionals.length,
    options: [...form.matchAll(/--(\w+)/g)].map(([, name]) => name),
  }
}

const syntaxes = forms.map(([form]) => partsOf(form))

/**
 * Finds the command of the arguments.
 * @param options the names of the given options
 * @throws a usage error if there is no such command, or if it does not have one of the arguments or
 * options
 */
function commandOf(
  program: string,
  positionals: string[],
  options: string[],
): { run: Command, args: string[] } {
  const matching = syntaxes.filter(({ words }) =>
    words.every((word, index) => word === positionals[index])
  )
  const length = Math.max(...matching.map(({ words }) => words.length))
  const run = commands[positionals.slice(0, length).join(' ')]
  const isGroup = syntaxes.some(({ words }) => words.length === 2 && words[0] === positionals[0])
  if (run === undefined || (isGroup && length === 1 && positionals.length > 1))
    throw usageError(`There is no command ${positionals.slice(0, isGroup ? 2 : 1).join(' ')}.`)
  const candidates = matching.filter(({ words }) => words.length === length)
  if (
    !candidates.some((form) =>
      positionals.length <= form.most && options.every((option) => form.options.includes(option))
    )
  )
    throw operatorError(
      `The command has no such arguments. Usage: ${
        candidates.map(({ form }) => `\`${program} ${form}\``).join(' or ')
      }`,
    )
  return { run, args: positionals.slice(length) }
}

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
    throw operatorError(`There is no product ${product}. There are: ${products.join(', ')}.`)
  return product
}

const commands: Record<string, Command> = {
  export: exportCommand,
  ...filesCommands,
  ...keysCommands,
  status: async (db, _args, _options, out) => {
    const { rows: [database] } = await sql<{ name: string }>`select current_database() as name`
      .execute(db)
    const { rows: [found] } = await sql.raw<Versions>(databaseVersionsSql).execute(db)
    const versions: Versions = { ...found, node: process.versions.node }
    const seen = Object.entries(versions).flatMap(([program, version]) =>
      version == null ? [] : [{ program, version, floor: floorOf(program as Program, version) }]
    )
    out.write(
      `Version ${about.version}\nDatabase ${database?.name}\n${
        table(seen, ['program', 'version', 'floor'])
      }`,
    )
    for (const { line } of belowFloors(versions)) out.write(`${line}\n`)
    for (
      const { warning } of (await sql.raw<{ warning: string }>(collationChangeSql).execute(db)).rows
    ) out.write(`${warning}\n`)
  },
  'mail-test': async (_db, args, _options, out, { sendMail }) => {
    const to = argument(args, 0, 'e-mail')
    out.write(`Sent to ${to}. The server's answer: ${await sendMail(to)}\n`)
  },
  products: async (db, _args, _options, out) => {
    const products = await db.selectFrom('private.products').select(['id', 'name', 'rank']).orderBy(
      'rank',
    ).execute()
    out.write(table(products, ['id', 'name', 'rank']))
  },
  grant: async (db, args, options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'e-mail'))
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
    const user = await userByEmail(db, argument(args, 0, 'e-mail'))
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
    const user = await userByEmail(db, argument(args, 0, 'e-mail'))
    await db.updateTable('auth.users').set({ emailVerified: true, updatedAt: sql`now()` }).where(
      'id',
      '=',
      user.id,
    ).execute()
    out.write(`${user.email} is verified.\n`)
  },
  'two-factor reset': async (db, args, _options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'e-mail'))
    const { numDeletedRows } = await db.deleteFrom('auth.two_factors').where('userId', '=', user.id)
      .executeTakeFirst()
    if (numDeletedRows !== 1n) throw operatorError(`${user.email} has no second factor.`)
    await db.deleteFrom('auth.sessions').where('userId', '=', user.id).execute()
    out.write(`${user.email} signs in with only the password. Every session has ended.\n`)
  },
  'passkeys reset': async (db, args, _options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'e-mail'))
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
      } of ${user.email}, who signs in without one. Every session has ended.\n`,
    )
  },
  'api-keys revoke': async (db, args, _options, out) => {
    const user = await userByEmail(db, argument(args, 0, 'e-mail'))
    const { numDeletedRows: ended } = await db.deleteFrom('auth.api_keys').where(
      'userId',
      '=',
      user.id,
    ).executeTakeFirst()
    out.write(`Ended ${ended} API key${ended === 1n ? '' : 's'} of ${user.email}.\n`)
  },
  restored: async (db, _args, _options, out) => {
    const { rows } = await sql<
      { what: string, ended: string }
    >`select * from private.end_restored_access(null) where ended > 0`.execute(db)
    out.write(
      `Ended: ${rows.map(({ what, ended }) => `${ended} ${what}`).join(', ') || 'nothing'}.\n`,
    )
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

export type AdminOptions = {
  databaseUrl: string
  /** The shell commands of this program and of the migration, for messages. */
  command: string
  migrateCommand: string
  openFiles?: Deployment['openFiles']
  sendMail?: Deployment['sendMail']
  /** Default: twice the time for which an address of an object is valid. */
  graceSeconds?: number
}

/**
 * Runs one command.
 * @param argv the arguments after the program's name
 * @param errors receives error messages, because the output can be a file
 * @returns the exit code: 1 after an error of the operator, with one sentence in `errors`
 */
export async function admin(
  argv: string[],
  {
    databaseUrl,
    command: programName,
    migrateCommand,
    openFiles = () => Promise.resolve(undefined),
    sendMail = () => Promise.reject(operatorError('There are no mail settings here.')),
    graceSeconds = objectGraceSeconds,
  }: AdminOptions,
  out: Output,
  errors: Output = out,
): Promise<number> {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: argv,
      allowPositionals: true,
      tokens: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        days: { type: 'string' },
        limit: { type: 'string' },
        all: { type: 'boolean' },
        organization: { type: 'string' },
        to: { type: 'string' },
      },
    })
    if (values.help === true || positionals.length === 0) {
      out.write(help(programName, databaseUrl !== ''))
      return values.help === true ? 0 : 1
    }
    const options = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
    const repeated = options.find((option, index) => options.indexOf(option) < index)
    if (repeated !== undefined) throw usageError(`--${repeated} is given twice.`)
    const { run, args } = commandOf(programName, positionals, options)
    // the connection is never closed while idle, because it may hold a lock
    const pool = new pg.Pool({
      connectionString: databaseUrl,
      application_name: 'admin',
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 0,
      max: 1,
    })
    // a lost connection also fails the running statement, which reports the error
    pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined))
    const db = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool }),
      plugins: [new CamelCasePlugin()],
    })
    try {
      await run(db, args, values, out, { pool, openFiles, sendMail, graceSeconds })
    } finally {
      await db.destroy()
    }
    return 0
  } catch (error) {
    if (error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '3F000')) {
      errors.write(`The database is not migrated: run \`${migrateCommand}\` first.\n`)
      return 1
    }
    if (!(error instanceof Error)) throw error
    const isUsage = error.name === 'UsageError' ||
      ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
    if (!isUsage && error.name !== 'OperatorError' && !isConfigError(error)) throw error
    const sentence = error.message.split('. To specify', 1)[0]?.replace(/([^.])$/, '$1.')
    errors.write(isUsage ? `${sentence} \`${programName} --help\` shows how.\n` : `${sentence}\n`)
    return 1
  }
}
