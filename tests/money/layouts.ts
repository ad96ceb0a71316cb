/**
 * Writes rows of a book as bank files of each layout. Uses nothing of the reader except the columns
 * of presets.
 */
import {
  type DateOrder,
  type Direction,
  type Preset,
  type PresetName,
  PRESETS,
  type ReadOptions,
  type StatementRow,
} from '../../bank-files/index.ts'

export type BookRow = {
  account: string
  day: string
  cents: number
  name: string
  pending: boolean
  id: string
}

/** A layout, with the `answers` that the owner of the book knows. */
export type Layout = {
  name: string
  currency: string
  /** True if one file has all accounts. */
  takesAll: boolean
  hasStatus: boolean
  answers: Required<Pick<ReadOptions, 'negate' | 'dateOrder' | 'decimal' | 'encoding'>> & {
    directions: Record<string, Direction>
    statuses: Record<string, StatementRow['status'] & string>
    account: string | false
    preset?: PresetName
  }
  write: (rows: BookRow[], accounts: string[]) => Uint8Array
}

export type Dialect = {
  delimiter: ',' | ';' | '\t' | '|'
  decimal: '.' | ','
  groups: boolean
  dates: 'iso' | 'dots' | 'dmy' | 'mdy'
  encoding: 'utf-8' | 'utf-16le' | 'windows-1250' | 'windows-1252'
  newline: '\n' | '\r\n'
  preamble: boolean
  isNewestFirst: boolean
}

/** Encodes a text with one or two bytes for each letter. */
function encoded(text: string, encoding: Dialect['encoding']): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text)
  if (encoding === 'utf-16le')
    return Uint8Array.from([
      0xff,
      0xfe,
      ...Array.from(text).flatMap((
        letter,
      ) => [letter.charCodeAt(0) & 0xff, letter.charCodeAt(0) >> 8]),
    ])
  const letters = new TextDecoder(encoding).decode(
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
  )
  return Uint8Array.from(text, (letter) => letters.indexOf(letter))
}

const magnitude = (cents: number, { decimal, groups }: Pick<Dialect, 'decimal' | 'groups'>) => {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  const whole = digits.slice(0, -2)
  return (groups ? whole.replace(/\B(?=(\d{3})+$)/g, decimal === '.' ? ',' : '.') : whole) +
    decimal + digits.slice(-2)
}
const signed = (cents: number, dialect: Pick<Dialect, 'decimal' | 'groups'>) =>
  `${cents < 0 ? '-' : ''}${magnitude(cents, dialect)}`

const dayIn = (day: string, dates: Dialect['dates']) => {
  const [y = '', m = '', d = ''] = day.split('-')
  return { iso: day, dots: `${d}.${m}.${y}`, dmy: `${d}/${m}/${y}`, mdy: `${m}/${d}/${y}` }[dates]
}

