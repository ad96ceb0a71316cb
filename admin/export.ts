/** The operator's command for somebody who asks for what is theirs: the file that the client writes, from the database itself. */
import { sql, type Kysely, type Transaction } from 'kysely'
import { PAGE, tableNames, tables } from '../client/export/format.ts'
import { archive, type Source } from '../client/export/write.ts'
import type { Tables } from '../db/types.ts'
import { mistake, userNamed, word, type Command, type Output } from './terminal.ts'

/** What the auth surface tells the person, in its own words; tests/auth/admin-export.test.ts compares. */
async function accountOf(db: Kysely<Tables>, userId: string) {
  const { emailVerified, createdAt, updatedAt, ...user } = await db.selectFrom('auth.users').select([
    'id',
    'email',
    'name',
    'emailVerified',
    'createdAt',
    'updatedAt',
  ])
    .where('id', '=', userId).executeTakeFirstOrThrow()
  const sessions = await db.selectFrom('auth.sessions').selectAll().where('userId', '=', userId).where('expiresAt', '>', sql<Date>`now()`)
    .orderBy('createdAt', 'desc').execute()
  const organizations = await db.selectFrom('auth.organizations as o').innerJoin('auth.members as m', 'm.organizationId', 'o.id')
    .selectAll('o').select('m.role').where('m.userId', '=', userId).orderBy('o.createdAt').execute()
  const invitations = await db.selectFrom('auth.invitations as i').innerJoin('auth.organizations as o', 'o.id', 'i.organizationId')
    .selectAll('i').select('o.name as organizationName').where('i.email', '=', user.email).where('i.status', '=', 'pending')
    .where(sql.lit(emailVerified)).orderBy('i.createdAt').orderBy('i.id').execute()
  return {
    user,
    organizations,
    files: {
      user: [{ ...user, email_verified: emailVerified, created_at: createdAt, updated_at: updatedAt }],
      sessions: sessions.map((session) => ({
        id: session.id,
        user_id: session.userId,
        active_organization_id: session.activeOrganizationId,
        expires_at: session.expiresAt,
        ip_address: session.ipAddress ?? '',
        user_agent: session.userAgent ?? '',
        created_at: session.createdAt,
        current: false,
      })),
      organizations: organizations.map(({ id, name, slug, logo, metadata, createdAt: created, role }) => ({
        id,
        name,
        slug,
        logo,
        metadata: JSON.parse(metadata || '{}') as object,
        created_at: created,
        role,
      })),
      invitations: invitations.map(({ id, organizationId, email, role, inviterId, status, expiresAt, createdAt: created, organizationName }) => ({
        id,
        organization_id: organizationId,
        email,
        role,
        inviter_id: inviterId,
        status,
        expires_at: expiresAt,
        created_at: created,
        organization_name: organizationName,
      })),
    },
  }
}

/** A table's rows as the data surface prints them, some at a time. */
async function* pagesOf(db: Transaction<Tables>, table: typeof tableNames[number], whose: 'user' | 'personal' | 'organization'): AsyncGenerator<string[]> {
  const tenant = {
    user: sql`user_id = public.uid()`,
    personal: sql`organization_id is null and user_id = public.uid()`,
    organization: sql`organization_id = public.org_id()`,
  }[whose]
  const order = sql.join(tables[table].key.map((column) => sql.ref(column)))
  await sql`declare rows no scroll cursor for select row_to_json(t)::text as row from ${sql.table(`api.${table}`)} t where ${tenant} order by ${order}`.execute(
    db,
  )
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(PAGE)} from rows`.execute(db)
    if (rows.length === 0) break
    yield rows.map(({ row }) => row)
  }
  await sql`close rows`.execute(db)
}

/** Waits until it is taken, so that no more is read than a slow disk or network writes. */
const written = (out: Output, part: Uint8Array) =>
  new Promise<void>((resolve, reject) => {
    out.write(part, (error) => (error == null ? resolve() : reject(error)))
  })

/** `export <e-mail> [--organization <slug>]` */
export const exportCommand: Command = async (db, words, options, out) => {
  const { id: userId } = await userNamed(db, word(words, 0, 'e-mail'))
  if (out.isTTY === true) throw mistake('An export is a ZIP archive. Say where it goes: … > export.zip')
  // one moment for all tables
  await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(async (moment) => {
    await sql`set local timezone to 'UTC'`.execute(moment)
    const { user, organizations, files } = await accountOf(moment, userId)
    const organization = organizations.find(({ slug }) => slug === options.organization)
    if (options.organization !== undefined && organization === undefined) throw mistake(`${user.email} is no member of ${options.organization}.`)

    // the row rules decide what is theirs, as when they ask themselves
    const claims = { user_id: userId, ...(organization && { claims: { organization_id: organization.id, organization_role: organization.role } }) }
    await sql`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`.execute(moment)
    await sql`set local role authenticated`.execute(moment)

    const rowsOf = (folder: 'personal' | 'organization'): Source[] =>
      tableNames.filter((table) => folder === 'personal' || tables[table].personal !== true)
        .map((table) => ({ folder, name: table, pages: () => pagesOf(moment, table, tables[table].personal === true ? 'user' : folder) }))
    const account = Object.entries(files).map(([name, rows]): Source => ({ folder: 'account', name, pages: () => [rows.map((row) => JSON.stringify(row))] }))
    const about = {
      user: { id: userId, email: user.email },
      organization: organization === undefined ? null : { id: organization.id, name: organization.name, slug: organization.slug },
    }
    for await (const part of archive(about, [...account, ...rowsOf('personal'), ...(organization === undefined ? [] : rowsOf('organization'))]))
      await written(out, part)
  })
}
