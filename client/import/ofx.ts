/** Reads OFX and QFX (https://financialdataexchange.org/ofx) of both kinds: SGML (1.x) and XML (2.x). */
import { clean, type Entry, type ParsedFile } from './entries.ts'
import { child, every, sgmlTree, textAt, type Tree, unescaped, xmlTree } from './tree.ts'
import { type Problem, StatementError } from './types.ts'

/** Elements with statements: of accounts, cards and investments. Only the cash transactions of investments become rows. */
const STATEMENTS = ['STMTRS', 'CCSTMTRS', 'INVSTMTRS']

/** Transaction types with a fixed direction. */
const OUT = ['DEBIT', 'CHECK', 'DIRECTDEBIT']
const IN = ['CREDIT', 'DEP', 'DIRECTDEP']

/** Investment transactions without a cash transaction, such as purchases and sales. */
const TRADE = /^(?:BUY|SELL|REINVEST|INCOME|INVEXPENSE|TRANSFER|SPLIT|RETOFCAP|JRNL|MARGININTEREST|CLOSUREOPT)/

/** Parses either kind. XML that is not well-formed is parsed as SGML, which does not require closing tags. */
function treeOf(text: string, problems: Problem[]): Tree {
  const start = text.search(/<OFX[\s>]/i)
  if (start === -1) throw new StatementError('This OFX file has no <OFX> element.')
  if (/^\s*<\?xml/.test(text)) {
    try {
      return xmlTree(text)
    } catch (error) {
      if (!(error instanceof StatementError)) throw error
    }
  }
  // replaces the header by blank lines, so that line numbers stay correct
  const { root, whole } = sgmlTree(text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start))
  if (!whole)
    problems.push({ line: text.trimEnd().split('\n').length, message: 'The file breaks off here: its last elements are never closed. The end may be missing.' })
  return root
}

function entryOf(transaction: Tree, account: string): Entry {
  const at = (path: string) => textAt(transaction, path)
  const pending = transaction.name === 'STMTTRNP'
  // some banks escape these texts twice
  const unescapedAt = (path: string) => unescaped(at(path))
  const type = at('TRNTYPE')
  const check = at('CHECKNUM')
  return {
    line: transaction.line,
    account,
    // the date as written, without its time zone: the bank prints the same date
    date: at(pending ? 'DTTRAN' : 'DTPOSTED'),
    amount: at('TRNAMT'),
    name: unescapedAt('PAYEE/NAME') || unescapedAt('NAME'),
    fallbackName: clean(`${type} ${check}`),
    description: unescapedAt('MEMO'),
    reference_no: check || at('REFNUM'),
    external_id: at('FITID'),
    // not ORIGCURRENCY, which is the currency before a conversion
    currency: at('CURRENCY/CURSYM'),
    status: pending ? 'pending' : 'paid',
    ...OUT.includes(type) ? { hint: true } : IN.includes(type) ? { hint: false } : {},
    metadata: { type, corrects: at('CORRECTFITID') },
  }
}

/** @throws StatementError if the file is no OFX, or has no statement */
export function readOfx(text: string): ParsedFile {
  const problems: Problem[] = []
  const statements = every(treeOf(text, problems), STATEMENTS)
  if (statements.length === 0) throw new StatementError('This OFX file has no statement of an account.')
  const entries: Entry[] = []
  const accounts = new Map<string, ParsedFile['accounts'][number]>()
  for (const statement of statements) {
    const from = ['BANKACCTFROM', 'CCACCTFROM', 'INVACCTFROM'].map((name) => child(statement, name)).find((found) => found !== undefined)
    const id = textAt(from, 'ACCTID')
    const currency = /^[A-Za-z]{3}$/.exec(textAt(statement, 'CURDEF'))?.[0].toLowerCase()
    const balance = textAt(statement, 'LEDGERBAL/BALAMT')
    if (!accounts.has(id)) {
      accounts.set(id, {
        id,
        ...currency === undefined ? {} : { currency },
        ...balance === '' ? {} : { balance: { amount: balance, on: textAt(statement, 'LEDGERBAL/DTASOF') } },
      })
    }
    for (const transaction of every(statement, ['STMTTRN', 'STMTTRNP'])) {
      entries.push(entryOf(transaction, id))
      const action = textAt(transaction, 'CORRECTACTION')
      if (action !== '') {
        const what = action === 'DELETE' ? 'takes back' : 'replaces'
        problems.push({
          line: transaction.line,
          message: `The bank ${what} the transaction "${textAt(transaction, 'CORRECTFITID')}" with this one. Look whether it was imported earlier.`,
        })
      }
    }
    const list = child(statement, 'INVTRANLIST')
    const trades = list?.children.filter(({ name }) => TRADE.test(name)) ?? []
    if (trades[0] !== undefined)
      problems.push({ line: trades[0].line, message: `${trades.length} trades of investments were left out; only what moved cash is read.` })
  }
  return { signs: 'defined', entries, problems, accounts: [...accounts.values()] }
}