function tableOf(
  lines: string[][],
  { delimiter, newline, encoding }: Pick<Dialect, 'delimiter' | 'newline' | 'encoding'>,
): Uint8Array {
  const cell = (text: string) =>
    /["\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
  return encoded(lines.map((cells) => cells.map(cell).join(delimiter)).join(newline), encoding)
}

const inOrder = (rows: BookRow[], isNewestFirst: boolean) => {
  const sorted = rows.toSorted((one, other) =>
    one.day < other.day ? -1 : one.day > other.day ? 1 : 0
  )
  return isNewestFirst ? sorted.toReversed() : sorted
}

const plain = {
  negate: false,
  dateOrder: 'ymd',
  decimal: '.',
  encoding: 'utf-8',
  directions: {},
  statuses: {},
  account: false,
} as const satisfies Layout['answers']

export const signs = ['signed', 'spent', 'columns', 'direction'] as const
export type Sign = (typeof signs)[number]

/**
 * Pairs of words for outgoing and incoming. The reader knows the last pair only by the name of its
 * column.
 */
const ways = [['D', 'C'], ['Soll', 'Haben'], ['Af', 'Bij'], ['débito', 'crédito'], ['OUT', 'IN'], [
  'weg',
  'her',
]] as const

/** A CSV file without a preset. */
export function generic(
  sign: Sign,
  takesAll: boolean,
  hasStatus: boolean,
  way: number,
  dialect: Dialect,
): Layout {
  const [out, into] = ways[way % ways.length]!
  const amounts = {
    signed: ['Betrag'],
    spent: ['Betrag'],
    columns: ['Belastung', 'Gutschrift'],
    direction: ['Betrag', out === 'weg' ? 'D/C' : 'Umsatzart'],
  }[sign]
  const header = [
    'Buchungstag',
    'Empfänger',
    ...amounts,
    ...takesAll ? ['Kontoname'] : [],
    ...hasStatus ? ['Status'] : [],
  ]
  const cellsOf = ({ cents }: BookRow) =>
    ({
      signed: [signed(cents, dialect)],
      spent: [signed(-cents, dialect)],
      columns: cents < 0 ? [magnitude(cents, dialect), ''] : ['', magnitude(cents, dialect)],
      direction: [magnitude(cents, dialect), cents < 0 ? out : into],
    })[sign]
  return {
    name: `generic ${sign}`,
    currency: 'eur',
    takesAll,
    hasStatus,
    answers: {
      negate: sign === 'spent',
      dateOrder: dialect.dates === 'mdy' ? 'mdy' : 'dmy',
      decimal: dialect.decimal,
      encoding: dialect.encoding,
      directions: { [out]: 'out', [into]: 'in' },
      statuses: { Gemerkt: 'pending' },
      account: takesAll ? 'Kontoname' : false,
    },
    write: (rows) =>
      tableOf([
        ...dialect.preamble ? [['Kontoauszug', 'Nr. 7'], ['']] : [],
        header,
        ...inOrder(rows, dialect.isNewestFirst).map((row) => [
          dayIn(row.day, dialect.dates),
          row.name,
          ...cellsOf(row),
          ...takesAll ? [row.account] : [],
          ...hasStatus ? [row.pending ? 'Gemerkt' : 'Gebucht'] : [],
        ]),
      ], dialect),
  }
}

/** A CSV file in the layout of a preset, with its header and columns. */
export function ofPreset(preset: PresetName, dialect: Dialect): Layout {
  const { header, columns, ...says }: Preset = PRESETS[preset]
  const order: DateOrder = typeof says.dateOrder === 'string'
    ? says.dateOrder
    : (dialect.dates === 'mdy' ? 'mdy' : dialect.dates === 'iso' ? 'ymd' : 'dmy')
  const dates = { ymd: 'iso', dmy: 'dmy', mdy: 'mdy' }[order] as Dialect['dates']
  const dialectOfPreset: Dialect = {
    ...dialect,
    decimal: says.decimal ?? dialect.decimal,
    encoding: 'utf-8',
  }
  const first = (column: unknown) => [column].flat()[0] as string | number | undefined
  const names = header.length === 0
    ? []
    : [
      ...new Set([
        ...header,
        ...Object.values(columns).flatMap((column) =>
          typeof column === 'string'
            ? [column]
            : typeof first(column) === 'string'
            ? [first(column) as string]
            : []
        ),
        ...says.journal === undefined
          ? []
          : [says.journal.foreignAmount, says.journal.foreignCurrency],
      ]),
    ]
  const cellsOf = (row: BookRow): string[] => {
    const cells: string[] = Array.from({ length: names.length || 19 }, () => '')
    const put = (column: unknown, text: string) => {
      const at = first(column)
      if (at !== undefined) cells[typeof at === 'number' ? at : names.indexOf(at)] = text
    }
    const cents = says.negate === true ? -row.cents : row.cents
    put(columns.reference_no, `R${row.id}`)
    put(columns.name, row.name)
    put(columns.payer, row.name)
    put(columns.external_id, row.id)
    put(columns.currency, (says.currency ?? 'eur').toUpperCase())
    put(columns.account, row.account)
    put(columns.date, dayIn(row.day, dates))
    put(
      columns.amount,
      columns.direction === undefined
        ? signed(cents, dialectOfPreset)
        : magnitude(cents, dialectOfPreset),
    )
    put(
      columns.direction,
      preset === 'ing-nl' ? row.cents < 0 ? 'Af' : 'Bij' : row.cents < 0 ? 'debit' : 'credit',
    )
    if (row.cents < 0) put(columns.debit, magnitude(row.cents, dialectOfPreset))
    else put(
        columns.credit,
        says.magnitudes === true
          ? `-${magnitude(row.cents, dialectOfPreset)}`
          : magnitude(row.cents, dialectOfPreset),
      )
    put(columns.status, row.pending ? 'Pending' : 'Posted')
    if (says.journal !== undefined) {
      const { source, sourceType, destination, destinationType, own: [type = ''] } = says.journal
      const [from, fromType, to, toType] = row.cents < 0
        ? [row.account, type, row.name, 'Expense account']
        : [row.name, 'Revenue account', row.account, type]
      put(source, from)
      put(sourceType, fromType)
      put(destination, to)
      put(destinationType, toType)
    }
    return cells
  }
  return {
    name: preset,
    currency: says.currency ?? 'eur',
    takesAll: columns.account !== undefined || says.journal !== undefined,
    hasStatus: columns.status !== undefined,
    answers: {
      ...plain,
      dateOrder: order,
      decimal: dialectOfPreset.decimal,
      ...header.length === 0 ? { preset } : {},
    },
    write: (rows) =>
      tableOf([
        ...header.length === 0 ? [] : [names],
        ...inOrder(rows, dialect.isNewestFirst).map(cellsOf),
      ], dialectOfPreset),
  }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** OFX: SGML, which does not close values, or XML. */
export function ofx(isXml: boolean): Layout {
  const value = (name: string, text: string) =>
    `<${name}>${escaped(text)}${isXml ? `</${name}>` : ''}\n`
  const transaction = ({ day, cents, name, pending, id }: BookRow) => {
    const element = pending ? 'STMTTRNP' : 'STMTTRN'
    const amount = value('TRNAMT', signed(cents, { decimal: '.', groups: false }))
    return `<${element}>${value('TRNTYPE', cents < 0 ? 'DEBIT' : 'CREDIT')}${
      value(pending ? 'DTTRAN' : 'DTPOSTED', day.replaceAll('-', ''))
    }${amount}${value('FITID', id)}${value('NAME', name)}</${element}>\n`
  }
  const statement = (account: string, rows: BookRow[]) =>
    `<STMTTRNRS><STMTRS>${value('CURDEF', 'EUR')}<BANKACCTFROM>${
      value('ACCTID', account)
    }</BANKACCTFROM><BANKTRANLIST>${
      rows.map(transaction).join('')
    }</BANKTRANLIST></STMTRS></STMTTRNRS>\n`
  return {
    name: isXml ? 'OFX 2' : 'OFX 1',
    currency: 'eur',
    takesAll: true,
    hasStatus: true,
    answers: plain,
    write: (rows, accounts) => {
      const head = isXml
        ? '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="211"?>\n'
        : 'OFXHEADER:100\nDATA:OFXSGML\nENCODING:UTF-8\n\n'
      const statements = accounts.map((account) =>
        statement(account, rows.filter((row) => row.account === account))
      )
      return new TextEncoder().encode(
        `${head}<OFX><BANKMSGSRSV1>${statements.join('')}</BANKMSGSRSV1></OFX>`,
      )
    },
  }
}

/** QIF with a list for each account. */
export const qif = (isCard: boolean): Layout => ({
  name: 'QIF',
  currency: 'eur',
  takesAll: true,
  hasStatus: false,
  answers: { ...plain, dateOrder: 'mdy' },
  write: (rows, accounts) =>
    new TextEncoder().encode(
      accounts.map((account) => {
        const accountRows = rows.filter((row) => row.account === account)
        const records = accountRows.map(({ day, cents, name }) =>
          `D${dayIn(day, 'mdy')}\nT${signed(cents, { decimal: '.', groups: true })}\nP${name}\n^\n`
        )
        return `!Account\nN${account}\n^\n!Type:${isCard ? 'CCard' : 'Bank'}\n${records.join('')}`
      }).join(''),
    ),
})

export const camt: Layout = {
  name: 'CAMT.053',
  currency: 'eur',
  takesAll: true,
  hasStatus: true,
  answers: plain,
  write: (rows, accounts) => {
    const entry = ({ day, cents, name, pending, id }: BookRow) => {
      const role = cents < 0 ? 'Cdtr' : 'Dbtr'
      const way = cents < 0 ? 'DBIT' : 'CRDT'
      const parties = `<NtryDtls><TxDtls><RltdPties><${role}><Nm>${
        escaped(name)
      }</Nm></${role}></RltdPties></TxDtls></NtryDtls>`
      const amount = magnitude(cents, { decimal: '.', groups: false })
      return `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${way}</CdtDbtInd><Sts>${
        pending ? 'PDNG' : 'BOOK'
      }</Sts><BookgDt><Dt>${day}</Dt></BookgDt><AcctSvcrRef>X${id}</AcctSvcrRef>${parties}</Ntry>\n`
    }
    const statements = accounts.map((account) => {
      const accountRows = rows.filter((row) => row.account === account)
      return `<Stmt><Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>EUR</Ccy></Acct>${
        accountRows.map(entry).join('')
      }</Stmt>`
    })
    return new TextEncoder().encode(
      `<?xml version="1.0" encoding="UTF-8"?><Document><BkToCstmrStmt>${
        statements.join('')
      }</BkToCstmrStmt></Document>`,
    )
  },
}
