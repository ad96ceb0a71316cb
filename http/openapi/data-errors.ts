/**
 * The errors of the data surface, by operation, for the OpenAPI document. Tests compare them with
 * docs/data.md, with the edge and with real responses. If PostgREST 12 (`npm start`) and 16
 * (containers) differ, each has a row. Other SQLSTATEs have the same format.
 */

import { rejections, type RejectionCode } from '../../edge/reject.ts'

/**
 * `read`: GET and HEAD of a table. `create`: POST. `change`: PATCH. `remove`: DELETE. `call`: a
 * function.
 */
export type Operation = 'read' | 'create' | 'change' | 'remove' | 'call'

export type DataError = {
  status: number
  code: string
  message: string
  when: string
  operations: readonly Operation[]
  hint: string | null
}

const all = ['read', 'create', 'change', 'remove', 'call'] as const
const filtered = ['read', 'change', 'remove', 'call'] as const
const writes = ['create', 'change', 'remove', 'call'] as const
const sends = ['create', 'change', 'call'] as const

const row = (
  status: number,
  code: string,
  operations: readonly Operation[],
  message: string,
  when: string,
  hint: string | null = null,
): DataError => ({
  status,
  code,
  message,
  when,
  operations,
  hint,
})

/** Returns an error of the edge itself. */
const ofEdge = (code: RejectionCode, operations: readonly Operation[], when: string): DataError => {
  const [status, message, hint]: readonly [number, string, string?] = rejections[code]
  return row(status, code, operations, message, when, hint ?? null)
}

