/**
 * Generates docs/limits.md from the constants that enforce the limits, and counts from the sentences
 * of their errors.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { tokenLifetimeSeconds } from '../auth/engine/options.ts'
import { routes } from '../auth/rooms.ts'
import { MAX_FILES } from '../bank-files/archive.ts'
import { MAX_BYTES } from '../bank-files/decode.ts'
import { MAX_ROWS } from '../bank-files/read-statement.ts'
import { maxBodyBytes } from '../common/contract.ts'
import { errorCodes, type ErrorCode } from '../common/error-codes.ts'
import { environment, readSettings } from '../common/settings.ts'
import { longestMs } from '../edge/connection-shares.ts'
import { most } from '../edge/query.ts'
import { anonymous, lightBytes, withBearer } from '../edge/request-limits.ts'
import { maxOfKey, maxOfPerson } from '../realtime/index.ts'
import { limitedBy, perWindow } from '../http/description.ts'
import { readExposed } from '../http/openapi/catalogue.ts'
import { otherAddressLimit } from '../http/rate-limits.ts'
import type { Route } from '../http/route.ts'

type Row = [what: string, limit: string, beyond: string]

const number = (value: number): string => value.toLocaleString('en')
const size = (bytes: number): string =>
  bytes >= 1_048_576 ? `${number(bytes / 1_048_576)} MiB` : `${number(bytes / 1024)} KiB`

const table = (rows: Row[]): string =>
  ['| What | Limit | Beyond it |', '|---|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)]
    .join('\n')

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

/** The limits of the edge, which it checks before PostgREST receives a request. */
function requestRows(): Row[] {
  const { DATA_BODY_LIMIT } = readSettings({})
  return [
    ['the URL of a request without a token', size(anonymous.urlBytes), '414 `URI_TOO_LONG`'],
    ['the URL of a request with a token', size(withBearer.urlBytes), '414 `URI_TOO_LONG`'],
    ['the path', `${most.pathBytes} bytes`, '414 `URI_TOO_LONG`'],
    ['a body in JSON', `${size(DATA_BODY_LIMIT)} (\`DATA_BODY_LIMIT\`)`, '413'],
    ['a body in JSON without a token, and that of a read', size(lightBytes), '413'],
    [
      'a body in CSV',
      `${size(withBearer.csvBytes)}, without a token ${size(anonymous.csvBytes)}`,
      '413',
    ],
    ['parameters of a query', `${most.parameters}`, '400 `QUERY_TOO_COMPLEX`'],
    ['the name of a parameter', `${most.nameBytes} bytes`, '400 `QUERY_TOO_COMPLEX`'],
    [
      'commas and JSON arrows in `select`, `order`, `columns` and `on_conflict`',
      `${most.items}`,
      '400 `QUERY_TOO_COMPLEX`',
    ],
    ['embedded tables', `${most.embeddings}`, '400 `QUERY_TOO_COMPLEX`'],
    ['conditions', `${most.conditions}`, '400 `QUERY_TOO_COMPLEX`'],
    ['the wait for a connection', `${longestMs / 1000} s`, '429 `53400`'],
  ]
}

/** The limits of the database. */
async function databaseRows(client: pg.ClientBase): Promise<Row[]> {
  const { rows: [found] } = await client.query<{ written: number, occurrences: number }>(
    'select private.max_rows_per_request() as written, private.max_occurrences() as occurrences',
  )
  const { rows: timeouts } = await client.query<{ timeout: string }>(
    `select split_part(s, '=', 2) as timeout from pg_roles, unnest(rolconfig) s
    where rolname = 'authenticated' and s like 'statement_timeout=%'`,
  )
  const [, rows = ''] = /^db-max-rows = (\d+)$/m.exec(read('postgrest.conf')) ?? []
  return [
    ['rows of a response', number(Number(rows)), 'the first rows; `Content-Range` has the number'],
    ['rows that a request writes', number(found?.written ?? 0), '413 `PT413`'],
    ['days of recurring items in a plan', number(found?.occurrences ?? 0), '400 `22023`'],
    ['the time of a request; an undo has 30 s', timeouts[0]?.timeout ?? 'none', '500 `57014`'],
  ]
}

/** The longest text of each column of a table. */
async function lengthRows(client: pg.ClientBase): Promise<Row[]> {
  const { tables } = await readExposed(client)
  return tables.flatMap(({ name, columns }) =>
    columns.flatMap(({ name: column, bounds: { maxLength } }): Row[] =>
      maxLength === undefined
        ? []
        : [[`\`${name}.${column}\``, `${number(maxLength)} characters`, '400 `23514`']]
    )
  )
}

