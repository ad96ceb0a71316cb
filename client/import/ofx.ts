/** OFX and QFX, of both kinds: SGML (1.x) and XML (2.x). https://financialdataexchange.org/ofx */
import { clean, type Entry, type Found } from './entries.ts'
import { child, every, sgmlTree, textAt, type Tree, unescaped, xmlTree } from './tree.ts'
import { type Problem, StatementError } from './types.ts'

/** Statements of accounts, of cards and of investments, whose cash is read alone. */
const STATEMENTS = ['STMTRS', 'CCSTMTRS', 'INVSTMTRS']

/** Kinds of transactions that go one way. */
const OUT = ['DEBIT', 'CHECK', 'DIRECTDEBIT']
const IN = ['CREDIT', 'DEP', 'DIRECTDEP']

/** Orders to buy, sell and the like, which move things that are no money of an account. */
const TRADE = /^(?:BUY|SELL|REINVEST|INCOME|INVEXPENSE|TRANSFER|SPLIT|RETOFCAP|JRNL|MARGININTEREST|CLOSUREOPT)/

/** The tree of either kind; what calls itself XML and is not well-formed is read as the older kind, which closes less. */
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
  // the lines before count too
  const { root, whole } = sgmlTree(text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start))
  if (!whole)
    problems.push({ line: text.trimEnd().split('\n').length, message: 'The file breaks off here: its last elements are never closed. The end may be missing.' })
  return root
}

function entryOf(transaction: Tree, account: string): Entry {
  const of = (path: string) => textAt(transaction, path)
  const pending = transaction.name === 'STMTTRNP'
  // some banks escape what is escaped already
  const words = (path: string) => unescaped(of(path))
  const type = of('TRNTYPE')
  const check = of('CHECKNUM')
  return {
    line: transaction.line,
    account,
    // the day as it stands there, without its zone: it is the day that the bank prints
    date: of(pending ? 'DTTRAN' : 'DTPOSTED'),
    amount: of('TRNAMT'),
    name: words('PAYEE/NAME') || words('NAME'),
    otherwise: clean(`${type} ${check}`),
    description: words('MEMO'),
    reference_no: check || of('REFNUM'),
    external_id: of('FITID'),
    // ORIGCURRENCY, in contrast, only tells what it once was
    currency: of('CURRENCY/CURSYM'),
    status: pending ? 'pending' : 'paid',
    ...OUT.includes(type) ? { hint: true } : IN.includes(type) ? { hint: false } : {},
    metadata: { type, corrects: of('CORRECTFITID') },
  }
}

/** @throws StatementError if it is no OFX, or an answer without a statement */
export function readOfx(text: string): Found {
  const problems: Problem[] = []
  const statements = every(treeOf(text, problems), STATEMENTS)
  if (statements.length === 0) throw new StatementError('This OFX file has no statement of an account.')
  const entries: Entry[] = []
  const accounts = new Map<string, Found['accounts'][number]>()
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
