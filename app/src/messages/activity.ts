import { inLanguage } from '../locale/language.ts'

export const activity = inLanguage({
  en: {
    /** The rows of each table within a sentence: an unnamed one, a named one, several. */
    tables: {
      accounts: ['an account', 'the account', 'accounts'],
      attachments: ['a receipt', 'the receipt', 'receipts'],
      balances: ['a statement balance', 'the statement balance', 'statement balances'],
      budgets: ['a budget', 'the budget', 'budgets'],
      categories: ['a category', 'the category', 'categories'],
      closings: ['a closed period', 'the closed period', 'closed periods'],
      exchange_rates: ['an exchange rate', 'the exchange rate', 'exchange rates'],
      imports: ['an import', 'the import', 'imports'],
      past_budgets: ['a past budget', 'the past budget', 'past budgets'],
      line_items: ['a split', 'the split', 'splits'],
      rules: ['a rule', 'the rule', 'rules'],
      subscriptions: ['a recurring item', 'the recurring item', 'recurring items'],
      tags: ['a tag', 'the tag', 'tags'],
      transaction_tags: ['a tag on a transaction', 'the transaction tag', 'tags on transactions'],
      transactions: ['a transaction', 'the transaction', 'transactions'],
    },
    /**
     * The values of columns with a fixed set of them. The statuses are those of the list of
     * transactions.
     */
    values: {
      kind: { expense: 'expenses', income: 'income', transfer: 'transfer' },
      type: {
        checking: 'checking',
        savings: 'savings',
        credit_card: 'credit card',
        cash: 'cash',
        investment: 'investment',
        loan: 'loan',
        asset: 'asset',
      },
      period: {
        daily: 'every day',
        weekly: 'every week',
        monthly: 'every month',
        quarterly: 'every quarter',
        'semi-annually': 'every six months',
        yearly: 'every year',
      },
      source: {
        manual: 'entered manually',
        statement: 'statement',
        balance: 'statement balance',
        subscription: 'recurring item',
        import: 'import',
        example: 'sample data',
      },
    },
    otherTable: ['an item', 'the item', 'items'],
    actions: {
      create: (rows: string) => `created ${rows}`,
      update: (rows: string) => `changed ${rows}`,
      delete: (rows: string) => `deleted ${rows}`,
    },
    several: (count: number, isCut: boolean, rows: string) =>
      `${count}${isCut ? ' or more' : ''} ${rows}`,
    named: (row: string, name: string) => `${row} “${name}”`,
    rate: (base: string, quote: string) => `${base} to ${quote}`,
    nothing: 'nothing',
    yes: 'yes',
    no: 'no',
    deletedReference: 'deleted item',
    activity: 'Activity',
    ownOnlyHint: 'You only see your own changes. The team’s owner and admins see all changes.',
    viewerHint:
      'Viewers can’t see this team’s activity. Your own activity is in your personal workspace.',
    empty: 'No changes yet. Every change will appear here with its author and an undo button.',
    showOlder: 'Show older',
    undone: 'Change undone.',
    /** @param who null for the user */
    sentence: (who: string | null, what: string) => `${who ?? 'You'} ${what}`,
    formerMember: 'A former member',
    unknownMember: 'A member',
    undo: (sentence: string) => `Undo: ${sentence}`,
    cannotUndo:
      'This was changed again later or has already been undone. Undo the later changes above first.',
    details: (count: number, more: string) =>
      count === 1 ? 'Details' : `Details (${count}${more} items)`,
    orMore: ' or more',
    andMore: '…and more from the same change.',
    bulkCreated: 'Created along with many others.',
    noVisibleChange: 'No visible changes.',
  },
  de: {
    tables: {
      accounts: ['ein Konto', 'das Konto', 'Konten'],
      attachments: ['einen Beleg', 'den Beleg', 'Belege'],
      balances: ['einen Kontostand laut Bank', 'den Kontostand laut Bank', 'Kontostände laut Bank'],
      budgets: ['ein Budget', 'das Budget', 'Budgets'],
      categories: ['eine Kategorie', 'die Kategorie', 'Kategorien'],
      closings: ['einen Abschluss', 'den Abschluss', 'Abschlüsse'],
      exchange_rates: ['einen Wechselkurs', 'den Wechselkurs', 'Wechselkurse'],
      imports: ['einen Import', 'den Import', 'Importe'],
      past_budgets: ['ein früheres Budget', 'das frühere Budget', 'frühere Budgets'],
      line_items: ['einen Teil einer Buchung', 'den Teil', 'Teile einer Buchung'],
      rules: ['eine Regel', 'die Regel', 'Regeln'],
      subscriptions: [
        'eine wiederkehrende Zahlung',
        'die wiederkehrende Zahlung',
        'wiederkehrende Zahlungen',
      ],
      tags: ['ein Schlagwort', 'das Schlagwort', 'Schlagwörter'],
      transaction_tags: [
        'ein Schlagwort einer Buchung',
        'das Schlagwort',
        'Schlagwörter von Buchungen',
      ],
      transactions: ['eine Buchung', 'die Buchung', 'Buchungen'],
    },
    values: {
      kind: { expense: 'Ausgaben', income: 'Einnahmen', transfer: 'Umbuchung' },
      type: {
        checking: 'Girokonto',
        savings: 'Sparkonto',
        credit_card: 'Kreditkarte',
        cash: 'Bargeld',
        investment: 'Depot',
        loan: 'Kredit',
        asset: 'Besitz',
      },
      period: {
        daily: 'täglich',
        weekly: 'wöchentlich',
        monthly: 'monatlich',
        quarterly: 'vierteljährlich',
        'semi-annually': 'halbjährlich',
        yearly: 'jährlich',
      },
      source: {
        manual: 'eingegeben',
        statement: 'Kontoauszug',
        balance: 'Kontostand laut Bank',
        subscription: 'wiederkehrende Zahlung',
        import: 'Import',
        example: 'Beispieldaten',
      },
    },
    otherTable: ['einen Eintrag', 'den Eintrag', 'Einträge'],
    actions: {
      create: (rows: string) => `${rows} angelegt`,
      update: (rows: string) => `${rows} geändert`,
      delete: (rows: string) => `${rows} gelöscht`,
    },
    several: (count: number, isCut: boolean, rows: string) =>
      `${count}${isCut ? ' oder mehr' : ''} ${rows}`,
    named: (row: string, name: string) => `${row} „${name}“`,
    rate: (base: string, quote: string) => `${base} in ${quote}`,
    nothing: 'nichts',
    yes: 'ja',
    no: 'nein',
    deletedReference: 'etwas Gelöschtes',
    activity: 'Verlauf',
    ownOnlyHint: 'Das sind deine eigenen Änderungen. Eigentümer und Admins sehen alle.',
    viewerHint:
      'In diesem Team darfst du nur lesen und siehst den Verlauf nicht. Dein eigener steht in deinem privaten Bereich.',
    empty:
      'Noch keine Änderung. Hier steht später, wer was geändert hat, und du kannst es rückgängig machen.',
    showOlder: 'Ältere anzeigen',
    undone: 'Rückgängig gemacht.',
    sentence: (who: string | null, what: string) =>
      who === null ? `Du hast ${what}` : `${who} hat ${what}`,
    formerMember: 'Ein früheres Mitglied',
    unknownMember: 'Ein Mitglied',
    undo: (sentence: string) => `Rückgängig: ${sentence}`,
    cannotUndo:
      'Das wurde danach noch einmal geändert oder ist schon rückgängig gemacht. Spätere Änderungen stehen weiter oben; mach zuerst diese rückgängig.',
    details: (count: number, more: string) =>
      count === 1 ? 'Was genau' : `Was genau, in ${count}${more} Einträgen`,
    orMore: ' oder mehr',
    andMore: '… und noch mehr auf einmal.',
    bulkCreated: 'Einer von vielen, die zusammen angelegt wurden.',
    noVisibleChange: 'Nichts, was hier angezeigt wird.',
  },
})
