/** Queries at the edge's limits: the largest accepted ones, and the smallest refused ones. */

const list = (count: number, item: (number: number) => string | number, separator = ',') =>
  Array.from({ length: count }, (_, number) => item(number)).join(separator)
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const embeddings = (count: number) => `${list(count, () => 'categories(', '')}id${')'.repeat(count)}`
/** The and-groups are inside the or. */
const groups = (count: number) => `or=(${list(count - 1, (number) => `and(amount.eq.${number},status.eq.paid)`)})`

/** Accepted queries, sent with a token: name and path below the prefix. */
export const acceptedQueries: [name: string, path: string, method?: string][] = [
  ['100 parameters', `/transactions?${list(100, () => 'amount=gt.1', '&')}`],
  ['100 columns', `/transactions?select=${list(100, (number) => `a${number}:id`)}`],
  ['2 KiB of columns', `/transactions?select=${list(48, (number) => `${'a'.repeat(36)}${number + 10}:id`)}`],
  ['50 embeddings', `/transactions?select=${list(50, (number) => `a${number}:categories(id)`)}`],
  ['50 stars', `/transactions?select=${list(50, () => '*')}`],
  ['a list of 200 ids', `/transactions?id=in.(${list(200, uuid)})`],
  ['a regular expression', '/transactions?name=imatch.^(re)?nt.*[0-9]+$'],
  ['braces and the word match in a value', '/transactions?name=eq.{match}'],
  ['100 conditions', `/transactions?or=(${list(100, (number) => `amount.eq.${number}`)})`],
  ['50 groups of two conditions', `/transactions?${groups(51)}`],
  ['a list of 150 ids among the conditions', `/transactions?or=(id.in.(${list(150, uuid)}),category_id.is.null)`],
  ['encoded values of conditions', `/transactions?or=(name.in.(${list(150, (number) => `a%40b.c${number}`)}),name.is.null)`],
  ['a group in an embedded table, and its order', '/transactions?select=id,line_items(id)&line_items.or=(amount.eq.1,name.eq.a)&line_items.order=id'],
  ['text that is UTF-8, encoded and not', '/transactions?name=eq.Caf%C3%A9%20%E2%82%AC%F0%9F%8D%9E%EF%BF%BD'],
  ['percent signs that encode no byte', '/transactions?name=like.%zz%%25%&select=name'],
  ['casts to plain types', '/transactions?select=amount::text,day:transaction_date::date,metadata::jsonb,amount::double%20precision'],
  ['aliases with any name', '/transactions?select=count:amount,xmin:name,"a, (b)":id,category:categories(json_agg:name),...categories(label:name)'],
  ['paths into JSON', '/transactions?select=metadata->count->>xmin,metadata->0&metadata->>count=eq.a&order=metadata->count'],
  ['computed fields', '/accounts?select=current_balance&current_balance=not.is.null'],
  ['values that look like conditions', '/transactions?name=in.(count.eq.1,xmin)&or=(name.eq.a.b.c,description.in.(amazon.de,"x.y, z"))'],
  ['a column that only this function has', '/rpc/get_cash_flow?select=period,net&order=period'],
  ['parameters of a function', '/rpc/get_upcoming?start_date=2026-01-01&end_date=2026-02-01&select=title,due_on&order=due_on&title=neq.a'],
  [
    'a text search with a configuration, and without',
    '/transactions?name=fts(english).rent&description=not.wfts.a&or=(name.plfts(simple).a,name.not.phfts( English+).b)'.replace(' ', '%20'),
  ],
  ['a value that looks like a text search', '/transactions?name=eq.a.fts(1).b'],
  ['a change with an order of its column', '/transactions?id=eq.00000000-0000-4000-8000-000000000000&order=id', 'DELETE'],
]

