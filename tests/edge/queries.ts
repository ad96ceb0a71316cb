/** Queries at the edge's limits: the largest accepted ones, and the smallest refused ones. */

const list = (count: number, item: (number: number) => string | number, separator = ',') =>
  Array.from({ length: count }, (_, number) => item(number)).join(separator)
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const embeddings = (count: number) =>
  `${list(count, () => 'categories(', '')}id${')'.repeat(count)}`
/** The and-groups are inside the or. */
const groups = (count: number) =>
  `or=(${list(count - 1, (number) => `and(amount.eq.${number},status.eq.paid)`)})`

/** Accepted queries, sent with a token: name and path below the prefix. */
export const acceptedQueries: [name: string, path: string, method?: string][] = [
  [
    'a text that looks like a number of PostgreSQL 16',
    '/transactions?name=eq.1_000&metadata->>a=eq.0x10&amount=eq(any).{1,-2.5e3}',
  ],
  ['100 parameters', `/transactions?${list(100, () => 'amount=gt.1', '&')}`],
  ['100 columns', `/transactions?select=${list(100, (number) => `a${number}:id`)}`],
  [
    '2 KiB of columns',
    `/transactions?select=${list(48, (number) => `${'a'.repeat(36)}${number + 10}:id`)}`,
  ],
  ['50 embeddings', `/transactions?select=${list(50, (number) => `a${number}:categories(id)`)}`],
  ['50 stars', `/transactions?select=${list(50, () => '*')}`],
  ['a list of 200 ids', `/transactions?id=in.(${list(200, uuid)})`],
  ['a regular expression', '/transactions?name=imatch.^(re)?nt.*[0-9]+$'],
  ['braces and the word match in a value', '/transactions?name=eq.{match}'],
  ['100 conditions', `/transactions?or=(${list(100, (number) => `amount.eq.${number}`)})`],
  ['50 groups of two conditions', `/transactions?${groups(51)}`],
  [
    'a list of 150 ids among the conditions',
    `/transactions?or=(id.in.(${list(150, uuid)}),category_id.is.null)`,
  ],
  [
    'encoded values of conditions',
    `/transactions?or=(name.in.(${list(150, (number) => `a%40b.c${number}`)}),name.is.null)`,
  ],
  [
    'a group in an embedded table, and its order',
    '/transactions?select=id,line_items(id)&line_items.or=(amount.eq.1,name.eq.a)&line_items.order=id',
  ],
  [
    'text that is UTF-8, encoded and not',
    '/transactions?name=eq.Caf%C3%A9%20%E2%82%AC%F0%9F%8D%9E%EF%BF%BD',
  ],
  ['percent signs that encode no byte', '/transactions?name=like.%zz%%25%&select=name'],
  [
    'casts to plain types',
    '/transactions?select=amount::text,day:transaction_date::date,metadata::jsonb,amount::double%20precision',
  ],
  [
    'aliases with any name',
    '/transactions?select=count:amount,xmin:name,"a, (b)":id,category:categories(json_agg:name),...categories(label:name)',
  ],
  [
    'paths into JSON',
    '/transactions?select=metadata->count->>xmin,metadata->0&metadata->>count=eq.a&order=metadata->count',
  ],
  ['computed fields', '/accounts?select=current_balance&current_balance=not.is.null'],
  [
    'values that look like conditions',
    '/transactions?name=in.(count.eq.1,xmin)&or=(name.eq.a.b.c,description.in.(amazon.de,"x.y, z"))',
  ],
  ['a column that only this function has', '/rpc/get_cash_flow?select=period,net&order=period'],
  [
    'parameters of a function',
    '/rpc/get_upcoming?start_date=2026-01-01&end_date=2026-02-01&select=title,due_on&order=due_on&title=neq.a',
  ],
  [
    'a text search with a configuration, and without',
    '/transactions?name=fts(english).rent&description=not.wfts.a&or=(name.plfts(simple).a,name.not.phfts( English+).b)'
      .replace(' ', '%20'),
  ],
  ['a value that looks like a text search', '/transactions?name=eq.a.fts(1).b'],
  [
    'conditions between quotes',
    '/transactions?or=(name.ilike."*Hotel (www.is.de)*",description.eq."foo,bar.in.town",name.eq."x, amazon.is.great")',
  ],
  [
    'quotes and backslashes between quotes',
    String.raw`/transactions?or=(name.eq."a\"),count.eq.1,(\\",name.eq."\\")`,
  ],
  [
    'conditions between quotes in a list, in groups, and of an embedded table',
    '/transactions?select=id,tags(id)&not.or=(name.in.("a,b.eq.c","d).is.(e"),and(name.not.eq."see (shop.eq.net)",amount.gt.0))&tags.or=(name.eq."a,b.cs.c")',
  ],
  [
    'operators with any, a text search and a pattern between quotes',
    '/transactions?or=(name.like(any).{a,b.eq.c},name.eq."a.fts(1).b",name.eq."a.match.{b}")&description=eq.a.match.{1}',
  ],
  [
    'conditions between quotes in a path into JSON',
    '/transactions?or=(metadata->>"a,count.eq.b".eq.1,metadata->"c)"->>d.is.null)',
  ],
  [
    'a path into JSON with names of other things between quotes',
    '/transactions?select=metadata->"a,count",metadata->>"a::regrole",b:metadata->"c(d)"&order=metadata->"e,xmin"',
  ],
  [
    'a filter by whether an embedded table has rows',
    '/transactions?select=name,cat:categories(name)&cat=is.null',
  ],
  [
    'its negation, by the name of the table',
    '/transactions?select=name,line_items(id)&line_items=not.is.null',
  ],
  [
    'the same in a group',
    '/transactions?select=name,line_items(id),tags()&or=(line_items.not.is.null,and(tags.is.null,name.neq.a))',
  ],
  [
    'the same in an embedded table',
    '/line_items?select=id,of:transactions!inner(name,categories())&of.categories=is.null&of.not.or=(categories.not.is.null,name.eq.a)',
  ],
  [
    'the same by a name in quotes with a dot or an arrow',
    '/transactions?select=name,"c.d":categories(name),"e->f":tags()&"c.d"=is.null&"e->f"=not.is.null',
  ],
  [
    'the same in the response to an insert',
    '/transactions?select=name,categories(name)&categories=is.null',
    'POST',
  ],
  [
    'the same of a table that is spread',
    '/transactions?select=name,...categories(label:name)&categories=is.null',
  ],
  [
    'the same of what a function answers',
    '/rpc/get_filtered_transactions?filters=[]&select=name,cat:categories(name)&cat=not.is.null',
  ],
  [
    'an order by a renamed column of an embedded table',
    '/transactions?select=name,c:categories(label:name,above:categories(id))&order=c(label).desc',
  ],
  [
    'an order by an embedded table, and in one',
    '/transactions?select=name,categories(name),line_items(id,c:categories(label:name))&order=categories(name)&line_items.order=c(label)',
  ],
  [
    'a change with an order of its column',
    '/transactions?id=eq.00000000-0000-4000-8000-000000000000&order=id',
    'DELETE',
  ],
]

