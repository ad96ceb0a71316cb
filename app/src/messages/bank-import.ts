import { inLanguage } from '../locale/language.ts'
import { listOf } from '../locale/lists.ts'

export const bankImport = inLanguage({
  en: {
    balanceHint: (day: string) => `Saves the statement balance as of ${day}.`,
    bankFile: 'Bank file',
    fileFormats:
      'CSV, OFX, QFX, QIF, MT940, CAMT, a ZIP of these, or an export from Actual, Firefly III, Lunch Money, Mint, Monarch or YNAB. Choose a file or drop it here. The file is read on your device, and you review every row before anything is saved.',
    missingDate: 'Choose the date column.',
    missingAmount: 'Choose the amount column, or the two columns for money in and money out.',
    duplicateMeaning: (meaning: string) => `Only one column can be “${meaning}”.`,
    unknownColumns:
      'We don’t recognize this file’s columns. Choose what each one means, and we’ll remember it for files with the same columns.',
    column: 'Column',
    examples: 'Examples',
    meaning: 'Meaning',
    columnNumber: (number: number) => `Column ${number}`,
    meaningOf: (column: string) => `Meaning of “${column}”`,
    unnamedColumn: (number: number) => `column ${number}`,
    ignoreColumn: 'None of these',
    read: 'Read file',
    withColumns: 'your columns',
    withMonthFirst: 'month first',
    withDayFirst: 'day first',
    withYearFirst: 'year first',
    withDecimalComma: 'decimal comma',
    withDecimalPoint: 'decimal point',
    withUnsignedAsExpenses: 'amounts without a minus sign as expenses',
    withUnsignedAsIncome: 'amounts without a minus sign as income',
    withDirectionWords: 'your words for money in and out',
    withStatusWords: 'your words for posted and pending',
    withOneAccount: 'all rows in one account',
    withAccountsBy: (account: string) => `accounts from the “${account}” column`,
    withEncoding: (encoding: string) => `${encoding} encoding`,
    withRoundedAmounts: 'rounded amounts',
    withoutLongDecimals: 'rows with too many decimals skipped',
    withFeesOnTop: 'fees on top of amounts',
    withFeesIncluded: 'fees included in amounts',
    rows: (count: number) => `, ${count} ${count === 1 ? 'row' : 'rows'}`,
    readWith: (answers: string[]) => ` (${answers.join(', ')})`,
    readAgain: 'Change answers',
    skippedLines: (count: number) =>
      `${count === 1 ? '1 invalid line' : `${count} invalid lines`} skipped`,
    lineNotes: (count: number) =>
      `${count === 1 ? '1 note' : `${count} notes`} on lines in this file`,
    expensesHaveNoMinus: 'Expenses have no minus sign in this file',
    line: (line: number, message: string, file: string | undefined) =>
      `${file === undefined ? 'Line' : `${file}, line`} ${line}: ${message}`,
    accountFor: (name: string) => `Account for ${name}`,
    rowOrRows: (count: number) => count === 1 ? 'row' : 'rows',
    withoutAccounts: (count: number) =>
      count === 0 ? '. You don’t have any accounts yet, but you can import rows without one.' : '',
    noAccount: 'No account',
    noAccountHint: '. Without an account, they don’t affect any balance.',
    currencyHint: 'Neither the file nor the account specifies a currency.',
    importPending: (pending: number) =>
      `Also import ${
        pending === 1 ? 'the pending row' : `the ${pending} pending rows`
      }. Many banks change pending rows when they post them, which would create duplicates.`,
    exportSummary: (transactions: number, transfers: number) =>
      `${transactions} ${
        transactions === 1 ? 'transaction' : 'transactions'
      } from another app, including ${transfers} ${
        transfers === 1 ? 'transfer' : 'transfers'
      }. Importing the file again won’t create duplicates.`,
    newAccount: (name: string) => `New account ${name}`,
    exportCurrencyHint: 'The export doesn’t specify a currency for its accounts.',
    existingAccounts: (names: string[]) => `Accounts you already have: ${listOf(names)}.`,
    newCategories: (names: string[]) => `New categories: ${listOf(names)}.`,
    exportProblems: (count: number) => `Not imported: ${count === 1 ? '1 item' : `${count} items`}`,
    importAll: (count: number) => `Import ${count} ${count === 1 ? 'transaction' : 'transactions'}`,
    importOnlyTransactions: 'Import only the transactions, without categories',
    openFailed: (name: string) => `Couldn’t open ${name}.`,
    readFailed: 'Couldn’t read the file. Try again, or choose another file.',
    import: 'Import',
    anotherFile: 'Choose another file',
    viewerHint:
      'You’re a viewer in this team. Only the owner, admins and editors can import files.',
    undone: (name: string, count: number) =>
      `Import of ${name} undone. ${count} ${count === 1 ? 'transaction' : 'transactions'} deleted.`,
    history: 'Import history',
    historyEmpty: 'No imports yet. Your imports will appear here, and you can undo any of them.',
    file: 'File',
    importedAt: 'Imported',
    undo: 'Undo',
    undoFailed: (name: string) => `Couldn’t undo the import of ${name}:`,
    dayFirst: 'Day first',
    monthFirst: 'Month first',
    yearFirst: 'Year first',
    decimalPoint: 'Decimal point',
    decimalComma: 'Decimal comma',
    moneyReceived: 'Money I received',
    moneySpent: 'Money I spent',
    dateQuestion: (text: string) => `Which date is ${text}?`,
    mixedDates: 'The dates have different formats',
    amountQuestion: (text: string) => `How much is ${text}?`,
    mixedAmounts: 'The amounts have different formats',
    signQuestion: (row: string) => `What is ${row}?`,
    accountQuestion: 'Which column contains your accounts?',
    oneAccount: 'None: all rows belong to one account',
    encodingQuestion: 'Which text looks right?',
    tooManyDecimals: (amount: string) => `${amount} has too many decimals`,
    roundAmounts: 'Round these amounts',
    skipRows: 'Skip these rows',
    feeQuestion: (amounts: string) => `An amount and its fee: ${amounts}`,
    feeOnTop: 'The fee was charged on top of the amount',
    feeIncluded: 'The amount includes the fee',
    directionQuestion: 'Direction of rows with',
    moneyOut: 'Money out',
    moneyIn: 'Money in',
    bySign: 'Depends on the sign of the amount',
    statusQuestion: 'Status of rows with',
    posted: 'Posted',
    pending: 'Pending',
    failed: 'Failed',
    preview: 'Preview',
    day: 'Date',
    questionsHint:
      'The file doesn’t make this clear. We’ll only ask once for files from this bank.',
    emptyWord: 'blank',
    choose: 'Choose',
    newTransactions: (added: number) =>
      `${added} new ${added === 1 ? 'transaction' : 'transactions'}`,
    updates: (updated: number) => `${updated} ${updated === 1 ? 'update' : 'updates'}`,
    importedFrom: (count: number, name: string) =>
      `${count} ${count === 1 ? 'transaction' : 'transactions'} imported from ${name}.`,
    view: 'View',
    partlySaved: (done: number, all: number) =>
      `${done} of ${all} parts saved. Import again to save the rest. Rows that are already saved won’t be duplicated.`,
    importing: 'Importing',
    comparing: 'Comparing',
    partOf: (part: number, all: number) => `Part ${part} of ${all}`,
    submit: (count: number, name: string, hasBalance: boolean) =>
      count > 0 ? `Import ${name}` : hasBalance ? 'Save balance' : 'Nothing new to import',
    balanceSaved: (name: string) => `Balance from ${name} saved.`,
    verdicts: {
      new: {
        name: 'New',
        note: null,
        count: (count: number) => count === 1 ? '1 row is new.' : `${count} rows are new.`,
      },
      updated: {
        name: 'Updated',
        note: 'Updates an existing transaction:',
        count: (count: number) =>
          `${count} ${
            count === 1 ? 'transaction' : 'transactions'
          } will be updated with newer data from the bank.`,
      },
      matched: {
        name: 'Matched',
        note: 'Uses the bank’s date but keeps your name and category:',
        count: (count: number) =>
          count === 1
            ? '1 row matches a transaction you already entered.'
            : `${count} rows match transactions you already entered.`,
      },
      transfer: {
        name: 'Transfer',
        note: 'Becomes a',
        count: (count: number) =>
          `${count} ${
            count === 1 ? 'row is' : 'rows are'
          } part of a transfer between your accounts.`,
      },
      duplicate: {
        name: 'Duplicate',
        note: null,
        count: (count: number) =>
          `${count} ${count === 1 ? 'row was' : 'rows were'} already imported.`,
      },
      changed: {
        name: 'Changed',
        note: 'Existing transaction, left unchanged:',
        count: (count: number) =>
          `${count} ${
            count === 1
              ? 'row differs from its existing transaction'
              : 'rows differ from their existing transactions'
          }, which won’t be changed.`,
      },
      deleted: {
        name: 'Deleted',
        note: 'Imported earlier, then deleted.',
        count: (count: number) =>
          `${count} ${
            count === 1 ? 'row was' : 'rows were'
          } deleted earlier and won’t be imported again.`,
      },
      invalid: {
        name: 'Invalid',
        note: 'Skipped:',
        count: (count: number) => `${count} ${count === 1 ? 'row' : 'rows'} will be skipped.`,
      },
    },
    existingRows: 'Rows that may already exist',
    choices: {
      match: 'Match rows with existing transactions',
      linkTransfers: 'Link transfers between my accounts',
      again: 'Import deleted rows again',
    },
    possibleTransfer:
      'May be part of a transfer. You can link it in the transaction details after the import.',
    suggestedCategories: (count: number) =>
      count === 1 ? '1 row has a suggested category.' : `${count} rows have a suggested category.`,
    acceptAll: (count: number) => count === 1 ? 'Accept' : `Accept all ${count}`,
    acceptNone: 'Accept none',
    acceptCategory: (name: string) => `Category ${name}`,
    forRow: (name: string) => `for ${name}`,
    rowsShown: 'Rows to show',
    all: (count: number) => `All ${count}`,
    result: 'Result',
    showMoreOf: (count: number) => `Show more (${count} in total)`,
    columns: {
      date: 'Date',
      amount: 'Signed amount',
      debit: 'Money out',
      credit: 'Money in',
      direction: 'In or out',
      name: 'Payee or name',
      description: 'Description',
      reference_no: 'Reference',
      external_id: 'Transaction ID',
      currency: 'Currency',
      status: 'Posted or pending',
      account: 'Account',
    },
  },
  de: {
    balanceHint: (day: string) => `Speichert den Kontostand vom ${day} aus dem Auszug.`,
    bankFile: 'Datei deiner Bank',
    fileFormats:
      'CSV, OFX, QFX, QIF, MT940, CAMT oder ein ZIP davon, oder der Export von Actual, Firefly III, Lunch Money, Mint, Monarch oder YNAB. Wähle die Datei oder zieh sie hierher. Sie wird nur auf diesem Gerät gelesen, und du siehst für jede Zeile, was passiert, bevor etwas gespeichert wird.',
    missingDate: 'Wähle die Spalte mit dem Tag.',
    missingAmount: 'Wähle die Spalte mit dem Betrag oder die zwei Spalten für Ausgang und Eingang.',
    duplicateMeaning: (meaning: string) => `Nur eine Spalte kann „${meaning}“ sein.`,
    unknownColumns:
      'Die Spalten dieser Bank sind noch unbekannt. Sag einmal, was sie bedeuten. Die nächste Datei mit denselben Spalten wird ohne Fragen gelesen.',
    column: 'Spalte',
    examples: 'Beispiele',
    meaning: 'Bedeutung',
    columnNumber: (number: number) => `Spalte ${number}`,
    meaningOf: (column: string) => `Was „${column}“ bedeutet`,
    unnamedColumn: (number: number) => `Spalte ${number}`,
    ignoreColumn: 'Nichts davon',
    read: 'Datei lesen',
    withColumns: 'deinen Spalten',
    withMonthFirst: 'dem Monat zuerst',
    withDayFirst: 'dem Tag zuerst',
    withYearFirst: 'dem Jahr zuerst',
    withDecimalComma: 'Komma vor den Nachkommastellen',
    withDecimalPoint: 'Punkt vor den Nachkommastellen',
    withUnsignedAsExpenses: 'Beträgen ohne Minus als Ausgaben',
    withUnsignedAsIncome: 'Beträgen ohne Minus als Einnahmen',
    withDirectionWords: 'deinen Wörtern für Eingang und Ausgang',
    withStatusWords: 'deinen Wörtern für gebucht und vorgemerkt',
    withOneAccount: 'allen Zeilen als einem Konto',
    withAccountsBy: (account: string) => `Konten nach „${account}“`,
    withEncoding: (encoding: string) => `der Zeichenkodierung ${encoding}`,
    withRoundedAmounts: 'gerundeten Beträgen',
    withoutLongDecimals: 'Beträgen ohne die mit mehr Nachkommastellen',
    withFeesOnTop: 'Gebühren zusätzlich zum Betrag',
    withFeesIncluded: 'Gebühren im Betrag',
    rows: (count: number) => `, ${count} ${count === 1 ? 'Zeile' : 'Zeilen'}`,
    readWith: (answers: string[]) => `, gelesen mit ${listOf(answers)}`,
    readAgain: 'Neu lesen',
    skippedLines: (count: number) =>
      `Fehlerhaft: ${count === 1 ? 'eine Zeile wird' : `${count} Zeilen werden`} ausgelassen`,
    lineNotes: (count: number) =>
      `${count === 1 ? 'Ein Hinweis' : `${count} Hinweise`} zu Zeilen der Datei`,
    expensesHaveNoMinus: 'Ausgaben haben in dieser Datei kein Minus',
    line: (line: number, message: string, file: string | undefined) =>
      `${file === undefined ? 'Zeile' : `${file}, Zeile`} ${line}: ${message}`,
    accountFor: (name: string) => `Konto für ${name}`,
    rowOrRows: (count: number) => count === 1 ? 'Zeile' : 'Zeilen',
    withoutAccounts: (count: number) =>
      count === 0 ? '. Du hast noch kein Konto; es geht auch ohne.' : '',
    noAccount: 'Ohne Konto',
    noAccountHint: '. Ohne Konto ändern sie keinen Kontostand.',
    currencyHint: 'Sie steht weder in der Datei noch beim Konto.',
    importPending: (pending: number) =>
      `Auch ${
        pending === 1 ? 'die vorgemerkte Zeile' : `die ${pending} vorgemerkten Zeilen`
      } importieren. Viele Banken ändern solche Zeilen beim Buchen, und dann wären sie doppelt da.`,
    exportSummary: (transactions: number, transfers: number) =>
      `${transactions} ${
        transactions === 1 ? 'Buchung' : 'Buchungen'
      } aus einer anderen App, darunter ${transfers} ${
        transfers === 1 ? 'Umbuchung' : 'Umbuchungen'
      }. Wenn du die Datei noch einmal importierst, wird nichts doppelt.`,
    newAccount: (name: string) => `Neues Konto ${name}`,
    exportCurrencyHint: 'Der Export nennt für seine Konten keine Währung.',
    existingAccounts: (names: string[]) => `Konten, die du schon hast: ${listOf(names)}.`,
    newCategories: (names: string[]) => `Neue Kategorien: ${listOf(names)}.`,
    exportProblems: (count: number) =>
      `Nicht importiert: ${count === 1 ? 'ein Eintrag' : `${count} Einträge`}`,
    importAll: (count: number) => `${count} ${count === 1 ? 'Buchung' : 'Buchungen'} importieren`,
    importOnlyTransactions: 'Nur die Buchungen importieren, ohne Kategorien',
    openFailed: (name: string) => `${name} ließ sich nicht öffnen.`,
    readFailed: 'Die Datei ließ sich nicht lesen. Versuch es noch einmal oder wähle eine andere.',
    import: 'Import',
    anotherFile: 'Andere Datei',
    viewerHint:
      'In diesem Team darfst du nur lesen. Importieren können alle, die bearbeiten dürfen.',
    undone: (name: string, count: number) =>
      `${name} zurückgenommen, mit ${count === 1 ? 'einer Buchung' : `${count} Buchungen`}.`,
    history: 'Bisherige Importe',
    historyEmpty:
      'Noch keine. Hier stehen später deine Importe, und jeden kannst du als Ganzes zurücknehmen.',
    file: 'Datei',
    importedAt: 'Wann',
    undo: 'Zurücknehmen',
    undoFailed: (name: string) => `${name} bleibt, wie es ist:`,
    dayFirst: 'Zuerst der Tag',
    monthFirst: 'Zuerst der Monat',
    yearFirst: 'Zuerst das Jahr',
    decimalPoint: 'Punkt vor den Nachkommastellen',
    decimalComma: 'Komma vor den Nachkommastellen',
    moneyReceived: 'Geld, das ich bekommen habe',
    moneySpent: 'Geld, das ich ausgegeben habe',
    dateQuestion: (text: string) => `Welcher Tag ist ${text}?`,
    mixedDates: 'Die Daten sind unterschiedlich geschrieben',
    amountQuestion: (text: string) => `Wie viel ist ${text}?`,
    mixedAmounts: 'Die Beträge sind unterschiedlich geschrieben',
    signQuestion: (row: string) => `Was ist ${row}?`,
    accountQuestion: 'In welcher Spalte stehen deine Konten?',
    oneAccount: 'In keiner: Alles gehört zu einem Konto',
    encodingQuestion: 'Welche Schrift ist richtig?',
    tooManyDecimals: (amount: string) =>
      `${amount} hat mehr Nachkommastellen, als gespeichert werden können`,
    roundAmounts: 'Solche Beträge runden',
    skipRows: 'Solche Zeilen auslassen',
    feeQuestion: (amounts: string) => `Ein Betrag und seine Gebühr sind ${amounts}`,
    feeOnTop: 'Die Gebühr kam zum Betrag hinzu',
    feeIncluded: 'Die Gebühr ist im Betrag enthalten',
    directionQuestion: 'Kam Geld herein oder ging es hinaus?',
    moneyOut: 'Es ging hinaus',
    moneyIn: 'Es kam herein',
    bySign: 'Das Vorzeichen sagt es',
    statusQuestion: 'Ist so eine Zeile gebucht?',
    posted: 'Gebucht',
    pending: 'Vorgemerkt',
    failed: 'Fehlgeschlagen',
    preview: 'So würden die Zeilen gespeichert',
    day: 'Tag',
    questionsHint:
      'Das geht aus der Datei nicht hervor. Die App fragt für Dateien dieser Bank nur einmal.',
    emptyWord: 'nichts',
    choose: 'Auswählen',
    newTransactions: (added: number) =>
      `${added} ${added === 1 ? 'neue Buchung' : 'neue Buchungen'}`,
    updates: (updated: number) =>
      `${updated} ${updated === 1 ? 'Aktualisierung' : 'Aktualisierungen'}`,
    importedFrom: (count: number, name: string) =>
      `${count} ${count === 1 ? 'Buchung' : 'Buchungen'} aus ${name} importiert.`,
    view: 'Ansehen',
    partlySaved: (done: number, all: number) =>
      `${done} von ${all} Teilen sind gespeichert. Importiere noch einmal, um den Rest zu speichern; was schon da ist, wird erkannt.`,
    importing: 'Wird importiert',
    comparing: 'Wird verglichen',
    partOf: (part: number, all: number) => `Teil ${part} von ${all}`,
    submit: (count: number, name: string, hasBalance: boolean) =>
      count > 0
        ? `${name} importieren`
        : hasBalance
        ? 'Kontostand speichern'
        : 'Nichts Neues zu importieren',
    balanceSaved: (name: string) => `Kontostand aus ${name} gespeichert.`,
    verdicts: {
      new: {
        name: 'Neu',
        note: null,
        count: (count: number) => count === 1 ? '1 Zeile ist neu.' : `${count} Zeilen sind neu.`,
      },
      updated: {
        name: 'Aktualisiert',
        note: 'Schon da, ändert sich:',
        count: (count: number) =>
          `${count} ${
            count === 1 ? 'Buchung bekommt' : 'Buchungen bekommen'
          } neuere Werte der Bank.`,
      },
      matched: {
        name: 'Zugeordnet',
        note: 'Bekommt den Tag der Bank und behält deinen Namen und deine Kategorie:',
        count: (count: number) =>
          count === 1
            ? '1 Zeile hast du schon selbst eingetragen.'
            : `${count} Zeilen hast du schon selbst eingetragen.`,
      },
      transfer: {
        name: 'Umbuchung',
        note: 'Zusammen werden sie eine',
        count: (count: number) =>
          `${count} ${
            count === 1 ? 'Zeile gehört' : 'Zeilen gehören'
          } zu einer Umbuchung zwischen deinen Konten.`,
      },
      duplicate: {
        name: 'Bekannt',
        note: null,
        count: (count: number) =>
          `${count} ${count === 1 ? 'Zeile wurde' : 'Zeilen wurden'} schon importiert.`,
      },
      changed: {
        name: 'Geändert',
        note: 'Schon da, bleibt, wie es ist:',
        count: (count: number) =>
          `${count} ${
            count === 1
              ? 'Zeile weicht von ihrer Buchung ab, die'
              : 'Zeilen weichen von ihren Buchungen ab, die'
          } unverändert ${count === 1 ? 'bleibt' : 'bleiben'}.`,
      },
      deleted: {
        name: 'Gelöscht',
        note: 'Schon einmal importiert und gelöscht.',
        count: (count: number) =>
          `${count} ${
            count === 1 ? 'Zeile wurde gelöscht und bleibt' : 'Zeilen wurden gelöscht und bleiben'
          } gelöscht.`,
      },
      invalid: {
        name: 'Fehlerhaft',
        note: 'Wird ausgelassen:',
        count: (count: number) =>
          `${count} ${count === 1 ? 'Zeile wird' : 'Zeilen werden'} ausgelassen.`,
      },
    },
    existingRows: 'Zeilen, die vielleicht schon da sind',
    choices: {
      match: 'Vorhandenen Buchungen zuordnen',
      linkTransfers: 'Umbuchungen zwischen meinen Konten verbinden',
      again: 'Gelöschte wieder anlegen',
    },
    possibleTransfer:
      'Vielleicht Teil einer Umbuchung. Du kannst sie nach dem Import in den Details verbinden.',
    suggestedCategories: (count: number) =>
      count === 1
        ? '1 Zeile hat einen Kategorievorschlag.'
        : `${count} Zeilen haben einen Kategorievorschlag.`,
    acceptAll: (count: number) => count === 1 ? 'Übernehmen' : `Alle ${count} übernehmen`,
    acceptNone: 'Keinen übernehmen',
    acceptCategory: (name: string) => `Kategorie ${name}`,
    forRow: (name: string) => `für ${name}`,
    rowsShown: 'Welche Zeilen',
    all: (count: number) => `Alle ${count}`,
    result: 'Ergebnis',
    showMoreOf: (count: number) => `Mehr von ${count} anzeigen`,
    columns: {
      date: 'Der Tag',
      amount: 'Der Betrag mit Vorzeichen',
      debit: 'Ausgang',
      credit: 'Eingang',
      direction: 'Ob Ein- oder Ausgang',
      name: 'Von wem oder wofür',
      description: 'Beschreibung',
      reference_no: 'Referenz',
      external_id: 'Kennung der Bank',
      currency: 'Währung',
      status: 'Gebucht oder vorgemerkt',
      account: 'Welches meiner Konten',
    },
  },
})
