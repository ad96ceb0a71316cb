/**
 * What the data surface answers when it refuses, beyond what a schema can say: the description gives each operation its own,
 * and tests compare with docs/data.md, with the edge and with real answers. What differs between PostgREST 12, which `npm start`
 * runs, and 16, which containers run, has a row of each. Any other SQLSTATE has the same shape.
 */

import { refusals, type RefusalCode } from '../edge/refuse.ts'

/** GET and HEAD of a table, POST, PATCH, DELETE, and a function. */
export type Kind = 'read' | 'create' | 'change' | 'remove' | 'call'

export type DataError = { status: number, code: string, message: string, when: string, of: readonly Kind[], hint: string | null }

const all = ['read', 'create', 'change', 'remove', 'call'] as const
const filtered = ['read', 'change', 'remove', 'call'] as const
const writes = ['create', 'change', 'remove', 'call'] as const
const sends = ['create', 'change', 'call'] as const

const row = (status: number, code: string, of: readonly Kind[], message: string, when: string, hint: string | null = null): DataError => ({
  status,
  code,
  message,
  when,
  of,
  hint,
})

/** A refusal of the edge itself. */
const ofEdge = (code: RefusalCode, of: readonly Kind[], when: string): DataError => {
  const [status, message, hint]: readonly [number, string, string?] = refusals[code]
  return row(status, code, of, message, when, hint ?? null)
}

