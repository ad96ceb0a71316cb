/**
 * `export`: writes all data of a user in the format of the client's export, directly from the
 * database. For requests of users for their data.
 */
import { sql, type Transaction } from 'kysely'
import { accountFiles, PAGE, tableNames, tables } from '../client/export/format.ts'
import { archive, type Source } from '../client/export/archive-writer.ts'
import { chunksOf, objectOf } from '../db/stored-files.ts'
import type { Tables } from '../db/types.ts'
import { accountOf } from './account-rows.ts'
import {
  argument,
  operatorError,
  userByEmail,
  type Command,
  type Deployment,
  type Output,
} from './terminal.ts'

/** Fetches the rows of a cursor in pages. */
async function* fetchPages<Row>(db: Transaction<Tables>, cursor: string): AsyncGenerator<Row[]> {
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(PAGE)} from ${sql.ref(cursor)}`.execute(db)
    if (rows.length === 0) break
    yield rows
  }
  await sql`close ${sql.ref(cursor)}`.execute(db)
}

/** A row of `auth.events`. The members of `detail` depend on the kind. */
type EventRow = {
  id: string
  kind: string
  happenedAt: Date
  ipAddress: string | null
  userAgent: string | null
  detail: { newDevice?: boolean, name?: string, email?: string, previousEmail?: string }
}

/**
 * Opens a cursor for the account's events. PostgreSQL checks the permission when it opens, so a
 * later `set role` does not matter.
 */
async function eventsOf(
  db: Transaction<Tables>,
  userId: string,
): Promise<() => AsyncGenerator<string[]>> {
  const events = db.selectFrom('auth.events').select([
    'id',
    'kind',
    'happenedAt',
    'ipAddress',
    'userAgent',
    'detail',
  ])
    .where('userId', '=', userId).where('organizationId', 'is', null).orderBy('happenedAt', 'desc')
    .orderBy('id', 'desc')
  await sql`declare events no scroll cursor for ${events}`.execute(db)
  return async function*() {
    for await (const rows of fetchPages<EventRow>(db, 'events')) {
      yield rows.map(
        (
          {
            id,
            kind,
            happenedAt: happened_at,
            ipAddress: ip_address,
            userAgent: user_agent,
            detail,
          },
        ) => {
          const { newDevice: new_device, name, email, previousEmail: previous_email } = detail
          return JSON.stringify({
            id,
            kind,
            happened_at,
            ip_address,
            user_agent,
            new_device,
            name,
            email,
            previous_email,
          })
        },
      )
    }
  }
}

/** Reads a table's rows in pages, in the JSON format of the data surface. */
async function* pagesOf(
  db: Transaction<Tables>,
  table: typeof tableNames[number],
  scope: 'user' | 'personal' | 'organization',
): AsyncGenerator<string[]> {
  const tenant = {
    user: sql`user_id = public.uid()`,
    personal: sql`organization_id is null and user_id = public.uid()`,
    organization: sql`organization_id = public.org_id()`,
  }[scope]
  const order = sql.join(tables[table].key.map((column) => sql.ref(column)))
  await sql`declare rows no scroll cursor for select row_to_json(t)::text as row from ${
    sql.table(`api.${table}`)
  } t where ${tenant} order by ${order}`.execute(
    db,
  )
  for await (const rows of fetchPages<{ row: string }>(db, 'rows')) yield rows.map(({ row }) => row)
}

/**
 * Reads the file of an attachment. The row rules have decided about its row, so this reads with the
 * operator's own role.
 */
async function readFile(
  db: Transaction<Tables>,
  { openFiles }: Deployment,
  attachmentId: string,
): Promise<AsyncGenerator<Uint8Array>> {
  await sql`set local role none`.execute(db)
  const file = await db.selectFrom('private.files').select(['id', 'isExternal']).where(
    'attachmentId',
    '=',
    attachmentId,
  ).where('storedAt', 'is not', null)
    .executeTakeFirst()
  if (file?.isExternal !== true) return chunksOf(db, file?.id ?? attachmentId)
  const objects = await openFiles()
  if (objects === undefined)
    throw operatorError('FILES_URL must be set: files are in an object storage.')
  return objectOf(objects, file.id)
}

/** Writes a part and waits for it, so that a slow disk or network slows the reading down. */
const writePart = (out: Output, part: Uint8Array) =>
  new Promise<void>((resolve, reject) => {
    out.write(part, (error) => (error == null ? resolve() : reject(error)))
  })

/** `export <email> [--organization <slug>]` */
export const exportCommand: Command = async (db, args, options, out, deployment) => {
  const { id: userId } = await userByEmail(db, argument(args, 0, 'email'))
  if (out.isTTY === true)
    throw operatorError('An export is a ZIP archive. Redirect it to a file: … > export.zip')
  // one snapshot for all tables
  await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(
    async (snapshot) => {
      await sql`set local timezone to 'UTC'`.execute(snapshot)
      const { user, organizations, files } = await accountOf(snapshot, userId)
      const events = await eventsOf(snapshot, userId)
      const organization = organizations.find(({ slug }) => slug === options.organization)
      if (options.organization !== undefined && organization === undefined)
        throw operatorError(`${user.email} is not a member of ${options.organization}.`)

      // reads as the user, so that the row rules decide
      const claims = {
        user_id: userId,
        ...(organization &&
          { claims: { organization_id: organization.id, organization_role: organization.role } }),
      }
      await sql`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`.execute(
        snapshot,
      )
      await sql`set local role authenticated`.execute(snapshot)

      const rowsOf = (folder: 'personal' | 'organization'): Source[] =>
        tableNames.filter((table) => folder === 'personal' || tables[table].personal !== true)
          .map((table) => ({
            folder,
            name: table,
            pages: () =>
              pagesOf(snapshot, table, tables[table].personal === true ? 'user' : folder),
          }))
      const account = accountFiles.map((name): Source => ({
        folder: 'account',
        name,
        pages: name === 'events' ? events : () => [files[name].map((row) => JSON.stringify(row))],
      }))
      const about = {
        user: { id: userId, email: user.email },
        organization: organization === undefined
          ? null
          : { id: organization.id, name: organization.name, slug: organization.slug },
      }
      const sources = [
        ...account,
        ...rowsOf('personal'),
        ...(organization === undefined ? [] : rowsOf('organization')),
      ]
      for await (const part of archive(about, sources, (id) => readFile(snapshot, deployment, id)))
        await writePart(out, part)
    },
  )
}
