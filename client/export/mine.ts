/** What somebody who is signed in may see, as the rows of an export. */
import type { TableName } from '../database.ts'
import { FinanceError, financeError } from '../errors.ts'
import type { Client } from '../index.ts'
import { type AccountFile, accountFiles, type Folder, PAGE, type SignIn, tableNames, tables } from './format.ts'
import { elements, members } from './json.ts'
import { archive, type Pages, type Source } from './write.ts'

/**
 * A request of the data surface, with the answer's own text.
 * @throws FinanceError
 */
export async function ask({ data }: Client, path: string, init: RequestInit = {}): Promise<string> {
  const failed = (error: unknown): never => {
    throw financeError(error, 0)
  }
  const response = await data.fetch!(`${data.url}${path}`, init).catch(failed)
  const text = await response.text().catch(failed)
  if (response.ok) return text
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // of neither surface
  }
  throw financeError(body, response.status)
}

/** The rows whose key comes after that of `row`. */
function after(key: readonly string[], row: string): string {
  const values = members(row)
  const text = (column: string) => JSON.parse(values.get(column) ?? '""') as string
  const [first = '', second] = key
  return second === undefined
    ? `&${first}=gt.${text(first)}`
    : `&or=(${first}.gt.${text(first)},and(${first}.eq.${text(first)},${second}.gt.${text(second)}))`
}

async function* pagesOf(client: Client, table: TableName, filter: string): AsyncGenerator<string[]> {
  const { key } = tables[table]
  let place = ''
  // until a page is empty: how many rows an answer has is the operator's to say
  for (;;) {
    const rows = elements(await ask(client, `/${table}?${filter}&order=${key.join()}&limit=${PAGE}${place}`))
    if (rows.length === 0) return
    yield rows
    place = after(key, rows.at(-1)!)
  }
}

/** What happened in the account, newest first, so that what happens meanwhile moves nothing. */
async function* events({ auth }: Client): AsyncGenerator<object[]> {
  for (let before: string | undefined;;) {
    const page = await auth.listEvents({ limit: 100, ...(before !== undefined && { before }) })
    if (page.length === 0) return
    yield page
    before = page.at(-1)!.id
  }
}

async function* linesOf(pages: AsyncIterable<object[]> | Iterable<object[]>): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map((row) => JSON.stringify(row))
}

/**
 * Everything that is the person's as one ZIP, while it is read: their account, their personal rows and, with an organization
 * active, those of its rows that they may list.
 *
 * Memory is for one page of rows. The stream fails when a request does, and when somebody signs in or out or chooses another
 * organization meanwhile.
 *
 * @throws FinanceError without a session
 *
 * @example
 * const file = await new Response(await exportMine(client)).blob()
 */
export async function exportMine(client: Client): Promise<ReadableStream<Uint8Array>> {
  const { auth } = client
  const [{ user, session }, sessions, organizations, invitations, factors, providers, { passkeys, required, has_password }, keys] = await Promise.all([
    auth.getSession(),
    auth.listSessions(),
    auth.organization.list(),
    auth.organization.listUserInvitations(),
    auth.twoFactor.status(),
    auth.listProviders(),
    auth.passkey.list(),
    auth.apiKey.list(),
  ])
  const signIn: SignIn = { has_password, passkey_required: required, two_factor: factors.enabled, backup_codes_left: factors.backup_codes_left }
  const active = session.active_organization_id
  const { id, name, slug } = organizations.find((organization) => organization.id === active) ?? {}

  let moved = false
  const stop = client.onChange(({ session: now }) => {
    moved ||= now?.user_id !== user.id || now.active_organization_id !== active
  })
  const confirm = async () => {
    const { session: now } = await client.auth.getSession()
    if (moved || now.user_id !== user.id || now.active_organization_id !== active) {
      throw new FinanceError(409, { code: 'CONTEXT_CHANGED', message: 'Somebody signed in or out or chose another organization meanwhile.' })
    }
  }

  const rowsOfAccount: Record<AccountFile, () => Pages> = {
    user: () => linesOf([[user]]),
    sessions: () => linesOf([sessions]),
    organizations: () => linesOf([organizations]),
    invitations: () => linesOf([invitations]),
    sign_in: () => linesOf([[signIn]]),
    providers: () => linesOf([providers]),
    passkeys: () => linesOf([passkeys]),
    api_keys: () => linesOf([keys]),
    events: () => linesOf(events(client)),
  }
  const account = accountFiles.map((file): Source => ({ folder: 'account', name: file, pages: rowsOfAccount[file] }))
  const rowsOf = (folder: Folder, filter: string): Source[] =>
    tableNames.filter((table) => folder === 'personal' || tables[table].personal !== true).map((table) => ({
      folder,
      name: table,
      pages: () => pagesOf(client, table, tables[table].personal === true ? `user_id=eq.${user.id}` : filter),
    }))
  return archive({ user: { id: user.id, email: user.email }, organization: id === undefined ? null : { id, name: name!, slug: slug! } }, [
    ...account,
    ...rowsOf('personal', `organization_id=is.null&user_id=eq.${user.id}`),
    ...(active === null ? [] : rowsOf('organization', `organization_id=eq.${active}`)),
  ], { confirm, end: stop })
}