export const dataErrors: DataError[] = [
  row(400, '22P02', all, 'invalid input syntax for type uuid: "1"', 'a value is no uuid or number'),
  row(
    400,
    '22007',
    all,
    'invalid input syntax for type timestamp with time zone: ""',
    'a value is no date; of a body, `hint` says the form',
    'A day is YYYY-MM-DD, such as 2025-01-31; a moment is YYYY-MM-DDTHH:MM:SSZ, such as 2025-01-31T18:30:00Z.',
  ),
  row(
    400,
    '22008',
    all,
    'date/time field value out of range: "2025-02-30"',
    'there is no such day; of a body, `hint` says the form',
    'A day is YYYY-MM-DD, such as 2025-01-31.',
  ),
  row(400, '22P05', sends, 'unsupported Unicode escape sequence', 'a text has the character U+0000'),
  row(400, '22003', sends, 'numeric field overflow', 'a number is too large'),
  row(
    400,
    '23514',
    sends,
    'new row for relation "transactions" violates check constraint "transactions_status_known"',
    'a value is outside what its column allows; `message` names the rule, `hint` says what the column takes',
    'status: paid, pending or failed.',
  ),
  row(
    400,
    '23502',
    sends,
    'null value in column "name" of relation "transactions" violates not-null constraint',
    'a value is missing; `hint` says what the column takes',
    'name: Title, 1 to 255 characters.',
  ),
  row(
    400,
    '22023',
    all,
    "unknown p_aggregate_fn 'max'",
    'a function or a preference does not take this value; `hint` says what is allowed',
    'It is sum, avg or count.',
  ),
  row(400, '42703', all, 'column transactions.colour does not exist', 'there is no such column'),
  row(400, '42704', all, 'type "money" does not exist', 'there is no such type to cast to, or no such configuration of the text search'),
  row(400, '42846', all, 'cannot cast type numeric to uuid', 'a value of the column is none of the type that it is cast to'),
  row(400, '42804', filtered, 'argument of IS TRUE must be type boolean, not type numeric', '`is.true` is asked of what is neither true nor false'),
  row(400, '2201B', filtered, 'invalid regular expression: parentheses () not balanced', 'the pattern of `match` or `imatch` cannot be read'),
  row(400, '42601', filtered, 'syntax error in tsquery: "a b"', 'the text search of `fts` cannot be read; `plfts` takes any words'),
  row(
    400,
    'PGRST204',
    ['create', 'change'],
    "Could not find the 'colour' column of 'transactions' in the schema cache",
    'the body names a column that is not there',
  ),
  row(
    400,
    'PGRST200',
    all,
    "Could not find a relationship between 'transactions' and 'dashboards' in the schema cache",
    '`select` embeds what is not related',
  ),
  row(400, 'PGRST108', all, "'category' is not an embedded resource in this request", '`select` does not embed what is filtered, ordered or limited'),
  row(400, 'PGRST118', ['read', 'call'], "A related order on 'line_items' is not possible", 'each row has many of those that it is to be ordered by'),
  row(
    400,
    'PGRST119',
    all,
    "A spread operation on 'line_items' is not possible",
    'each row has many of those that are to be spread into it, in PostgREST 12; 16 makes lists of them',
  ),
  row(400, 'PGRST100', all, '"failed to parse filter (about.5)" (line 1, column 1)', 'the query cannot be read'),
  row(400, 'PGRST102', sends, 'All object keys must match', 'the body cannot be read, or its objects have different keys'),
  row(400, 'PGRST122', all, 'the preferences count=planned and count=estimated are not available', 'a preference is not available'),
  row(400, 'PGRST123', all, 'Use of aggregate functions is not allowed', '`select` adds up; the functions do'),
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
  row(400, '21000', ['create'], 'one request names a row twice', 'a merge has the same row twice'),
  ofEdge('QUERY_TOO_COMPLEX', all, 'the edge refuses the query'),
  ofEdge('INVALID_ENCODING', all, 'the edge refuses what is not UTF-8'),
  ofEdge('LIMIT_NOT_SUPPORTED', ['change', 'remove'], 'the edge refuses `limit` and `offset`'),
  ofEdge('ORDER_NOT_SUPPORTED', ['change', 'remove'], 'the edge refuses the order'),
  row(401, 'PGRST301', all, 'JWT expired', 'the token has expired or is invalid, or its session, membership or role has ended: fetch a new one'),
  row(401, 'PGRST303', all, 'JWT expired', 'the token has expired, at PostgREST 16 without the edge, which says `PGRST301`'),
  row(401, '42501', writes, 'permission denied for table transactions', 'there is no token'),
  row(403, '42501', writes, 'permission denied for table transactions', "the role may not do this, or the row or the owner in it is somebody else's"),
  row(404, '42P01', ['read', 'create', 'change', 'remove'], 'relation "api.wallets" does not exist', 'there is no such table, in PostgREST 12'),
  row(
    404,
    'PGRST205',
    ['read', 'create', 'change', 'remove'],
    "Could not find the table 'api.wallets' in the schema cache",
    'there is no such table, in PostgREST 16',
  ),
  row(404, 'PGRST202', ['call'], 'get_cash_flow is called with other arguments than it takes', 'the function has no such parameters'),
  row(
    404,
    '42883',
    all,
    'operator does not exist: numeric ~~ unknown',
    'the column has no such operator, the function lacks an argument, or `Accept` asks for a map',
  ),
  row(404, 'PT404', ['call'], 'category not found', 'you see no such row'),
  row(406, 'PGRST116', all, 'JSON object requested, multiple (or no) rows returned', 'one object was asked for, and there are none or many'),
  row(406, 'PGRST106', all, 'The schema must be one of the following: api', '`Accept-Profile` or `Content-Profile` names another schema'),
  row(406, 'PGRST107', all, 'None of these media types are available: image/png', '`Accept` asks for what is not there, in PostgREST 16'),
  row(409, '23505', ['create', 'change', 'call'], 'duplicate key value violates unique constraint "transactions_pkey"', 'there is such a row already'),
  row(
    409,
    '23503',
    ['create', 'change', 'call'],
    'insert or update on table "transactions" violates foreign key constraint "transactions_category_id_fkey"',
    'what is referred to does not exist in this context; `hint` says which is meant',
    'category_id: Id of a category of the same context.',
  ),
  row(409, 'PT409', writes, 'another change of the same data is still under way', 'another change of the same data takes too long; nothing was stored'),
  row(
    413,
    'PT413',
    writes,
    'this request would change more than 50100 rows',
    'the request, with all that goes along, is larger than an undo could take back; nothing was stored',
    'Nothing was stored. Send it in parts, such as one for each year of transaction_date.',
  ),
  row(413, '54001', sends, 'stack depth limit exceeded', 'JSON is nested far too deep'),
  ofEdge('PAYLOAD_TOO_LARGE', sends, 'the edge refuses the body'),
  ofEdge('URI_TOO_LONG', all, 'the edge refuses the URL'),
  row(415, 'PGRST107', all, 'None of these media types are available: image/png', '`Accept` asks for what is not there, in PostgREST 12'),
  ofEdge('UNSUPPORTED_MEDIA_TYPE', sends, 'the edge refuses forms and encoded bodies'),
  row(416, 'PGRST103', filtered, 'Requested range not satisfiable', 'a negative limit; with `count=exact`, an offset beyond the last row'),
  row(429, '53400', all, 'too many slow requests at once', 'earlier requests of the same person are still under way'),
  row(500, '54001', sends, 'stack depth limit exceeded', 'JSON is nested far too deep, at PostgREST 16 without the edge'),
  row(500, '57014', all, 'canceling statement due to statement timeout', 'the request took too long: ask for less'),
  ofEdge('INTERNAL_ERROR', all, 'the edge failed; PostgREST received nothing'),
  ofEdge('BAD_GATEWAY', all, 'PostgREST went away'),
  ofEdge('SERVICE_BUSY', all, 'the edge lets in other large bodies, or PostgREST starts'),
  row(
    503,
    '53200',
    all,
    'out of memory',
    'the answer, the body or a pattern takes more memory than one request may have: ask for less; trying again does not help',
  ),
  row(503, 'PGRST001', all, 'Database client error. Retrying the connection.', 'the database is not there'),
  row(504, 'PGRST003', all, 'Timed out acquiring connection from connection pool.', 'all connections are busy'),
]
