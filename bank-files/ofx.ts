/**
 * Reads OFX and QFX (https://financialdataexchange.org/ofx) of both kinds: SGML (1.x) and XML
 * (2.x).
 */
import { hasNoDecimals } from './amounts.ts'
import {
  clean,
  currencyIn,
  type Entry,
  type FileAccount,
  type FileStatement,
  type ParsedFile,
} from './entries.ts'
import { withDirections } from './ofx-signs.ts'
import { child, every, sgmlTree, textAt, type Tree, unescaped, xmlTree } from './tree.ts'
import { type Problem, type ReadOptions, StatementError } from './types.ts'

/**
 * Elements with statements: of accounts, cards and investments. Only the cash transactions of
 * investments become rows.
 */
const STATEMENTS = ['STMTRS', 'CCSTMTRS', 'INVSTMTRS']

/** Investment transactions without a cash transaction, such as purchases and sales. */
const TRADE =
  /^(?:BUY|SELL|REINVEST|INCOME|INVEXPENSE|TRANSFER|SPLIT|RETOFCAP|JRNL|MARGININTEREST|CLOSUREOPT)/

/**
 * Parses either kind. XML that is not well-formed is parsed as SGML, which does not require closing
 * tags.
 */
function treeOf(text: string, problems: Problem[]): Tree {
  // some programs write no <OFX> element around the transactions
  const start = text.search(/<[A-Z]/i)
  if (start === -1) throw new StatementError('This OFX file has no account statement.')
  if (/^\s*<\?xml/.test(text)) {
    try {
      return { name: '', line: 1, text: '', attributes: {}, children: [xmlTree(text)] }
    } catch (error) {
      if (!(error instanceof StatementError)) throw error
    }
  }
  // replaces the header by blank lines, so that line numbers stay correct
  const { root, whole } = sgmlTree(text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start))
  if (!whole)
    problems.push({
      line: text.trimEnd().split('\n').length,
      message: 'The file ends too early: its last elements are never closed.',
    })
  return root
}

/**
 * Returns an amount with a decimal point. The format has no groups, so the last mark is the decimal
 * sign, unless the same mark occurs before it.
 */
function decimalOf(text: string): string {
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  if (last === -1) return text
  const isGroup = text.indexOf(text[last]!) !== last
  const plain = (part: string) => part.replace(/[.,]/g, '')
  return isGroup ? plain(text) : `${plain(text.slice(0, last))}.${text.slice(last + 1)}`
}

/**
 * Converts the amount of a transaction in another currency to the account's, as the file's rate
 * says, half away from zero.
 */
function converted(
  amount: string,
  { account }: FileStatement,
  currency: Tree | undefined,
): Pick<Entry, 'amount' | 'currency' | 'notes'> & { original?: string } {
  const symbol = currencyIn(textAt(currency, 'CURSYM'))
  if (symbol === undefined || symbol === account.currency) return { amount }
  const rate = decimalOf(textAt(currency, 'CURRATE'))
  const [digits, factor] = [amount, rate].map((text) => /^([-+]?)(\d*)\.?(\d*)$/.exec(text.trim()))
  if (
    digits == null || factor == null || factor[1] !== '' || !(Number(rate) > 0) ||
    account.currency === undefined
  ) {
    return {
      amount,
      currency: symbol,
      notes: [{
        field: 'currency',
        message:
          `The file has no rate for ${symbol.toUpperCase()}, so this amount was not converted.`,
      }],
    }
  }
  const product = BigInt(`${digits[2]}${digits[3]}`) * BigInt(`${factor[2]}${factor[3]}`)
  const unit = 10n ** BigInt(digits[3]!.length + factor[3]!.length)
  // the smallest amount of the account's currency that can be stored is a cent, or a yen
  const parts = hasNoDecimals(account.currency) ? 1n : 100n
  const rounded = (product * parts * 2n + unit) / (2n * unit)
  const exact = `${digits[1]}${
    parts === 1n ? rounded : `${rounded / 100n}.${String(rounded % 100n).padStart(2, '0')}`
  }`
  const original = `${amount.trim()} ${symbol.toUpperCase()}`
  const isRounded = product * parts % unit !== 0n
  return {
    amount: exact,
    original: `${original} × ${rate}`,
    ...isRounded
      ? {
        notes: [{
          field: 'amount' as const,
          message: `"${original}" at the rate ${rate} was rounded to ${exact}.`,
        }],
      }
      : {},
  }
}