/** Refused queries: the error code, the name of the excess, and the path. */
export const refusedQueries: [code: string, name: string, path: string, method?: string][] = [
  ['QUERY_TOO_COMPLEX', '101 parameters', `/transactions?${list(101, () => 'amount=gt.1', '&')}`],
  ['QUERY_TOO_COMPLEX', '101 empty parameters', `/transactions?${'&'.repeat(100)}`],
  ['QUERY_TOO_COMPLEX', '101 parameters that a semicolon separates, as PostgREST takes it', `/transactions?${';'.repeat(100)}`],
  ['QUERY_TOO_COMPLEX', 'a name of 257 bytes', `/transactions?${'a'.repeat(257)}=eq.1`],
  ['QUERY_TOO_COMPLEX', '102 columns', `/transactions?select=${list(102, () => 'id')}`],
  ['QUERY_TOO_COMPLEX', '102 columns by an encoded comma', `/transactions?select=${list(102, () => 'id', '%2c')}`],
  ['QUERY_TOO_COMPLEX', '102 columns in a name that hides its letters', `/transactions?%73elec%74=${list(102, () => 'id')}`],
  ['QUERY_TOO_COMPLEX', '102 columns behind a semicolon', `/transactions?limit=1;select=${list(102, () => 'id')}`],
  [
    'QUERY_TOO_COMPLEX',
    '102 columns in two parameters and an order',
    `/transactions?select=${list(51, () => 'id')}&select=${list(26, () => 'id')}&order=${list(28, () => 'id')}`,
  ],
  ['QUERY_TOO_COMPLEX', '102 columns of an embedded order', `/transactions?select=id,line_items(id)&line_items.order=${list(102, () => 'id')}`],
  ['QUERY_TOO_COMPLEX', '102 columns to insert', `/transactions?columns=${list(102, () => 'id')}`],
  ['QUERY_TOO_COMPLEX', '102 columns of a conflict', `/transactions?on_conflict=${list(102, () => 'id')}`],
  ['QUERY_TOO_COMPLEX', 'more than 2 KiB of columns', `/transactions?select=${list(50, (number) => `${'a'.repeat(36)}${number + 10}:id`)}`],
  ['QUERY_TOO_COMPLEX', '101 steps into JSON', `/transactions?select=metadata${'->a'.repeat(50)}${'-%3Ea'.repeat(51)}`],
  ['QUERY_TOO_COMPLEX', '51 embeddings side by side', `/transactions?select=${list(51, (number) => `a${number}:categories(id)`)}`],
  ['QUERY_TOO_COMPLEX', '51 embeddings in each other', `/transactions?select=${embeddings(51)}`],
  ['QUERY_TOO_COMPLEX', '51 embeddings by encoded parentheses', `/transactions?select=${embeddings(51).replaceAll('(', '%28')}`],
  ['QUERY_TOO_COMPLEX', '51 stars', `/transactions?select=${list(51, () => '*')}`],
  ['QUERY_TOO_COMPLEX', '201 groups of conditions', `/transactions?or=${'(and'.repeat(200)}(id.eq.1`],
  ['QUERY_TOO_COMPLEX', '201 groups of conditions on an embedded table', `/transactions?categories.not.and=${'(or'.repeat(200)}(id.eq.1`],
  ['QUERY_TOO_COMPLEX', 'a regular expression that repeats by number', '/transactions?name=match.((a{1,99}){1,99}){1,99}'],
  ['QUERY_TOO_COMPLEX', 'one that minds no case, among others', '/transactions?limit=1&or=(name.eq.a,name.not.imatch.%28a%7b1,99%7d%29)'],
  ['QUERY_TOO_COMPLEX', 'one that hides its letters', '/transactions?name=%6dat%63h%2ea%7B9%7D'],
  ['QUERY_TOO_COMPLEX', 'one of several', '/transactions?name=match(any).{a,b}'],
  ['QUERY_TOO_COMPLEX', '101 conditions', `/transactions?or=(${list(101, () => 'id.is.null')})`],
  ['QUERY_TOO_COMPLEX', '101 conditions in two parameters', `/transactions?or=(${list(51, () => 'id.is.null')})&not.and=(${list(50, () => 'id.is.null')})`],
  ['QUERY_TOO_COMPLEX', '101 conditions with other operators', `/transactions?or=(${list(101, () => 'id.not.eq(any).{}')})`],
  ['QUERY_TOO_COMPLEX', '101 conditions that hide their commas and dots', `/transactions?or=(${list(101, () => 'id%2eis%2Enull', '%2C')})`],
  ['QUERY_TOO_COMPLEX', '101 conditions that hide their letters', `/transactions?or=(${list(101, () => 'id.%69s.null')})`],
  ['QUERY_TOO_COMPLEX', '101 conditions that hide their parentheses', `/transactions?or=(${list(101, () => 'id.eq%28any%29.%7B%7D')})`],
  ['QUERY_TOO_COMPLEX', '101 steps into JSON in conditions', `/transactions?or=(metadata${'->a'.repeat(50)}.is.null,metadata${'-%3ea'.repeat(51)}.is.null)`],
  ['QUERY_TOO_COMPLEX', '1,025 bytes of names of parameters to a function', `/rpc/get_cash_flow?${list(5, (number) => `${'a'.repeat(204)}${number}=1`, '&')}`],
  ['QUERY_TOO_COMPLEX', 'an embedded table with a name of 129 bytes', `/transactions?select=id,${'a'.repeat(129)}(id)`],
  ['URI_TOO_LONG', 'a table with a long name', `/${'a'.repeat(128)}`],
  ['URI_TOO_LONG', 'a function with a long name', `/rpc/${'a'.repeat(128)}`, 'POST'],
  ['INVALID_ENCODING', 'a value that is not UTF-8', '/transactions?name=eq.%ff'],
  ['INVALID_ENCODING', 'half a character', '/transactions?name=eq.%C3'],
  ['INVALID_ENCODING', 'a character that is too long', '/transactions?name=eq.%C0%AF'],
  ['INVALID_ENCODING', 'half a surrogate pair', '/transactions?name=eq.%ED%A0%80'],
  ['INVALID_ENCODING', 'a character beyond Unicode', '/transactions?name=eq.%F4%90%80%80'],
  ['INVALID_ENCODING', 'a byte after signs that begin none', '/transactions?name=eq.%%f%fz%%ff'],
  ['INVALID_ENCODING', 'a name that is not UTF-8', '/transactions?%ff=eq.a'],
  ['INVALID_ENCODING', 'a path that is not UTF-8', '/tr%ffansactions'],
  ['PGRST100', 'a cast that looks up a role', '/tags?select=name::regrole'],
  ['PGRST100', 'a cast that hides its letters', '/tags?select=name%3A:%72egclass'],
  ['PGRST100', 'a cast of an aliased column among others', '/transactions?select=id,x:name::text,y:name::_regrole'],
  ['PGRST100', 'a cast in an embedded table', '/transactions?select=id,categories(name::aclitem)'],
  ['PGRST100', 'a cast of a value in JSON', '/transactions?select=metadata->>a::oid'],
  ['PGRST100', 'a cast of an aggregate', '/transactions?select=amount.sum()::xml'],
  ['PGRST100', 'a cast in a second select', '/transactions?select=id&select=name::regproc'],
  ['PGRST100', 'a cast of what a change answers', '/tags?id=eq.1&select=name::regtype', 'PATCH'],
  ['42703', 'a system column', '/tags?select=xmin'],
  ['42703', 'a function in place of a column', '/tags?select=id,pg_typeof'],
  ['42703', 'an aliased function', '/tags?select=count:json_agg'],
  ['42703', 'a quoted function', '/tags?select="row_to_json"'],
  ['42703', 'a quoted function behind a quoted alias', '/tags?select="a,b(c):d":"count"'],
  ['42703', 'a function with spaces around it', '/tags?select=id,%20count+'],
  ['42703', 'a function that is cast', '/tags?select=count::text'],
  ['42703', 'a function in an embedded table', '/transactions?select=id,e:categories!inner(id,to_jsonb)'],
  ['42703', 'a function in a table that is spread', '/transactions?select=id,...categories(count)'],
  ['42703', 'a function behind quotes in a JSON path', '/transactions?select=metadata->"a,count,id->b"'],
  ['42703', 'an order by a function', '/tags?order=id,ctid.desc'],
  ['42703', 'an order by a function of a related table', '/transactions?order=categories(xmin).desc.nullslast'],
  ['42703', 'an order in an embedded table', '/transactions?select=id,line_items(id)&line_items.order=cmax'],
  ['42703', 'a filter of a system column', '/tags?xmin=eq.1'],
  ['42703', 'a filter of a function in an embedded table', '/transactions?select=id,categories()&categories.pg_typeof=not.is.null'],
  ['42703', 'a filter that hides its letters', '/tags?%78min=not%2Ein.(1)'],
  ['42703', 'a condition', '/tags?or=(id.is.null,and(xmin.eq.1,id.is.null))'],
  ['42703', 'a condition behind quotes in a list', '/tags?and=(name.in.(a"),count.eq.1,name.in.(b"))'],
  ['42703', 'a column that only another function has', '/rpc/get_upcoming?select=count'],
  ['42703', 'a column that there is not', '/transactions?select=nothing'],
  ['42704', 'a text search by the number of a configuration', '/transactions?name=fts(1).rent'],
  ['42704', 'its negation in a name that hides its letters', '/transactions?name=not.plft%73%281%29.rent'],
  ['42704', 'a text search of an embedded table by a number', '/transactions?select=id,categories(id)&categories.name=wfts(0).rent'],
  ['42704', 'a text search by a number among conditions', '/transactions?or=(amount.eq.1,and(name.phfts(1).rent,id.is.null))'],
  ['42704', 'its negation, behind another configuration', '/transactions?not.and=(name.fts(english).a,name.not.fts(%31).rent)'],
  ['42704', 'a configuration of other characters', '/transactions?name=fts(1a$).rent'],
  ['LIMIT_NOT_SUPPORTED', 'a deletion with a limit', '/transactions?status=eq.pending&order=id&limit=1', 'DELETE'],
  ['LIMIT_NOT_SUPPORTED', 'a change with an offset in a name that hides its letters', '/transactions?%6fffset=1', 'PATCH'],
  ['LIMIT_NOT_SUPPORTED', 'a call of a function without rows, which PostgreSQL would not run', '/rpc/create_transfer?limit=00', 'POST'],
  ['INVALID_ENCODING', 'a path with a NUL', '/accounts%00x'],
  ['ORDER_NOT_SUPPORTED', 'a change by the order of a related table', '/transactions?order=categories(id)', 'PATCH'],
  ['ORDER_NOT_SUPPORTED', 'a deletion by the order of a related table', '/transactions?%6frder=categories%28id)', 'DELETE'],
]

