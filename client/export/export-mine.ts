/**
 * `exportMine`: reads all data of the signed-in user from both surfaces and streams it as a ZIP
 * archive.
 */
import type { TableName } from '../database.ts'
import { FinanceError, financeError } from '../errors.ts'
import type { Client, FullSession, OrganizationWithRole, User } from '../index.ts'
import {
  type AccountFile,
  accountFiles,
  type Folder,
  PAGE,
  type SignIn,
  tableNames,
  tables,
} from './format.ts'
import { elements, members } from './raw-json.ts'
import { archive, type Pages, type ReadFile, type Source } from './archive-writer.ts'

/**
 * Sends a request to the data surface and returns the text of the response, so that numbers keep
 * all their digits.
 * @throws FinanceError
 */
export async function fetchText(
  { data }: Client,
  path: string,
  init: RequestInit = {},
): Promise<string> {
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
    // the response is of neither surface
  }
  throw financeError(body, response.status)
}

/** Returns the filter for the rows after `row`, in the order of the key. */
function rowsAfter(key: readonly string[], row: string): string {
  const values = members(row)
  const text = (column: string) =>
    encodeURIComponent(JSON.parse(values.get(column) ?? '""') as string)
  const [first = '', second] = key
  return second === undefined
    ? `&${first}=gt.${text(first)}`
    : `&or=(${first}.gt.${text(first)},and(${first}.eq.${text(first)},${second}.gt.${
      text(second)
    }))`
}

/** Fetches the rows of a table as pages of JSON texts. */
export async function* fetchPages(
  client: Client,
  table: TableName,
  filter: string,
): AsyncGenerator<string[]> {
  const { key } = tables[table]
  let position = ''
  // until a page is empty: the operator can limit the rows of a response further
  for (;;) {
    const rows = elements(
      await fetchText(client, `/${table}?${filter}&order=${key.join()}&limit=${PAGE}${position}`),
    )
    if (rows.length === 0) return
    yield rows
    position = rowsAfter(key, rows.at(-1)!)
  }
}

/** Pages of the account's events, newest first, so that new events shift no page. */
async function* events({ auth }: Client): AsyncGenerator<object[]> {
  for (let before: string | undefined;;) {
    const page = await auth.listEvents({ limit: 100, ...(before !== undefined && { before }) })
    if (page.length === 0) return
    yield page
    before = page.at(-1)!.id
  }
}

async function* partsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } catch (error) {
    throw financeError(error, 0)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const fileReader = (client: Client): ReadFile => (id) =>
  client.streamFile(id).then(partsOf, (error: unknown) => {
    if (error instanceof FinanceError && error.status === 404) return undefined
    throw error
  })

async function* linesOf(
  pages: AsyncIterable<object[]> | Iterable<object[]>,
): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map((row) => JSON.stringify(row))
}

/** The data of the user's account, also as files. */
type Account = {
  user: User
  session: FullSession
  organizations: OrganizationWithRole[]
  sources: Source[]
}

/** Fetches the data of the account; its events only when their file is written. */
async function fetchAccount(client: Client): Promise<Account> {
  const { auth } = client
  const [
    { user, session },
    sessions,
    organizations,
    invitations,
    factors,
    providers,
    { passkeys, required, has_password },
    keys,
    webhooks,
    calendars,
  ] = await Promise.all([
    auth.getSession(),
    auth.listSessions(),
    auth.organization.list(),
    auth.organization.listUserInvitations(),
    auth.twoFactor.status(),
    auth.listProviders(),
    auth.passkey.list(),
    auth.apiKey.list(),
    auth.webhook.list(),
    auth.calendar.list(),
  ])
  const signIn: SignIn = {
    has_password,
    passkey_required: required,
    two_factor: factors.enabled,
    backup_codes_left: factors.backup_codes_left,
  }
  const pagesOf: Record<AccountFile, () => Pages> = {
    user: () => linesOf([[user]]),
    sessions: () => linesOf([sessions]),
    organizations: () => linesOf([organizations]),
    invitations: () => linesOf([invitations]),
    sign_in: () => linesOf([[signIn]]),
    providers: () => linesOf([providers]),
    passkeys: () => linesOf([passkeys]),
    api_keys: () => linesOf([keys]),
    webhooks: () => linesOf([webhooks]),
    calendars: () => linesOf([calendars]),
    events: () => linesOf(events(client)),
  }
  const sources = accountFiles.map((name): Source => ({
    folder: 'account',
    name,
    pages: pagesOf[name],
  }))
  return { user, session, organizations, sources }
}

/** Returns the tables of a folder, with the rows that a filter selects. */
const tableSources = (client: Client, folder: Folder, userId: string, filter: string): Source[] =>
  tableNames.filter((table) => folder === 'personal' || tables[table].personal !== true)
    .map((table) => ({
      folder,
      name: table,
      pages: () =>
        fetchPages(
          client,
          table,
          tables[table].personal === true ? `user_id=eq.${userId}` : filter,
        ),
    }))

/** Watches the user and the active organization. `confirm` throws if one of them has changed. */
function watchContext(client: Client, userId: string, active: string | null) {
  let isChanged = false
  const end = client.onChange(({ session: now }) => {
    isChanged ||= now?.user_id !== userId || now.active_organization_id !== active
  })
  const confirm = async () => {
    const { session: now } = await client.auth.getSession()
    if (isChanged || now.user_id !== userId || now.active_organization_id !== active) {
      throw new FinanceError(409, {
        code: 'CONTEXT_CHANGED',
        message: 'The user or the active organization changed during the export. Try again.',
      })
    }
  }
  return { confirm, end }
}

/**
 * Exports the user's account, the personal rows and the rows of the active organization that the
 * user's role can list.
 *
 * The archive contains the files of attachments. It is written while it is read, so memory holds
 * one page of rows. The stream fails if a request fails, or if the user signs in or out or switches
 * the context during the export.
 *
 * @throws FinanceError without a session
 *
 * @example const file = await new Response(await exportMine(client)).blob()
 */
export async function exportMine(client: Client): Promise<ReadableStream<Uint8Array>> {
  const { user, session, organizations, sources } = await fetchAccount(client)
  const active = session.active_organization_id
  const { id, name, slug } = organizations.find((organization) => organization.id === active) ?? {}
  const context = watchContext(client, user.id, active)
  const rowsOf = (folder: Folder, filter: string) => tableSources(client, folder, user.id, filter)
  return archive(
    {
      user: { id: user.id, email: user.email },
      organization: id === undefined ? null : { id, name: name!, slug: slug! },
    },
    [
      ...sources,
      ...rowsOf('personal', `organization_id=is.null&user_id=eq.${user.id}`),
      ...(active === null ? [] : rowsOf('organization', `organization_id=eq.${active}`)),
    ],
    fileReader(client),
    context,
  )
}