/** Refused queries: the error code, the name of the excess, and the path. */
export const refusedQueries: [code: string, name: string, path: string, method?: string][] = [
  ['QUERY_TOO_COMPLEX', '101 parameters', `/transactions?${list(101, () => 'amount=gt.1', '&')}`],
  ['QUERY_TOO_COMPLEX', '101 empty parameters', `/transactions?${'&'.repeat(100)}`],
  [
    'QUERY_TOO_COMPLEX',
    '101 parameters that a semicolon separates, as PostgREST takes it',
    `/transactions?${';'.repeat(100)}`,
  ],
  ['QUERY_TOO_COMPLEX', 'a name of 257 bytes', `/transactions?${'a'.repeat(257)}=eq.1`],
  ['QUERY_TOO_COMPLEX', '102 columns', `/transactions?select=${list(102, () => 'id')}`],
  [
    'QUERY_TOO_COMPLEX',
    '102 columns by an encoded comma',
    `/transactions?select=${list(102, () => 'id', '%2c')}`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '102 columns in a name that hides its letters',
    `/transactions?%73elec%74=${list(102, () => 'id')}`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '102 columns behind a semicolon',
    `/transactions?limit=1;select=${list(102, () => 'id')}`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '102 columns in two parameters and an order',
    `/transactions?select=${list(51, () => 'id')}&select=${list(26, () => 'id')}&order=${
      list(28, () => 'id')
    }`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '102 columns of an embedded order',
    `/transactions?select=id,line_items(id)&line_items.order=${list(102, () => 'id')}`,
  ],
  ['QUERY_TOO_COMPLEX', '102 columns to insert', `/transactions?columns=${list(102, () => 'id')}`],
  [
    'QUERY_TOO_COMPLEX',
    '102 columns of a conflict',
    `/transactions?on_conflict=${list(102, () => 'id')}`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    'more than 2 KiB of columns',
    `/transactions?select=${list(50, (number) => `${'a'.repeat(36)}${number + 10}:id`)}`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '101 steps into JSON',
    `/transactions?select=metadata${'->a'.repeat(50)}${'-%3Ea'.repeat(51)}`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '51 embeddings side by side',
    `/transactions?select=${list(51, (number) => `a${number}:categories(id)`)}`,
  ],
  ['QUERY_TOO_COMPLEX', '51 embeddings in each other', `/transactions?select=${embeddings(51)}`],
  [
    'QUERY_TOO_COMPLEX',
    '51 embeddings by encoded parentheses',
    `/transactions?select=${embeddings(51).replaceAll('(', '%28')}`,
  ],
  ['QUERY_TOO_COMPLEX', '51 stars', `/transactions?select=${list(51, () => '*')}`],
  [
    'QUERY_TOO_COMPLEX',
    '201 groups of conditions',
    `/transactions?or=${'(and'.repeat(200)}(id.eq.1`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '201 groups of conditions on an embedded table',
    `/transactions?categories.not.and=${'(or'.repeat(200)}(id.eq.1`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    'a regular expression that repeats by number',
    '/transactions?name=match.((a{1,99}){1,99}){1,99}',
  ],
  [
    'QUERY_TOO_COMPLEX',
    'one that minds no case, among others',
    '/transactions?limit=1&or=(name.eq.a,name.not.imatch.%28a%7b1,99%7d%29)',
  ],
  ['QUERY_TOO_COMPLEX', 'one that hides its letters', '/transactions?name=%6dat%63h%2ea%7B9%7D'],
  ['QUERY_TOO_COMPLEX', 'one of several', '/transactions?name=match(any).{a,b}'],
  ['QUERY_TOO_COMPLEX', '101 conditions', `/transactions?or=(${list(101, () => 'id.is.null')})`],
  [
    'QUERY_TOO_COMPLEX',
    '101 conditions in two parameters',
    `/transactions?or=(${list(51, () => 'id.is.null')})&not.and=(${list(50, () => 'id.is.null')})`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '101 conditions with other operators',
    `/transactions?or=(${list(101, () => 'id.not.eq(any).{}')})`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '101 conditions that hide their commas and dots',
    `/transactions?or=(${list(101, () => 'id%2eis%2Enull', '%2C')})`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '101 conditions that hide their letters',
    `/transactions?or=(${list(101, () => 'id.%69s.null')})`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '101 conditions that hide their parentheses',
    `/transactions?or=(${list(101, () => 'id.eq%28any%29.%7B%7D')})`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '101 steps into JSON in conditions',
    `/transactions?or=(metadata${'->a'.repeat(50)}.is.null,metadata${'-%3ea'.repeat(51)}.is.null)`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    '1,025 bytes of names of parameters to a function',
    `/rpc/get_cash_flow?${list(5, (number) => `${'a'.repeat(204)}${number}=1`, '&')}`,
  ],
  [
    'QUERY_TOO_COMPLEX',
    'an embedded table with a name of 129 bytes',
    `/transactions?select=id,${'a'.repeat(129)}(id)`,
  ],
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
  [
    'PGRST100',
    'a cast of an aliased column among others',
    '/transactions?select=id,x:name::text,y:name::_regrole',
  ],
  ['PGRST100', 'a cast in an embedded table', '/transactions?select=id,categories(name::aclitem)'],
  ['PGRST100', 'a cast of a value in JSON', '/transactions?select=metadata->>a::oid'],
  ['PGRST100', 'a cast of an aggregate', '/transactions?select=amount.sum()::xml'],
  ['PGRST100', 'a cast in a second select', '/transactions?select=id&select=name::regproc'],
  ['PGRST100', 'a cast of what a change answers', '/tags?id=eq.1&select=name::regtype', 'PATCH'],
  ['42703', 'a system column', '/tags?select=xmin'],
  ['42703', 'a function in place of a column', '/tags?select=id,pg_typeof'],
  ['42703', 'an aliased function', '/tags?select=count:json_agg'],
  ['42703', 'a quoted function', '/tags?select="row_to_json"'],
  ['42703', 'a quoted function behind a quoted alias', '/tags?select="a,b(c):d":"json_agg"'],
  ['42703', 'a function with spaces around it', '/tags?select=id,%20json_agg+'],
  ['42703', 'a function that is cast', '/tags?select=json_agg::text'],
  [
    '42703',
    'a function in an embedded table',
    '/transactions?select=id,e:categories!inner(id,to_jsonb)',
  ],
  [
    '42703',
    'a function in a table that is spread',
    '/transactions?select=id,...categories(json_agg)',
  ],
  [
    '42703',
    'a function behind a quote that does not close',
    '/transactions?select=metadata->"a,json_agg,id->b',
  ],
  ['42703', 'an order by a function', '/tags?order=id,ctid.desc'],
  [
    '42703',
    'an order by a function of a related table',
    '/transactions?order=categories(xmin).desc.nullslast',
  ],
  [
    '42703',
    'an order in an embedded table',
    '/transactions?select=id,line_items(id)&line_items.order=cmax',
  ],
  ['42703', 'a filter of a system column', '/tags?xmin=eq.1'],
  [
    '42703',
    'a filter of a function in an embedded table',
    '/transactions?select=id,categories()&categories.pg_typeof=not.is.null',
  ],
  ['42703', 'a filter that hides its letters', '/tags?%78min=not%2Ein.(1)'],
  ['42703', 'a condition', '/tags?or=(id.is.null,and(xmin.eq.1,id.is.null))'],
  [
    '42703',
    'a condition behind quotes in a list',
    '/tags?and=(name.in.(a"),count.eq.1,name.in.(b"))',
  ],
  ['42703', 'a column that only another function has', '/rpc/get_upcoming?select=net'],
  ['42703', 'a column that there is not', '/transactions?select=nothing'],
  ['PGRST123', 'a count of related rows', '/transactions?select=name,line_items(count)'],
  [
    'PGRST123',
    'a renamed count in an embedded table',
    '/transactions?select=name,categories(budgets(total:count))',
  ],
  [
    'PGRST123',
    'a count of related rows as an aggregate',
    '/transactions?select=name,line_items(count())',
  ],
  ['PGRST123', 'a count of all rows', '/tags?select=%63ount'],
  ['PGRST123', 'a quoted count that is cast', '/tags?select="count"::text'],
  ['42703', 'a condition after an array', '/tags?or=(name.eq.{a"},count.eq.1,name.eq."b")'],
  [
    '42703',
    'a condition after a value that ends with a quote',
    '/tags?or=(name.eq."a"b,count.eq.1,name.eq."c")',
  ],
  [
    '42703',
    'a condition after an operator between quotes',
    '/transactions?or=(metadata->"a.eq.".eq.1,count.eq.2,name.eq."b")',
  ],
  [
    '42703',
    'a condition after an escaped quote',
    String.raw`/tags?or=(name.eq."a\\",count.eq.1,name.eq."b")`,
  ],
  [
    '42703',
    'a condition after a list that does not close',
    '/tags?or=(name.in.("a,b",and(count.eq.1',
  ],
  [
    '42703',
    'a null filter of a table that is embedded elsewhere',
    '/transactions?select=id,line_items(id),xmin:categories(id)&line_items.xmin=is.null',
  ],
  [
    '42703',
    'a null filter in one of two tables with this name',
    '/transactions?select=id,line_items(xmin:categories(id)),a:line_items(id)&line_items.xmin=is.null',
  ],
  [
    '42703',
    'another filter of an embedded table',
    '/transactions?select=id,xmin:categories(id)&xmin=not.is.true',
  ],
  [
    '42703',
    'a null filter with a path into JSON',
    '/transactions?select=id,xmin:categories(id)&xmin->a=is.null',
  ],
  [
    '42703',
    'a null filter of a table in a second select',
    '/transactions?select=id&select=xmin:categories(id)&xmin=is.null',
  ],
  [
    '42703',
    'a null filter of a table in a part that PostgREST ignores after a parenthesis',
    '/transactions?select=categories(id)name,xmin:categories(id)&xmin=is.null',
  ],
  [
    '42703',
    'the same after a line break',
    '/transactions?select=categories(id)%0a,xmin:categories(id)&xmin=is.null',
  ],
  [
    '42703',
    'the same after one parenthesis too many',
    '/transactions?select=id),xmin:categories(id)&xmin=is.null',
  ],
  [
    '42703',
    'the same after a star',
    '/transactions?select=*.name,xmin:categories(id)&xmin=is.null',
  ],
  [
    '42703',
    'the same after an empty item',
    '/transactions?select=,xmin:categories(id)&xmin=is.null',
  ],
  [
    '42703',
    'the same after dots without a table',
    '/transactions?select=...name,xmin:categories(id)&xmin=is.null',
  ],
  [
    '42703',
    'the same after a table with a wrong join',
    '/transactions?select=...categories!innermost(id),xmin:categories(id)&xmin=is.null',
  ],
  [
    '42703',
    'a change by a null filter of an embedded table',
    '/transactions?select=id,xmin:categories(id)&xmin=is.null',
    'PATCH',
  ],
  [
    '42703',
    'a deletion by the same in a group',
    '/transactions?select=id,xmin:categories(id)&or=(xmin.is.null,xmin.not.is.null)',
    'DELETE',
  ],
  [
    '42703',
    'an order by a name that an embedded table has not',
    '/transactions?select=id,c:categories(label:name)&order=c(json_agg)',
  ],
  [
    '42703',
    'an order by a name that another table has',
    '/transactions?select=id,c:categories(label:name),accounts(xmax:id)&order=c(xmax)',
  ],
  ['42704', 'a text search by the number of a configuration', '/transactions?name=fts(1).rent'],
  [
    '42704',
    'its negation in a name that hides its letters',
    '/transactions?name=not.plft%73%281%29.rent',
  ],
  [
    '42704',
    'a text search of an embedded table by a number',
    '/transactions?select=id,categories(id)&categories.name=wfts(0).rent',
  ],
  [
    '42704',
    'a text search by a number among conditions',
    '/transactions?or=(amount.eq.1,and(name.phfts(1).rent,id.is.null))',
  ],
  [
    '42704',
    'its negation, behind another configuration',
    '/transactions?not.and=(name.fts(english).a,name.not.fts(%31).rent)',
  ],
  ['42704', 'a configuration of other characters', '/transactions?name=fts(1a$).rent'],
  [
    'LIMIT_NOT_SUPPORTED',
    'a deletion with a limit',
    '/transactions?status=eq.pending&order=id&limit=1',
    'DELETE',
  ],
  [
    'LIMIT_NOT_SUPPORTED',
    'a change with an offset in a name that hides its letters',
    '/transactions?%6fffset=1',
    'PATCH',
  ],
  [
    'LIMIT_NOT_SUPPORTED',
    'a call of a function without rows, which PostgreSQL would not run',
    '/rpc/create_transfer?limit=00',
    'POST',
  ],
  [
    '22P02',
    'a hexadecimal number, which PostgreSQL 15 does not read',
    '/transactions?amount=eq.0x10',
  ],
  ['22P02', 'an octal number in a list', '/transactions?amount=not.in.(1,0O17)'],
  ['22P02', 'a binary number in an array', '/subscriptions?interval_in_days=eq(any).{1,0b11}'],
  [
    '22P02',
    'a number with underscores among conditions',
    '/transactions?or=(name.eq.a,and(amount.gte.1_000,id.is.null))',
  ],
  ['22P02', 'the same in quotes', '/transactions?or=(amount.in.("1","1_000"),name.eq.a)'],
  [
    '22P02',
    'the same of an embedded table',
    '/transactions?select=id,line_items(id)&line_items.quantity=gt.1_0',
  ],
  ['22P02', 'the same in the filter of a change', '/transactions?amount=eq.-0x1', 'PATCH'],
  ['22P02', 'a hexadecimal number of a computed field', '/accounts?current_balance=lt.0x10'],
  ['22P02', 'a hexadecimal argument', '/rpc/get_net_worth?periods=0x3'],
  ['22P02', 'a hexadecimal number in the rows of a function', '/rpc/get_cash_flow?income=gt.0x3'],
  ['PGRST103', 'a limit that is no whole number', '/transactions?limit=1e2'],
  ['PGRST103', 'a limit that JavaScript has made', '/transactions?limit=undefined'],
  ['PGRST103', 'an offset in hexadecimal', '/transactions?offset=0x10'],
  [
    'PGRST103',
    'a negative limit of an embedded table',
    '/transactions?select=line_items(id)&line_items.limit=-1',
  ],
  ['PGRST103', 'a negative offset', '/transactions?offset=-1'],
  [
    'PGRST103',
    'a limit of an embedded table',
    '/transactions?select=line_items(id)&line_items.limit=1_0',
  ],
  ['INVALID_ENCODING', 'a path with a NUL', '/accounts%00x'],
  [
    'ORDER_NOT_SUPPORTED',
    'a change by the order of a related table',
    '/transactions?order=categories(id)',
    'PATCH',
  ],
  [
    'ORDER_NOT_SUPPORTED',
    'a deletion by the order of a related table',
    '/transactions?%6frder=categories%28id)',
    'DELETE',
  ],
]