export const hints: Record<string, string> = {
  PGRST100: 'Cast to text, integer, numeric, date, timestamptz, boolean, json or another plain type.',
  42703: 'Name a column of the table, or of what the function answers.',
  42704: 'Name a configuration such as english, or leave it out.',
}

/** Messages that contain the wrong name of the request. */
export const naming: Record<string, RegExp> = {
  42703: /^column .+ does not exist$/,
  42704: /^text search configuration ".+" does not exist$/,
}

export const messages: Record<string, string> = {
  PGRST100: 'a column cannot be cast to this type',
  URI_TOO_LONG: 'The URL is longer than this request may send.',
  INVALID_ENCODING: 'The URL or a header field is not UTF-8.',
  LIMIT_NOT_SUPPORTED:
    'A change or deletion takes no limit and no offset, and the call of a function no limit=0. Name the rows in the filter, such as id=in.(…).',
  ORDER_NOT_SUPPORTED: 'Rows that are changed or deleted cannot be ordered by a related table.',
  QUERY_TOO_COMPLEX: 'The query has more parameters, columns, embedded tables or conditions than a request may have.',
}

/** Headers that PostgREST would read as text, for tests with an invalid byte. */
export const headerNames = ['Accept', 'Accept-Profile', 'Content-Profile', 'Content-Type', 'Cookie', 'Origin', 'Prefer', 'Range', 'User-Agent', 'X-Anything']
