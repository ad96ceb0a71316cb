/**
 * Brings a database to the present: one lock, then the migrations that are new, each once and whole, then every function,
 * always, then the settings and passwords of this deployment. Safe to run by five processes at once, and to kill at any
 * point: what was not committed is done by the next run.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

const here = import.meta.dirname

/** Any number, as long as nothing else in this database takes the same advisory lock. */
const lockKey = 710_331_804_118

export type MigrateOptions = {
  /** The owner's connection; its user needs CREATEROLE and CREATE on the database, not superuser. */
  databaseUrl: string
  /** base_url: the only audience a token may name. */
  publicUrl: string
  /** Password of the login `auth_service`. */
  authServicePassword: string
  /** Password of the login `authenticator`. */
  authenticatorPassword: string
  /** Told what was done, a line each. */
  log?: (line: string) => void
}

const checksum = (sql: string) => createHash('sha256').update(sql).digest('hex')

async function sqlFiles(folder: string): Promise<{ name: string, sql: string }[]> {
  const names = (await readdir(`${here}/${folder}`)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(names.map(async (name) => ({
    name,
    // a checkout with other line endings is still the same migration
    sql: (await readFile(`${here}/${folder}/${name}`, 'utf8')).replaceAll('\r\n', '\n'),
  })))
}

/** The names of all migrations, in their order; `/readyz` compares them with what the database has applied. */
export const migrationNames = async (): Promise<string[]> => (await sqlFiles('migrations')).map(({ name }) => name)

/**
 * A migration names the functions that its policies and triggers need (`-- requires functions/x.sql`), so that each
 * function has one home and is still there in time.
 */
async function withRequiredFunctions(sql: string): Promise<string> {
  const parts = await Promise.all(sql.split('\n').map(async (line) => {
    const required = /^-- requires (functions\/[a-z_]+\.sql)$/.exec(line)?.[1]
    return required === undefined ? line : readFile(`${here}/${required}`, 'utf8')
  }))
  return parts.join('\n')
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function run(client: pg.Client, file: string, sql: string): Promise<void> {
  try {
    await client.query(sql)
  } catch (error) {
    throw new Error(`${file} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

async function applyMigrations(client: pg.Client, log: (line: string) => void): Promise<void> {
  await client.query(`
    create schema if not exists private;
    create table if not exists private.migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
    comment on table private.migrations is 'What db/migrate.ts has applied.'`)
  const { rows } = await client.query<{ name: string, checksum: string }>('select name, checksum from private.migrations')
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  for (const { name, sql } of await sqlFiles('migrations')) {
    const known = applied.get(name)
    if (known !== undefined && known !== checksum(sql)) {
      throw new Error(`${name} was edited after it had been applied to this database. Restore it, and write the change as a new migration.`)
    }
    if (known !== undefined) continue
    await inTransaction(client, async () => {
      // rather give up and be run again than hold up a live service behind a lock that is waited for
      await client.query(`set local lock_timeout = '10s'; set local statement_timeout = '15min'`)
      await run(client, name, await withRequiredFunctions(sql))
      await client.query('insert into private.migrations (name, checksum) values ($1, $2)', [name, checksum(sql)])
    })
    log(`applied ${name}`)
  }
}

async function applyFunctions(client: pg.Client): Promise<void> {
  const files = await sqlFiles('functions')
  await inTransaction(client, async () => {
    for (const { name, sql } of files) await run(client, name, sql)
  })
}

/**
 * What PostgreSQL stores for a password (RFC 5803). Made here, so that the password itself is in no statement and thus in
 * no server log.
 */
function scramVerifier(password: string): string {
  const iterations = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`
}

async function setLogin(client: pg.Client, role: string, password: string): Promise<void> {
  const statement = `alter role ${role} login password ${client.escapeLiteral(scramVerifier(password))}`
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(statement)
      return
    } catch (error) {
      // a role belongs to the whole server: another database's migration may be setting it now
      const concurrently = error instanceof pg.DatabaseError && error.message.includes('concurrently')
      if (!concurrently || attempt === 20) throw error
      await new Promise((resolve) => setTimeout(resolve, 25 * attempt))
    }
  }
}

/**
 * Migrates the database of `databaseUrl`.
 * @throws Error with one line that names the file, or what PostgreSQL said.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const log = options.log ?? (() => {})
  const client = new pg.Client({ connectionString: options.databaseUrl, application_name: 'migrate', connectionTimeoutMillis: 5_000 })
  // a lost connection also fails the statement that is under way, which says so; unheard, the event would end the process
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`set client_min_messages = warning; select pg_advisory_lock(${lockKey})`)
    await applyMigrations(client, log)
    await applyFunctions(client)
    await setLogin(client, 'auth_service', options.authServicePassword)
    await setLogin(client, 'authenticator', options.authenticatorPassword)
    await client.query(
      `insert into private.settings (public_url) values ($1)
       on conflict (singleton) do update set public_url = excluded.public_url`,
      [options.publicUrl],
    )
    await client.query(`notify pgrst, 'reload schema'; notify pgrst, 'reload config'`)
  } finally {
    // ends the session, and with it the lock
    await client.end()
  }
}