/** What each limit counts. The number is in the sentence of its error. */
const counted: ReadonlyArray<readonly [what: string, code: ErrorCode]> = [
  ['members of an organization', 'MEMBERSHIP_LIMIT_REACHED'],
  ['pending invitations of an organization', 'INVITATION_LIMIT_REACHED'],
  ['organizations that a user owns', 'ORGANIZATION_LIMIT_REACHED'],
  ['API keys of a user', 'API_KEY_LIMIT_REACHED'],
  ['calendars of a user', 'CALENDAR_LIMIT_REACHED'],
  ['webhooks of a user', 'WEBHOOK_LIMIT_REACHED'],
  ['passkeys of a user', 'PASSKEY_LIMIT_REACHED'],
]

/** The limits of counts, from the sentences of their errors. */
function countRows(): Row[] {
  const codes = Object.keys(errorCodes).filter((code) => code.endsWith('_LIMIT_REACHED'))
  if (codes.length !== counted.length) throw new Error('A limit has no row in docs/limits.md.')
  return [
    ...counted.map(([what, code]): Row => {
      const [status, message] = errorCodes[code]
      return [what, /\d+/.exec(message)?.[0] ?? '', `${status} \`${code}\``]
    }),
    [
      'live streams of a user in one process of the auth service',
      `${maxOfPerson}, and ${maxOfKey} of an API key`,
      '429',
    ],
  ]
}

/** The rate limits of routes, those with the same limits in one row. */
function rateRows(): Row[] {
  const limitOf = ({ limits: { address, accounts = [] } = {} }: Route): string =>
    [
      ...(address === undefined ? [] : [`${perWindow(address)} from one address`]),
      ...accounts.map((rule) => `${perWindow(rule)} ${limitedBy[rule.by]}`),
    ].join(', ')
  const groups = new Map<string, string[]>()
  for (const route of routes) {
    const limit = limitOf(route)
    if (limit !== '') groups.set(limit, [...groups.get(limit) ?? [], `\`${route.path}\``])
  }
  return [
    ...[...groups].map((
      [limit, paths],
    ): Row => [paths.join(', '), limit, '429 with `Retry-After`']),
    [
      'any other route',
      `${perWindow(otherAddressLimit)} from one address`,
      '429 with `Retry-After`',
    ],
  ]
}

/** The limits that an operator sets, with their defaults. */
function settingRows(): Row[] {
  const defaults = readSettings({})
  const names = [
    'FILE_MAX_BYTES',
    'FILES_PER_TRANSACTION',
    'FILES_QUOTA',
    'FILES_TEAM_QUOTA',
    'CHANGES_STREAMS',
    'ACTIVITY_DAYS',
    'EVENTS_DAYS',
    'KEY_ROTATION_DAYS',
  ] as const
  return names.map((name): Row => [
    environment.shape[name].meta()?.description ?? name,
    typeof defaults[name] === 'number'
      ? number(defaults[name])
      : String(environment.shape[name].meta()?.['unset']),
    `\`${name}\``,
  ])
}

/** Returns the page. @param client connected to a migrated database */
export async function limitsPage(client: pg.ClientBase): Promise<Record<string, string>> {
  return {
    'docs/limits.md': `# Limits

The limits of requests, counts, files and texts. \`npm run schema\` writes this page from the constants that enforce them, and counts from the
sentences of their errors. A request beyond a limit changes
nothing. [auth.md](auth.md#errors-and-limits) has those of wrong passwords and codes.

## Requests to the data surface

${table([...requestRows(), ...await databaseRows(client)])}

## Requests to the auth surface

A body has at most ${
      size(maxBodyBytes)
    }, otherwise 413 \`PAYLOAD_TOO_LARGE\`. A token of the data surface is valid for ${
      tokenLifetimeSeconds / 60
    } minutes. \`RATE_LIMIT_ENABLED=false\` turns these off:

${table(rateRows())}

## Counts

${table(countRows())}

## Set by the operator

${table(settingRows()).replace('| What | Limit | Beyond it |', '| What | Default | Setting |')}

## Bank files

${
      table([
        ['a file, and an archive when unpacked', size(MAX_BYTES), 'a problem with the reason'],
        ['files of an archive', number(MAX_FILES), 'a problem with the reason'],
        ['rows of one call of `import_transactions`', number(MAX_ROWS), '400 `22023`'],
      ])
    }

## Texts

A field in JSON has at most 16 KiB and 16 levels, the layout of a dashboard 64 KiB.

${table(await lengthRows(client))}
`,
  }
}
