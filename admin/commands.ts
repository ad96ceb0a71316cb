/**
 * The operator's command line: parses the arguments and runs one of the commands, with the owner's
 * database connection.
 */
import { parseArgs } from 'node:util'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import about from '../package.json' with { type: 'json' }
import type { Tables } from '../db/types.ts'
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
import { tenantCommands } from './tenant-move.ts'
import {
  argument,
  operatorError,
  table,
  usageError,
  type Command,
  type Deployment,
  type Output,
} from './terminal.ts'
import { usersCommands } from './users.ts'

/**
 * The forms of the commands with their descriptions, for `--help` and for the check of the
 * arguments.
 */
const forms = [
  [
    'status',
    'show the version, the database, its backfills, and the versions of its programs with their floors',
  ],
  ['products', 'list all products'],
  [
    'grant <email> <product> [--days <n>]',
    'give a user an active subscription, from now on (365 days)',
  ],
  ['end <email> [<product>]', "end a user's active subscriptions, of one product or of all"],
  ['verify <email>', "mark a user's address as verified"],
  ['two-factor reset <email>', "remove a user's second factor, such as after its loss"],
  ['passkeys reset <email>', "delete a user's passkeys, and no longer require one"],
  ['users [--limit <n>]', 'list users, newest first (100)'],
  ['organizations [--limit <n>]', 'list organizations, newest first (100)'],
  ['api-keys revoke <email>', 'delete all API keys of a user, and end their tokens'],
  [
    'export <email> [--organization <slug>]',
    'write all data of a user, and of one organization as the user sees it, as a ZIP archive',
  ],
  [
    'files move [--to database]',
    'move the files of transactions to the object storage of FILES_URL, or back into the database',
  ],
  ['files check', 'read all files, and compare them with their size and SHA-256'],
  [
    'tenant move <tenant> --to <target> [--dry-run]',
    'move the rows of an organization (o:<id>) to another database: a URL, or a file with it',
  ],
  [
    'tenant forget <tenant> --to <target>',
    'delete the former rows of a moved organization from this database',
  ],
  ['mail-test <email>', "send one email by the mail settings, and show the server's answer"],
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
  const positionals = form.replace(/ \[?--[\w-]+( [^\]]+)?\]?/g, '').split(' ')
  return {
    form,
    words: positionals.filter((word) => /^\w/.test(word)),
    most: positionals.length,
    options: [...form.matchAll(/--([\w-]+)/g)].map(([, name]) => name),
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
    throw usageError(`Unknown command ${positionals.slice(0, isGroup ? 2 : 1).join(' ')}.`)
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

type Backfill = { name: string, left: string, tenants: string, isFinished: boolean }

const commands: Record<string, Command> = {
  export: exportCommand,
  ...filesCommands,
  ...keysCommands,
  ...tenantCommands,
  ...usersCommands,
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
    const { rows: backfills } = await sql.raw<Backfill>(
      'select name, tenants_left as left, tenants, is_finished as "isFinished" from private.backfill_progress()',
    ).execute(db)
    for (const { name, left, tenants, isFinished } of backfills)
      out.write(
        `Backfill ${name}: ${isFinished ? 'finished' : `${left} of ${tenants} tenants left`}\n`,
      )
    for (const { line } of belowFloors(versions)) out.write(`${line}\n`)
    for (
      const { warning } of (await sql.raw<{ warning: string }>(collationChangeSql).execute(db)).rows
    ) out.write(`${warning}\n`)
  },
  'mail-test': async (_db, args, _options, out, { sendMail }) => {
    const to = argument(args, 0, 'email')
    out.write(`Sent to ${to}. The server's answer: ${await sendMail(to)}\n`)
  },
  restored: async (db, _args, _options, out) => {
    const { rows } = await sql<
      { what: string, ended: string }
    >`select * from private.end_restored_access(null) where ended > 0`.execute(db)
    out.write(
      `Ended: ${rows.map(({ what, ended }) => `${ended} ${what}`).join(', ') || 'nothing'}.\n`,
    )
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

/** Opens the database, with one connection. */
function openDatabase(databaseUrl: string): { pool: pg.Pool, db: Kysely<Tables> } {
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
  return { pool, db }
}

/** Returns the sentence about an error of the operator. @throws any other error */
function sentenceOf(error: unknown, programName: string, migrateCommand: string): string {
  if (error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '3F000')) {
    return `The database is not migrated: run \`${migrateCommand}\` first.`
  }
  if (!(error instanceof Error)) throw error
  const isUsage = error.name === 'UsageError' ||
    ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
  if (!isUsage && error.name !== 'OperatorError' && !isConfigError(error)) throw error
  const sentence = error.message.split('. To specify', 1)[0]?.replace(/([^.])$/, '$1.')
  return isUsage ? `${sentence} \`${programName} --help\` shows how.` : `${sentence}`
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
    sendMail = () => Promise.reject(operatorError('Email is not set up.')),
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
        'dry-run': { type: 'boolean' },
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
    const { pool, db } = openDatabase(databaseUrl)
    try {
      await run(db, args, values, out, { pool, databaseUrl, openFiles, sendMail, graceSeconds })
    } finally {
      await db.destroy()
    }
    return 0
  } catch (error) {
    errors.write(`${sentenceOf(error, programName, migrateCommand)}\n`)
    return 1
  }
}