/** Returns the elements that hold transactions, for a file without an element of a statement. */
const holdersOf = (tree: Tree): Tree[] =>
  tree.children.some(({ name }) => name === 'BANKTRANLIST' || name === 'STMTTRN')
    ? [tree]
    : tree.children.flatMap(holdersOf)

function entryOf(transaction: Tree, statement: FileStatement): Entry {
  const at = (path: string) => textAt(transaction, path)
  const pending = transaction.name === 'STMTTRNP'
  // some banks escape these texts twice
  const unescapedAt = (path: string) => unescaped(at(path))
  const type = at('TRNTYPE')
  const check = at('CHECKNUM')
  const correctedId = at('CORRECTFITID')
  // ORIGCURRENCY needs no conversion: its amount is in the account's currency
  const { original, ...money } = converted(
    decimalOf(at('TRNAMT')),
    statement,
    child(transaction, 'CURRENCY'),
  )
  return {
    line: transaction.line,
    ...statement.account.id === '' ? {} : { account: statement.account },
    statement,
    // the date as written, without its time zone: the bank prints the same date
    date: at(pending ? 'DTTRAN' : 'DTPOSTED'),
    ...money,
    name: unescapedAt('PAYEE/NAME') || unescapedAt('NAME'),
    fallbackName: clean(`${type} ${check}`),
    description: unescapedAt('MEMO'),
    reference_no: check || at('REFNUM'),
    external_id: at('FITID'),
    status: pending ? 'pending' : 'paid',
    ...correctedId === ''
      ? {}
      : {
        corrects: { id: correctedId, isDeleted: at('CORRECTACTION').toUpperCase() === 'DELETE' },
      },
    metadata: { type, original_amount: original },
  }
}

/** The elements that name the account, with the type of those that name none. */
const ACCOUNTS = { BANKACCTFROM: '', CCACCTFROM: 'CREDITCARD', INVACCTFROM: 'INVESTMENT' }

function accountOf(statement: Tree): FileAccount {
  const [element, kind] =
    Object.entries(ACCOUNTS).find(([name]) => child(statement, name) !== undefined) ?? []
  const at = (path: string) => element === undefined ? '' : textAt(statement, `${element}/${path}`)
  const bank = at('BANKID') || at('BROKERID')
  const type = at('ACCTTYPE') || kind
  const currency = currencyIn(textAt(statement, 'CURDEF'))
  return {
    id: at('ACCTID'),
    ...bank === '' ? {} : { bank },
    ...type === undefined || type === '' ? {} : { type },
    ...currency === undefined ? {} : { currency },
  }
}

/** @throws StatementError if the file is no OFX, or has no statement */
export function readOfx(text: string, options: ReadOptions): ParsedFile {
  const problems: Problem[] = []
  const tree = treeOf(text, problems)
  const named = every(tree, STATEMENTS)
  const elements = named.length > 0 ? named : holdersOf(tree)
  if (elements.length === 0)
    throw new StatementError('This OFX file has no account statement.')
  const entries: Entry[] = []
  const statements: FileStatement[] = []
  for (const element of elements) {
    const balance = child(element, 'LEDGERBAL')
    const amount = decimalOf(textAt(balance, 'BALAMT'))
    const end = textAt(element.children.find(({ name }) => name.endsWith('TRANLIST')), 'DTEND')
    const statement: FileStatement = {
      line: element.line,
      account: accountOf(element),
      ...end === '' ? {} : { sequence: end },
      ...balance === undefined || amount === ''
        ? {}
        : { closing: { line: balance.line, amount, on: textAt(balance, 'DTASOF') } },
    }
    statements.push(statement)
    entries.push(
      ...every(element, ['STMTTRN', 'STMTTRNP']).map((transaction) =>
        entryOf(transaction, statement)
      ),
    )
    const list = child(element, 'INVTRANLIST')
    const trades = list?.children.filter(({ name }) => TRADE.test(name)) ?? []
    if (trades[0] !== undefined)
      problems.push({
        line: trades[0].line,
        message:
          `Investment trades were skipped: ${trades.length}. Only cash transactions are read.`,
      })
  }
  return {
    signs: 'defined',
    entries: withDirections(entries, options, problems),
    problems,
    statements,
  }
}
