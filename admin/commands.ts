/** The operator's command: what a person with the owner's connection may do from a shell. */
import { parseArgs } from 'node:util'
import pg from 'pg'
import { keys } from './keys.ts'
import { mistake, table, word, type Cell, type Command, type Output } from './terminal.ts'

const help = `Usage: npm run admin -- <command> [options]

  products                                 list the products there are
  grant <e-mail> <product> [--days <n>]    give a user an active subscription, from now on (365 days)
  end <e-mail> [<product>]                 end a user's active subscriptions, of one product or of all
  verify <e-mail>                          mark a user's address as verified
  users [--limit <n>]                      list users, newest first (100)
  organizations [--limit <n>]              list organizations, newest first (100)
  keys                                     list the signing keys
  keys rotate                              sign with a new key, once every PostgREST knows it
  keys revoke <kid>                        refuse a key and every token it signed, now
  keys revoke --all                        begin anew, as after BETTER_AUTH_SECRET was lost

It works on DATABASE_URL, or on the embedded database when that is unset.
`

const wholeNumber = (text: string | undefined, fallback: number, option: string, max: number): number => {
  if (text === undefined) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > max) throw mistake(`--${option} must be a whole number from 1 to ${max}.`)
  return value
}

async function userNamed(client: pg.Client, email: string): Promise<{ id: string, email: string }> {
  const { rows } = await client.query<{ id: string, email: string }>('select id, email from auth.users where email = lower($1)', [email])
  if (rows[0] === undefined) throw mistake(`There is no user with the e-mail ${email}.`)
  return rows[0]
}

async function knownProduct(client: pg.Client, product: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>('select id from private.products order by rank')
  if (!rows.some(({ id }) => id === product)) throw mistake(`There is no product ${product}. There are: ${rows.map(({ id }) => id).join(', ')}.`)
  return product
}

const commands: Record<string, Command> = {
  keys,
  products: async (client, _words, _options, out) => {
    const { rows } = await client.query<Record<string, Cell>>('select id, name, rank from private.products order by rank')
    out.write(table(rows, ['id', 'name', 'rank']))
  },
  grant: async (client, words, options, out) => {
    const user = await userNamed(client, word(words, 0, 'e-mail'))
    const product = await knownProduct(client, word(words, 1, 'product'))
    const days = wholeNumber(options.days, 365, 'days', 36_500)
    const { rows } = await client.query<{ period_end: Date }>(
      `insert into api.app_subscriptions (user_id, product_id, status, period_start, period_end)
       values ($1, $2, 'sub_active', now(), now() + make_interval(days => $3)) returning period_end`, [user.id, product, days])
    out.write(`${user.email} has ${product} until ${rows[0]?.period_end.toISOString()}.\n`)
  },
  end: async (client, words, _options, out) => {
    const user = await userNamed(client, word(words, 0, 'e-mail'))
    const product = words[1] === undefined ? null : await knownProduct(client, words[1])
    const { rowCount } = await client.query(
      `update api.app_subscriptions set status = 'sub_ended', period_end = greatest(period_start, least(period_end, now()))
       where user_id = $1 and status = 'sub_active' and product_id = coalesce($2, product_id)`, [user.id, product])
    if (rowCount === 0) throw mistake(`${user.email} has no active subscription${product === null ? '' : ` of ${product}`}.`)
    out.write(`Ended ${rowCount} subscription${rowCount === 1 ? '' : 's'} of ${user.email}.\n`)
  },
  verify: async (client, words, _options, out) => {
    const user = await userNamed(client, word(words, 0, 'e-mail'))
    await client.query('update auth.users set email_verified = true, updated_at = now() where id = $1', [user.id])
    out.write(`${user.email} is verified.\n`)
  },
  users: async (client, _words, options, out) => {
    const { rows } = await client.query<Record<string, Cell>>(
      `select u.email, u.name, u.email_verified as verified, p.product_id as product, u.created_at, u.id
       from auth.users u left join lateral private.active_product(u.id) p on true
       order by u.created_at desc limit $1`, [wholeNumber(options.limit, 100, 'limit', 100_000)])
    out.write(table(rows, ['email', 'name', 'verified', 'product', 'created_at', 'id']))
  },
  organizations: async (client, _words, options, out) => {
    const { rows } = await client.query<Record<string, Cell>>(
      `select o.slug, o.name, u.email as owner, (select count(*) from auth.members where organization_id = o.id) as members, o.created_at, o.id
       from auth.organizations o
       left join auth.members m on m.organization_id = o.id and m.role = 'owner'
       left join auth.users u on u.id = m.user_id
       order by o.created_at desc limit $1`, [wholeNumber(options.limit, 100, 'limit', 100_000)])
    out.write(table(rows, ['slug', 'name', 'owner', 'members', 'created_at', 'id']))
  },
}

/**
 * Runs one command.
 * @param argv the words after `npm run admin --`
 * @returns the exit code; a mistake is told as one sentence and is 1
 */
export async function admin(argv: string[], { databaseUrl }: { databaseUrl: string }, out: Output): Promise<number> {
  try {
    const { values, positionals: [name, ...words] } = parseArgs({
      args: argv, allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, days: { type: 'string' }, limit: { type: 'string' }, all: { type: 'boolean' } },
    })
    if (values.help === true || name === undefined) {
      out.write(help)
      return values.help === true ? 0 : 1
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (command === undefined) throw mistake(`There is no command ${name}. \`npm run admin -- --help\` lists them.`)
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'admin', connectionTimeoutMillis: 5_000 })
    // a lost connection also fails the statement that is under way, which says so
    client.on('error', () => undefined)
    await client.connect()
    try {
      await command(client, words, values, out)
    } finally {
      await client.end()
    }
    return 0
  } catch (error) {
    if (error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '3F000')) {
      out.write('The database is not migrated: run `npm run migrate` first.\n')
      return 1
    }
    const known = error instanceof Error && (error.name === 'Mistake' || ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')))
    if (!known) throw error
    out.write(`${error.message.split('. To specify', 1)[0]}\n`)
    return 1
  }
}