export const hints: Record<string, string> = {
  PGRST100:
    'Cast to text, integer, numeric, date, timestamptz, boolean, json or another plain type.',
  PGRST103: 'limit and offset must be whole numbers, such as limit=50.',
  PGRST123:
    'Count rows with HEAD and Prefer: count=exact. To count the related rows of each row, embed their ids, such as line_items(id), and count the list.',
  '22P02': 'Use a decimal point and no thousands separator, such as 1234.50.',
  42703: "Use a column of the table or of the function's result.",
  42704: 'Use a configuration such as english, or omit it.',
}

/** Messages that contain the wrong name of the request. */
export const naming: Record<string, RegExp> = {
  '22P02': /^invalid input syntax for type numeric: "[\w+-]+"$/,
  42703: /^column .+ does not exist$/,
  42704: /^text search configuration ".+" does not exist$/,
}

export const messages: Record<string, string> = {
  PGRST100: 'a column cannot be cast to this type',
  PGRST103: 'Requested range not satisfiable',
  PGRST123: 'Use of aggregate functions is not allowed',
  URI_TOO_LONG: 'The URL is too long.',
  INVALID_ENCODING: 'The URL, a header field or a CSV body is not UTF-8.',
  LIMIT_NOT_SUPPORTED:
    'Changes and deletions do not support limit and offset, and function calls do not support limit=0. Select the rows with a filter, such as id=in.(…).',
  ORDER_NOT_SUPPORTED: 'Rows that are changed or deleted cannot be ordered by a related table.',
  QUERY_TOO_COMPLEX: 'The query has too many parameters, columns, embedded tables or conditions.',
}

/** Headers that PostgREST would read as text, for tests with an invalid byte. */
export const headerNames = [
  'Accept',
  'Accept-Profile',
  'Content-Profile',
  'Content-Type',
  'Cookie',
  'Origin',
  'Prefer',
  'Range',
  'User-Agent',
  'X-Anything',
]