export const dataErrors: DataError[] = [
  row(
    400,
    '22P02',
    all,
    'invalid input syntax for type uuid: "1"',
    'a value is not a UUID or a number',
  ),
  row(
    400,
    '22007',
    all,
    'invalid input syntax for type timestamp with time zone: ""',
    'a value is not a date; for a body, `hint` has the format',
    'Use YYYY-MM-DD, such as 2025-01-31, or YYYY-MM-DDTHH:MM:SSZ, such as 2025-01-31T18:30:00Z.',
  ),
  row(
    400,
    '22008',
    all,
    'date/time field value out of range: "2025-02-30"',
    'the date does not exist; for a body, `hint` has the format',
    'Use YYYY-MM-DD, such as 2025-01-31.',
  ),
  row(
    400,
    '22P05',
    sends,
    'unsupported Unicode escape sequence',
    'a text contains the character U+0000',
  ),
  row(400, '22003', sends, 'numeric field overflow', 'a number is too large'),
  row(
    400,
    '23514',
    sends,
    'new row for relation "transactions" violates check constraint "transactions_status_known"',
    'the column does not allow the value; `message` names the constraint, `hint` the allowed values',
    'status: paid, pending or failed.',
  ),
  row(
    400,
    '23502',
    sends,
    'null value in column "name" of relation "transactions" violates not-null constraint',
    'a value is missing; `hint` has the allowed values',
    'name: Title, 1 to 255 characters, not only blanks.',
  ),
  row(
    400,
    '22023',
    all,
    "unknown p_aggregate_fn 'max'",
    'a function or a preference does not allow the value; `hint` has the allowed values',
    'Must be sum, avg or count.',
  ),
  row(400, '42703', all, 'column transactions.colour does not exist', 'the column does not exist'),
  row(
    400,
    '42704',
    all,
    'type "money" does not exist',
    'the type of a cast or the text search configuration does not exist',
  ),
  row(
    400,
    '42846',
    all,
    'cannot cast type numeric to uuid',
    'the column cannot be cast to this type',
  ),
  row(
    400,
    '42804',
    filtered,
    'argument of IS TRUE must be type boolean, not type numeric',
    '`is.true` on a column that is not boolean',
  ),
  row(
    400,
    '2201B',
    filtered,
    'invalid regular expression: parentheses () not balanced',
    'the pattern of `match` or `imatch` is invalid',
  ),
  row(
    400,
    '42601',
    filtered,
    'syntax error in tsquery: "a b"',
    'the text search of `fts` is invalid; `plfts` takes any words',
  ),
  row(
    400,
    'PGRST204',
    ['create', 'change'],
    "Could not find the 'colour' column of 'transactions' in the schema cache",
    'the body names a column that does not exist',
  ),
  row(
    400,
    'PGRST200',
    all,
    "Could not find a relationship between 'transactions' and 'dashboards' in the schema cache",
    '`select` embeds a table that is not related',
  ),
  row(
    400,
    'PGRST108',
    all,
    "'category' is not an embedded resource in this request",
    'a filter, order or limit is on a table that `select` does not embed',
  ),
  row(
    400,
    'PGRST118',
    ['read', 'call'],
    "A related order on 'line_items' is not possible",
    'order by a related table with many rows per row',
  ),
  row(
    400,
    'PGRST119',
    all,
    "A spread operation on 'line_items' is not possible",
    'spread of a related table with many rows per row, in PostgREST 12; 16 returns arrays',
  ),
  row(
    400,
    'PGRST100',
    all,
    '"failed to parse filter (about.5)" (line 1, column 1)',
    'the query string is invalid',
  ),
  row(
    400,
    'PGRST102',
    sends,
    'All object keys must match',
    'the body is invalid, or its objects have different keys',
  ),
  row(
    400,
    'PGRST122',
    all,
    'the preferences count=planned and count=estimated are not supported',
    'a preference is not available',
  ),
  row(
    400,
    'IDEMPOTENCY_KEY_NOT_SUPPORTED',
    writes,
    'Idempotency-Key is not supported, so nothing was saved',
    'a request that can write has an `Idempotency-Key`',
    'Omit it. To avoid duplicates when you retry, send your own id in each row with Prefer: resolution=ignore-duplicates.',
  ),
  row(
    400,
    'PGRST123',
    all,
    'Use of aggregate functions is not allowed',
    '`select` has an aggregate; use the functions instead',
  ),
  row(
    400,
    'PGRST124',
    ['change', 'remove'],
    'Query result exceeds max-affected preference constraint',
    'more rows match than `max-affected` allows, in PostgREST 16; 12 does not know the preference',
  ),
  row(
    400,
    '42P10',
    ['create'],
    'there is no unique or exclusion constraint matching the ON CONFLICT specification',
    'no key of the table has the columns that `on_conflict` names',
  ),
  row(
    400,
    '21000',
    ['create'],
    'the request contains the same row twice',
    'a merge contains a row twice',
  ),
  ofEdge('QUERY_TOO_COMPLEX', all, 'the edge refuses the query'),
  ofEdge('INVALID_ENCODING', all, 'the edge refuses a request that is not UTF-8'),
  ofEdge(
    'LIMIT_NOT_SUPPORTED',
    ['change', 'remove', 'call'],
    'the edge refuses `limit` and `offset`, and `limit=0` of a function',
  ),
  ofEdge('ORDER_NOT_SUPPORTED', ['change', 'remove'], 'the edge refuses the order'),
  row(
    401,
    'PGRST301',
    all,
    'JWT expired',
    'the token has expired or is invalid, or its session, membership or role has ended: fetch a new one',
  ),
  row(
    401,
    'PGRST303',
    all,
    'JWT expired',
    'the token has expired, in PostgREST 16 without the edge; the edge returns `PGRST301`',
  ),
  row(401, '42501', writes, 'permission denied for table transactions', 'there is no token'),
  row(
    403,
    '42501',
    writes,
    'permission denied for table transactions',
    "the user's role does not allow this, or the row or its owner is another user's",
  ),
  row(
    404,
    '42P01',
    ['read', 'create', 'change', 'remove'],
    'relation "api.wallets" does not exist',
    'the table does not exist, in PostgREST 12',
  ),
  row(
    404,
    'PGRST205',
    ['read', 'create', 'change', 'remove'],
    "Could not find the table 'api.wallets' in the schema cache",
    'the table does not exist, in PostgREST 16',
  ),
  row(
    404,
    'PGRST202',
    ['call'],
    'get_cash_flow was called with unexpected arguments',
    'the function does not have these parameters',
  ),
  row(
    404,
    '42883',
    all,
    'operator does not exist: numeric ~~ unknown',
    'the column does not support the operator, an argument of the function is missing, or `Accept` requests a map',
  ),
  ofEdge(
    'PGRST125',
    all,
    'the edge refuses a path of no table and no function; PostgREST 12 without the edge returns `{}`',
  ),
  ofEdge('PGRST117', [], 'the path does not have this method; `Allow` has its methods'),
  row(
    405,
    'PGRST101',
    [],
    'Cannot use the PUT method on RPC',
    'the method of a function is POST, or GET if it only reads',
  ),
  row(
    405,
    'PGRST105',
    [],
    "Filters must include all and only primary key columns with 'eq' operators",
    'a PUT does not name the id of one row',
  ),
  row(
    405,
    '25006',
    [],
    'cannot execute DELETE in a read-only transaction',
    'a GET calls a function that writes',
  ),
  row(
    404,
    'PT404',
    ['call'],
    'category not found',
    'the row does not exist or is not visible to you',
  ),
  row(
    406,
    'PGRST116',
    all,
    'JSON object requested, multiple (or no) rows returned',
    'the request is for one object, but no rows or several match',
  ),
  row(
    406,
    'PGRST106',
    all,
    'The schema must be one of the following: api',
    '`Accept-Profile` or `Content-Profile` names another schema',
  ),
  row(
    406,
    'PGRST107',
    all,
    'None of these media types are available: image/png',
    '`Accept` requests a type that is not available, in PostgREST 16',
  ),
  row(
    409,
    '23505',
    ['create', 'change', 'call'],
    'duplicate key value violates unique constraint "transactions_pkey"',
    'the row already exists',
  ),
  row(
    409,
    '23503',
    ['create', 'change', 'call'],
    'insert or update on table "transactions" violates foreign key constraint "transactions_category_id_fkey"',
    'the referenced row does not exist in this context; `hint` names the reference',
    'category_id: Id of a category of the same context.',
  ),
  row(
    409,
    'PT409',
    writes,
    'another change to this data is still in progress',
    'a concurrent change of the same data takes too long, or the transaction is of a closed day; nothing was stored',
  ),
  row(
    413,
    'PT413',
    writes,
    'this request would change more than 50100 rows',
    'the request and its cascading changes exceed the limit of an undo; nothing was stored',
    'Nothing was saved. Split the request, for example by year of transaction_date.',
  ),
  row(
    413,
    'QUOTA_EXCEEDED',
    ['call'],
    'a file can have up to 10485760 bytes',
    'the file, or the files that an undo restores, exceed a limit of `begin_upload`; `details` has the bytes or files that are left',
    'Use a smaller file.',
  ),
  row(413, '54001', sends, 'stack depth limit exceeded', 'the JSON is nested too deep'),
  ofEdge('PAYLOAD_TOO_LARGE', sends, 'the edge refuses the body'),
  ofEdge('URI_TOO_LONG', all, 'the edge refuses the URL'),
  row(
    415,
    'PGRST107',
    all,
    'None of these media types are available: image/png',
    '`Accept` requests a type that is not available, in PostgREST 12',
  ),
  ofEdge(
    'UNSUPPORTED_MEDIA_TYPE',
    sends,
    'the edge refuses forms, encoded bodies and other charsets than UTF-8',
  ),
  row(
    416,
    'PGRST103',
    filtered,
    'Requested range not satisfiable',
    'a negative limit; with `count=exact`, an offset beyond the last row; the edge also refuses a limit or an offset that is no whole number',
  ),
  ofEdge('53400', all, 'too many requests of the same user wait, or this one has waited for 20 s'),
  row(
    500,
    '54001',
    sends,
    'stack depth limit exceeded',
    'the JSON is nested too deep, in PostgREST 16 without the edge',
  ),
  row(
    500,
    '57014',
    all,
    'canceling statement due to statement timeout',
    'the request took too long: request less data',
  ),
  ofEdge('INTERNAL_ERROR', all, 'the edge failed; PostgREST received nothing'),
  ofEdge('BAD_GATEWAY', all, 'PostgREST stopped responding'),
  ofEdge(
    'SERVICE_BUSY',
    all,
    'the edge processes other large bodies, PostgREST is starting, or the database is busy, unreachable or was interrupted; `message` says if a write may be stored',
  ),
  row(
    503,
    '53200',
    all,
    'out of memory',
    'the response, the body or a pattern needs more memory than one request can use: request less data; a retry does not help',
  ),
  row(
    503,
    'TENANT_MOVED',
    all,
    'this workspace is in another database',
    "an operator has moved the team's rows; nothing was stored",
    'Nothing was saved. Send the request to that database.',
  ),
  row(
    503,
    'PGRST001',
    all,
    'Database client error. Retrying the connection.',
    'the database is not reachable, without the edge',
  ),
  row(
    504,
    'PGRST003',
    all,
    'Timed out acquiring connection from connection pool.',
    'all connections are busy, without the edge',
  ),
]
