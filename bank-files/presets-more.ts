/** Presets for further banks and apps, as one table: usual names of columns would lead to a question about these files. */
import type { Preset } from './layout.ts'

const german = { dateOrder: 'dmy', decimal: ',', currency: 'eur' } as const

/** Amounts with a decimal comma, and days. */
const comma = /^[+-]?[\d.]+,\d{1,2}$/
const dashed = /^\d\d-\d\d-\d{4}$/
const dotted = /^\d\d?\.\d\d?\.\d{4}$/
const iban = /^[A-Z]{2}\d\d[A-Z\d]{10,30}$/

export const MORE = {
  'deutsche-bank': {
    ...german,
    bank: 'Deutsche Bank and norisbank',
    header: ['Buchungstag', 'Wert', 'Umsatzart', 'Begünstigter / Auftraggeber', 'Verwendungszweck', 'Soll', 'Haben', 'Währung'],
    columns: { date: 'Buchungstag', name: 'Begünstigter / Auftraggeber', description: 'Verwendungszweck', debit: 'Soll', credit: 'Haben', currency: 'Währung' },
    magnitudes: true,
  },
  'dkb-2022': {
    ...german,
    bank: 'DKB, accounts before 2023',
    header: ['Buchungstag', 'Wertstellung', 'Buchungstext', 'Auftraggeber / Begünstigter', 'Verwendungszweck', 'Kontonummer', 'Betrag (EUR)'],
    columns: {
      date: 'Buchungstag',
      name: 'Auftraggeber / Begünstigter',
      description: 'Verwendungszweck',
      amount: 'Betrag (EUR)',
      reference_no: 'Kundenreferenz',
      metadata: { iban: 'Kontonummer', type: 'Buchungstext', mandate: 'Mandatsreferenz' },
    },
  },
  'dkb-card-2022': {
    ...german,
    bank: 'DKB, cards before 2023',
    header: ['Wertstellung', 'Belegdatum', 'Beschreibung', 'Betrag (EUR)', 'Ursprünglicher Betrag'],
    columns: { date: 'Wertstellung', name: 'Beschreibung', amount: 'Betrag (EUR)' },
  },
  'dkb-card': {
    ...german,
    bank: 'DKB, cards since 2023',
    header: ['Belegdatum', 'Wertstellung', 'Status', 'Beschreibung', 'Umsatztyp', 'Betrag (€)'],
    columns: {
      // a pending row has no Wertstellung
      date: ['Wertstellung', 'Belegdatum'],
      name: 'Beschreibung',
      amount: 'Betrag (€)',
      status: 'Status',
      metadata: { type: 'Umsatztyp' },
    },
  },
  'sparkasse-card': {
    ...german,
    bank: 'Sparkasse, cards',
    header: ['Umsatz getätigt von', 'Belegdatum', 'Buchungsdatum', 'Buchungsbetrag', 'Buchungswährung', 'Transaktionsbeschreibung'],
    columns: {
      date: 'Buchungsdatum',
      name: 'Transaktionsbeschreibung',
      description: 'Transaktionsbeschreibung Zusatz',
      amount: 'Buchungsbetrag',
      currency: 'Buchungswährung',
    },
  },
  'postbank': {
    ...german,
    bank: 'Postbank',
    header: ['Buchungsdatum', 'Wertstellung', 'Umsatzart', 'Begünstigter / Auftraggeber', 'Verwendungszweck', 'IBAN', 'BIC', 'Kundenreferenz', 'Betrag'],
    columns: {
      date: 'Buchungsdatum',
      name: 'Begünstigter / Auftraggeber',
      description: 'Verwendungszweck',
      amount: 'Betrag',
      currency: 'Währung',
      metadata: { iban: 'IBAN', type: 'Umsatzart', mandate: 'Mandatsreferenz' },
    },
  },
  'postbank-2022': {
    ...german,
    bank: 'Postbank, before 2023',
    header: ['Buchungsdatum', 'Wertstellung', 'Umsatzart', 'Buchungsdetails', 'Auftraggeber', 'Empfänger', 'Betrag (€)'],
    columns: { date: 'Buchungsdatum', name: 'Empfänger', payer: 'Auftraggeber', description: 'Buchungsdetails', amount: 'Betrag (€)' },
  },
  'raiffeisen-at': {
    ...german,
    bank: 'Raiffeisen in Austria, which writes no header line',
    header: [],
    shape: [dotted, /./, dotted, comma, /^[A-Z]{3}$/, /^\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d/],
    columns: { date: 0, name: 1, amount: 3, currency: 4 },
  },
  'easybank': {
    ...german,
    bank: 'easybank and BAWAG, which write no header line',
    header: [],
    shape: [/^AT\d{18}$/, /./, dotted, dotted, comma, /^[A-Z]{3}$/],
    columns: { account: 0, name: 1, date: 2, amount: 4, currency: 5 },
  },
  'triodos': {
    ...german,
    bank: 'Triodos in the Netherlands, which writes no header line',
    header: [],
    shape: [dashed, iban, /^[\d.]+,\d\d$/, /^(?:Debet|Credit)$/i, /^/, /^/, /^\w{2}$/],
    columns: { date: 0, account: 1, amount: 2, direction: 3, name: 4, description: 7, metadata: { iban: 5, type: 6 } },
  },
  'fio': {
    bank: 'Fio banka',
    header: ['Datum', 'Objem', 'Měna', 'Protiúčet', 'Název protiúčtu', 'Zpráva pro příjemce', 'Typ'],
    columns: {
      date: 'Datum',
      name: ['Název protiúčtu', 'Poznámka', 'Zpráva pro příjemce', 'Typ'],
      description: ['Zpráva pro příjemce', 'Poznámka'],
      amount: 'Objem',
      currency: 'Měna',
      external_id: 'ID operace',
      metadata: { type: 'Typ' },
    },
    dateOrder: 'dmy',
    decimal: ',',
    currency: 'czk',
  },
  'ubs-card': {
    bank: 'UBS, cards',
    header: ['Kontonummer', 'Kartennummer', 'Einkaufsdatum', 'Buchungstext', 'Betrag', 'Originalwährung', 'Belastung', 'Gutschrift', 'Buchung'],
    columns: {
      account: 'Kontonummer',
      date: ['Buchung', 'Einkaufsdatum'],
      name: 'Buchungstext',
      debit: 'Belastung',
      credit: 'Gutschrift',
      currency: 'Währung',
    },
    dateOrder: 'dmy',
    decimal: '.',
    currency: 'chf',
    magnitudes: true,
  },
  'ing-pl': {
    bank: 'ING in Poland',
    header: ['Data transakcji', 'Data księgowania', 'Dane kontrahenta', 'Tytuł', 'Nr rachunku', 'Kwota transakcji (waluta rachunku)', 'Konto'],
    columns: {
      account: 'Konto',
      date: ['Data księgowania', 'Data transakcji'],
      name: 'Dane kontrahenta',
      description: 'Tytuł',
      amount: 'Kwota transakcji (waluta rachunku)',
      currency: 'Waluta',
      metadata: { iban: 'Nr rachunku' },
    },
    decimal: ',',
  },
  'rbc': {
    bank: 'RBC Royal Bank',
    header: ['Account Type', 'Account Number', 'Transaction Date', 'Cheque Number', 'Description 1', 'Description 2', 'CAD$'],
    columns: {
      account: 'Account Number',
      date: 'Transaction Date',
      name: ['Description 1', 'Description 2'],
      description: ['Description 1', 'Description 2'],
      amount: 'CAD$',
      reference_no: 'Cheque Number',
    },
    dateOrder: 'mdy',
    decimal: '.',
    currency: 'cad',
  },
  'kiwibank': {
    bank: 'Kiwibank',
    header: ['Account number', 'Date', 'Memo/Description', 'OP name', 'Amount (credit)', 'Amount (debit)', 'Amount', 'Balance'],
    columns: { account: 'Account number', date: 'Date', name: ['OP name', 'Memo/Description'], description: 'Memo/Description', amount: 'Amount' },
    dateOrder: 'dmy',
    decimal: '.',
    currency: 'nzd',
  },
  'up': {
    bank: 'Up',
    header: ['Time', 'BSB / Account Number', 'Transaction Type', 'Payee', 'Total (AUD)'],
    columns: {
      account: 'BSB / Account Number',
      date: 'Time',
      name: ['Payee', 'Transaction Type'],
      description: 'Description',
      amount: 'Total (AUD)',
      metadata: { category: 'Category', tags: 'Tags' },
    },
    decimal: '.',
    currency: 'aud',
  },
  'spendee': {
    bank: 'Spendee',
    header: ['Date', 'Wallet', 'Type', 'Category name', 'Amount', 'Currency', 'Note'],
    columns: {
      account: 'Wallet',
      date: 'Date',
      name: ['Note', 'Category name'],
      amount: 'Amount',
      currency: 'Currency',
      metadata: { category: 'Category name' },
    },
    decimal: '.',
  },
  'toshl': {
    bank: 'Toshl',
    header: ['Date', 'Account', 'Category', 'Tags', 'Expense amount', 'Income amount', 'Currency', 'Description'],
    columns: {
      account: 'Account',
      date: 'Date',
      name: ['Description', 'Category'],
      debit: 'Expense amount',
      credit: 'Income amount',
      currency: 'Currency',
      metadata: { category: 'Category', tags: 'Tags' },
    },
    decimal: '.',
  },
} as const satisfies Record<string, Preset>
