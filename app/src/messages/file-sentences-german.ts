/**
 * Sentences about files in German: those of the client's readers, and the service's reasons for
 * rows. `{}` is a value of the sentence, in its order.
 */
export const german: ReadonlyArray<readonly [sentence: string, translation: string]> = [
  // exports
  ['{} has a line that is too long.', '{} hat eine zu lange Zeile.'],
  ['{} ends in the middle of a line.', '{} bricht mitten in einer Zeile ab.'],
  [
    'This file contains more data than an export of its size can have.',
    'In dieser Datei steckt mehr, als ein Export dieser Größe enthalten kann.',
  ],
  ['This ZIP archive is not an export.', 'Dieses ZIP-Archiv ist kein Export.'],
  [
    'This export has version {}, but only version {} is supported.',
    'Das ist ein Export der Version {}. Hier lässt sich nur Version {} lesen.',
  ],
  ['{} is invalid.', '{} ist ungültig.'],
  ['Line {} of {} is not a row.', 'Zeile {} von {} ist kein Eintrag.'],
  [
    'This is not a ZIP archive, or it is incomplete or was modified.',
    'Das ist kein ZIP-Archiv, oder ein Teil davon fehlt oder wurde verändert.',
  ],
  ['"{}" is not part of an export.', '„{}“ gehört nicht in einen Export.'],
  ['{} is in the archive twice.', '{} kommt zweimal vor.'],
  ["The files don't match {}.", 'Die Dateien passen nicht zu {}.'],
  ['{} was changed.', '{} wurde verändert.'],
  ['The export does not contain this file.', 'Diese Datei fehlt im Export.'],
  ['This export has no team data.', 'Dieser Export enthält keine Daten eines Teams.'],
  ['{} has an invalid id: {}', '{} enthält eine ungültige Kennung: {}'],
  [
    'The export doesn\'t specify a currency for the account "{}". Choose one.',
    'Der Export nennt für das Konto „{}“ keine Währung. Wähle sie aus.',
  ],
  [
    'The account "{}" already exists, so its starting balance of {} was not saved.',
    'Das Konto „{}“ gibt es schon, deshalb wurde sein Anfangssaldo {} nicht gespeichert.',
  ],
  [
    '"{}" is no longer in use as a currency, so this was not saved. Convert the amounts, for example to EUR, and import the file again.',
    '„{}“ ist heute keine gültige Währung, deshalb wurde das nicht gespeichert. Rechne die Beträge um, zum Beispiel in EUR, und importiere die Datei noch einmal.',
  ],
  [
    'The amount has more decimals than its currency allows.',
    'Der Betrag hat mehr Nachkommastellen als seine Währung.',
  ],
  [
    "The splits don't fit the amount of their transaction.",
    'Die Teile passen zusammen nicht zum Betrag ihrer Buchung.',
  ],
  [
    'This belongs to something that was not saved, such as an account or a transaction.',
    'Das gehört zu etwas, das nicht gespeichert wurde, etwa einem Konto oder einer Buchung.',
  ],
  [
    'The same row already exists with a different ID.',
    'Derselbe Eintrag ist schon unter einer anderen Kennung vorhanden.',
  ],
  ['A value in this row is not allowed. {}', 'Ein Wert dieses Eintrags ist nicht erlaubt. {}'],
  ['This is not an export of a supported app.', 'Das ist kein Export einer bekannten App.'],
  ['This is not an export of {}.', 'Das ist kein Export von {}.'],

  // archives and other files
  [
    'This is an Excel workbook. Save the sheet as CSV.',
    'Das ist eine Excel-Datei. Speichere die Tabelle als CSV.',
  ],
  [
    'This is an OpenDocument sheet. Save it as CSV.',
    'Das ist eine OpenDocument-Tabelle. Speichere sie als CSV.',
  ],
  [
    'This is an export of this service, not a bank file. Restore it in the settings.',
    'Das ist ein Export dieser App und keine Bankdatei. Du kannst ihn in den Einstellungen zurückholen.',
  ],
  [
    'This is a backup of Actual. Export its transactions as CSV.',
    'Das ist eine Sicherung von Actual. Exportiere dort die Buchungen als CSV.',
  ],
  [
    'This archive is larger than 16 MB when unzipped. Import its files one at a time.',
    'Das Archiv ist entpackt größer als 16 MB. Importiere die Dateien einzeln.',
  ],
  [
    'The archive is larger than 16 MB. Export a shorter period.',
    'Das Archiv ist größer als 16 MB. Wähle bei der Bank einen kürzeren Zeitraum.',
  ],
  ['This archive has more than {} files.', 'Das Archiv enthält mehr als {} Dateien.'],
  [
    'This archive is password-protected. Unzip it first.',
    'Das Archiv hat ein Passwort. Entpacke es zuerst.',
  ],
  [
    '"{}" is an archive inside this archive. Unzip it first.',
    '„{}“ ist ein Archiv im Archiv. Entpacke es zuerst.',
  ],
  [
    'This ZIP archive is damaged or incomplete.',
    'Das ZIP-Archiv ist beschädigt, oder ein Teil davon fehlt.',
  ],
  ['This archive is empty.', 'Das Archiv ist leer.'],
  [
    'This archive has several files: "{}". Only CAMT, MT940 and OFX are read together, so unzip it and import each file.',
    'Das Archiv enthält mehrere Dateien: „{}“. Nur CAMT, MT940 und OFX lassen sich zusammen lesen. Entpacke es und importiere jede Datei einzeln.',
  ],
  [
    'This archive has files of several formats, such as "{}". Import each file separately.',
    'Das Archiv enthält verschiedene Formate, zum Beispiel „{}“. Importiere die Dateien einzeln.',
  ],
  [
    'This is a ZIP archive or an Excel workbook. Unzip it first, or save the sheet as CSV.',
    'Das ist ein ZIP-Archiv oder eine Excel-Datei. Entpacke es oder speichere die Tabelle als CSV.',
  ],
  [
    'This is a PDF. Download CSV, OFX, QIF, MT940 or CAMT.053 from your bank instead.',
    'Das ist ein PDF. Lade bei der Bank CSV, OFX, QIF, MT940 oder CAMT.053 herunter.',
  ],
  ['This file is compressed. Unzip it first.', 'Die Datei ist gepackt. Entpacke sie zuerst.'],
  ['The file is empty.', 'Die Datei ist leer.'],
  [
    'The file is larger than 16 MB. Export a shorter period.',
    'Die Datei ist größer als 16 MB. Wähle bei der Bank einen kürzeren Zeitraum.',
  ],
  ['The encoding "{}" is unknown.', 'Die Zeichenkodierung „{}“ ist unbekannt.'],
  [
    'This is not a text file. Download CSV, OFX, QIF, MT940 or CAMT.053 from your bank instead.',
    'Das ist keine Textdatei. Lade bei der Bank CSV, OFX, QIF, MT940 oder CAMT.053 herunter.',
  ],
  [
    'This is a web page, not a statement. Download the statement itself.',
    'Das ist die Webseite und nicht die Datei. Lade den Kontoauszug selbst herunter.',
  ],
  ['Unknown format "{}".', 'Das Format „{}“ gibt es nicht.'],
  [
    'The file is nested too deeply to be a statement.',
    'Die Datei ist zu tief verschachtelt für einen Kontoauszug.',
  ],
  ['Line {} is not well-formed XML: {}.', 'Zeile {} ist kein gültiges XML ({}).'],
  ['The file has no content.', 'Die Datei hat keinen Inhalt.'],

  // CAMT, OFX, QIF, MT940
  [
    'This entry does not say whether it is a credit or a debit (CdtDbtInd).',
    'Bei diesem Eintrag steht nicht, ob Geld kam oder ging (CdtDbtInd).',
  ],
  [
    'The {} transactions of this entry do not add up to its amount, so it was read as one row.',
    'Die {} Einzelposten ergeben zusammen nicht den Betrag, deshalb ist es eine Buchung.',
  ],
  [
    'This entry has no date, so the date of the statement was used: {}.',
    'Dieser Eintrag hat kein Datum, deshalb gilt das des Auszugs: {}.',
  ],
  [
    'This batch was read as individual transactions. A statement (CAMT.053) may contain it as one row, so import only one of the two files.',
    'Die Sammelbuchung wird als einzelne Buchungen gelesen. Im Kontoauszug (CAMT.053) kann sie eine einzige sein. Importiere dann nur eine der beiden Dateien.',
  ],
  [
    'This XML file is not an account statement (CAMT.052, .053 or .054).',
    'Dieses XML ist kein Kontoauszug (CAMT.052, .053 oder .054).',
  ],
  [
    'This entry is for information only and moves no money, so it was skipped.',
    'Dieser Eintrag ist nur eine Information und bewegt kein Geld. Er wurde ausgelassen.',
  ],
  [
    'The file ends too early: its last elements are never closed.',
    'Hier bricht die Datei ab. Vielleicht fehlt das Ende.',
  ],
  ['This OFX file has no account statement.', 'Diese OFX-Datei enthält keinen Kontoauszug.'],
  [
    'The bank deleted {} with this line, so both were skipped.',
    'Die Bank hat {} mit dieser Zeile gelöscht, deshalb wurden beide ausgelassen.',
  ],
  [
    'The bank replaced {} with this transaction, so that line was skipped.',
    'Die Bank hat {} durch diese Buchung ersetzt, deshalb wurde jene Zeile ausgelassen.',
  ],
  [
    'The bank deleted the earlier transaction "{}". If it was imported, delete it manually.',
    'Die Bank hat die frühere Buchung „{}“ gelöscht. Lösch sie von Hand, falls du sie schon importiert hast.',
  ],
  [
    'The bank replaced the earlier transaction "{}" with this one. If it was imported, this row updates it.',
    'Die Bank hat die frühere Buchung „{}“ durch diese ersetzt. Falls du sie schon importiert hast, wird sie geändert.',
  ],
  [
    'Investment trades were skipped: {}. Only cash transactions are read.',
    '{} Wertpapiergeschäfte wurden ausgelassen. Gelesen wird nur, was Geld bewegt.',
  ],
  [
    'The transactions of an investment account were skipped.',
    'Die Buchungen eines Depots wurden ausgelassen.',
  ],
  [
    'The file ends too early: its last transaction is incomplete.',
    'Hier bricht die Datei ab: Die letzte Buchung ist unvollständig. Vielleicht fehlt etwas.',
  ],
  [
    'This QIF file has no list of transactions (!Type:Bank, !Type:CCard or !Type:Cash).',
    'Diese QIF-Datei enthält keine Buchungen (!Type:Bank, !Type:CCard oder !Type:Cash).',
  ],
  [
    '"{}" is not an MT940 transaction. It was skipped.',
    '„{}“ ist keine Buchung nach MT940. Sie wurde ausgelassen.',
  ],
  [
    'The transactions do not add up to this closing balance. The file may be incomplete.',
    'Die Buchungen ergeben nicht diesen Endsaldo. Vielleicht fehlt etwas in der Datei.',
  ],
  [
    'This statement opens with {}, but the statement of {} closes with {}. A statement between them may be missing from the file.',
    'Dieser Kontoauszug beginnt mit {}, aber der von {} endet mit {}. Vielleicht fehlt ein Kontoauszug dazwischen.',
  ],
  [
    'The transactions do not {}. The file may be incomplete.',
    'Die Buchungen ergeben nicht {}. Vielleicht fehlt etwas in der Datei.',
  ],
  ['add up to the stated total of {}', 'die angegebene Summe {}'],
  ['match the stated number of {}', 'die angegebene Anzahl {}'],
  [
    'This closing balance is in {}, but its statement is in {}.',
    'Dieser Endsaldo ist in {}, der Kontoauszug aber in {}.',
  ],
  ['"{}" at the rate {} was rounded to {}.', '„{}“ zum Kurs {} wurde auf {} gerundet.'],
  [
    'The file has no rate for {}, so this amount was not converted.',
    'Die Datei enthält keinen Kurs für {}, deshalb bleibt der Betrag in dieser Währung.',
  ],
  [
    'This MT940 file has neither an account nor a transaction.',
    'Diese MT940-Datei enthält weder ein Konto noch eine Buchung.',
  ],

  // CSV
  ['There is no column named "{}".', 'Keine Spalte heißt „{}“.'],
  [
    'The column "{}" has {} values, such as "{}". Specify whether these are your accounts: account "{}", or false if all rows belong to one account.',
    'Die Spalte „{}“ hat {} Werte, zum Beispiel „{}“. Sind das deine Konten?',
  ],
  [
    'The column "{}" has {} next to {}. Specify whether to subtract the fee from the amount: fee true or false.',
    'In der Spalte „{}“ steht {} neben {}. Ist die Gebühr im Betrag enthalten?',
  ],
  ['"{}" does not say {}', '„{}“ ist nicht eindeutig.'],
  ['"{}" do not say {}', '„{}“ sind nicht eindeutig.'],
  ['The file doesn\'t have the layout of "{}".{}', 'Die Datei ist nicht aufgebaut wie bei „{}“.{}'],
  [' Its widest line has: {}.', ' Die längste Zeile hat: {}.'],
  [
    'No line of the file has all of these columns: {}.{}',
    'Keine Zeile der Datei hat alle diese Spalten: {}.{}',
  ],
  [
    'This is not a bank statement in CSV, OFX, QIF, MT940 or CAMT.053.',
    'Das ist kein lesbarer Kontoauszug: weder CSV noch OFX, QIF, MT940 oder CAMT.053.',
  ],
  [
    'No line names the columns of a statement (date, amount and name). Specify them with `columns`.{}',
    'Keine Zeile benennt die Spalten (Datum, Betrag und Name).{}',
  ],
  [
    'This line is a balance, not a transaction. It was skipped.',
    'Diese Zeile ist ein Kontostand der Bank und keine Buchung. Sie wurde ausgelassen.',
  ],
  [
    '"{}" is the name of a balance or a total, not of a transaction. This line was skipped.',
    '„{}“ ist ein Kontostand oder eine Summe und keine Buchung. Die Zeile wurde ausgelassen.',
  ],
  [
    'This line has neither a date nor an amount and was skipped.',
    'Diese Zeile hat weder Datum noch Betrag und wurde ausgelassen.',
  ],
  [
    'This line has more cells than the header, so they may be shifted. It was skipped.',
    'Diese Zeile hat mehr Felder als Spalten, vielleicht ist etwas verrutscht. Sie wurde ausgelassen.',
  ],
  [
    'A quotation mark on this line is never closed, so everything after it is missing.',
    'Ein Anführungszeichen dieser Zeile wird nie geschlossen. Alles danach fehlt.',
  ],
  [
    'This line is before the first transaction and was skipped, although it has a date or an amount.',
    'Diese Zeile steht vor der ersten Buchung und wurde ausgelassen, obwohl sie einen Tag oder Betrag hat.',
  ],
  [
    'Neither "{}" nor "{}" is one of your accounts, so this line was skipped.',
    'Weder „{}“ noch „{}“ ist eines deiner Konten, deshalb wurde die Zeile ausgelassen.',
  ],
  [
    'The characters in this file can be read in several ways. Specify the encoding: {}.',
    'Die Zeichen dieser Datei lassen sich verschieden lesen: {}.',
  ],

  // rows
  ['"{}" is not an amount.', '„{}“ ist kein Betrag.'],
  ['"{}" is too large.', '„{}“ ist zu groß.'],
  ['The amount is missing.', 'Der Betrag fehlt.'],
  [
    'Both the debit and the credit column have an amount.',
    'In beiden Spalten, Ausgang und Eingang, steht ein Betrag.',
  ],
  [
    'The file does not say whether this is income or an expense: the previous balance is missing.',
    'Es ist nicht erkennbar, ob das Geld kam oder ging: Der Kontostand davor fehlt in der Datei.',
  ],
  [
    '"{}" have different formats. Specify the one that the file uses: {}.',
    '„{}“ sind verschieden geschrieben.',
  ],
  [
    '"{}" can be read in several ways, and nothing in the file decides which is right. Specify one: {}.',
    '„{}“ lässt sich auf mehrere Arten lesen.',
  ],
  [
    '"{}": nothing in the file shows whether {} means money {}. Specify it: negate true (amounts without a minus are expenses) or false (they are income).',
    '„{}“: Es ist nicht erkennbar, ob das Ausgaben oder Einnahmen sind.',
  ],
  ['The date is missing.', 'Das Datum fehlt.'],
  ['"{}" is not a date.', '„{}“ ist kein Datum.'],
  [
    '"{}" has too many decimals.{}',
    '„{}“ hat mehr Nachkommastellen, als gespeichert werden können.',
  ],
  [
    'The closing balance "{}" has too many decimals, so it was rounded to {}.',
    'Der Endsaldo „{}“ hat mehr Nachkommastellen, als gespeichert werden können, und wurde auf {} gerundet.',
  ],
  [
    'Several statements close on this day with different balances, so none was used.',
    'Mehrere Kontoauszüge enden an diesem Tag mit verschiedenen Salden. Welcher der letzte ist, steht nirgends, deshalb gilt keiner.',
  ],
  [
    'This pending transaction is already booked in {}, so it was skipped.',
    'Diese vorgemerkte Buchung ist in {} gebucht und wurde deshalb ausgelassen.',
  ],
  ['This line moves no money, so it was skipped.', 'Das bewegt kein Geld und wurde ausgelassen.'],
  [
    '"{}" has too many decimals, so the amount was rounded to {}.',
    '„{}“ hat mehr Nachkommastellen, als gespeichert werden können, deshalb ist der Betrag gerundet: {}.',
  ],
  [
    'This row has neither a name nor a description, so it was named "Unnamed".',
    'Diese Zeile hat weder Namen noch Beschreibung, deshalb heißt sie „Unnamed“.',
  ],
  [
    'The file has amounts in several currencies, and "{}" does not have one.',
    'Die Datei enthält Beträge in mehreren Währungen, und bei „{}“ steht keine.',
  ],
  [`"{}" is not a currency code.`, '„{}“ ist keine Währung.'],
  [
    'The parts of this split do not add up to its amount.',
    'Die Teile dieser Buchung ergeben nicht ihren Betrag.',
  ],
  [
    'The additional data of this row is too large, so it was skipped.',
    'Die übrigen Angaben dieser Zeile sind zu groß und wurden ausgelassen.',
  ],
  [
    'The file also contains this pending transaction as booked, with the same ID, so it was skipped.',
    'Diese vorgemerkte Buchung steht mit derselben Kennung auch als gebucht in der Datei und wurde ausgelassen.',
  ],
  [
    'The bank gave the ID "{}" to several transactions, so this one is identified by its date, amount and name.',
    'Die Bank hat die Kennung „{}“ mehrfach vergeben, deshalb zählen Tag, Betrag und Name.',
  ],
  [
    'This repeats {}, with the same ID, so it was skipped.',
    'Das ist noch einmal {} mit derselben Kennung und wurde ausgelassen.',
  ],
  [
    'This repeats the statement of {}, so it was skipped.',
    'Das ist noch einmal der Kontoauszug von {}. Er wurde ausgelassen.',
  ],
  [
    'According to the balances, this repeats {}, so it was skipped.',
    'Das ist laut den Kontoständen noch einmal {} und wurde ausgelassen.',
  ],
  [
    "This may repeat {}. Nothing confirms that it's a separate transaction, so it was skipped. If it is one, add it manually.",
    'Das ist vielleicht noch einmal {}. Kein Kontostand beweist eine weitere Buchung, deshalb wurde sie ausgelassen. Wenn es eine ist, trag sie selbst ein.',
  ],
  [
    "This may repeat {} under a different name. The statement there is complete, so this row was skipped. If it's a separate transaction, add it manually.",
    'Das ist vielleicht noch einmal {} unter einem anderen Namen. Der Kontoauszug dort ist vollständig, deshalb wurde die Zeile ausgelassen. Wenn es eine weitere Buchung ist, trag sie selbst ein.',
  ],
  [
    'This transaction is in a batch that is one row in {}, so it was skipped.',
    'Die Sammelbuchung dieser Buchung steht als eine Zeile in {}, deshalb wurde sie ausgelassen.',
  ],
  [
    'This statement starts at a balance within another statement but has different transactions. The file may contain some of them twice.',
    'Dieser Kontoauszug beginnt mitten in einem anderen, hat aber andere Buchungen. Vielleicht sind einige doppelt in der Datei.',
  ],
  ['line {} of {}', 'Zeile {} von {}'],
  ['line {}', 'Zeile {}'],
  ['{} has more than {} transactions.', 'Am {} sind es mehr als {} Buchungen.'],

  // reasons of the service
  ['transfer with "{}" on {} in account "{}"', 'Umbuchung mit „{}“ vom {} auf dem Konto „{}“.'],
  ['the period through {} is closed', 'Die Tage bis {} sind abgeschlossen.'],
  ['the bank changed: {}', 'Neu laut Bank: {}.'],
  ['saved with different values: {}', 'Anders gespeichert: {}.'],
  ['its splits total {}', 'Ihre Teile ergeben {}.'],
  ['it is part of a transfer', 'Sie gehört zu einer Umbuchung.'],
  ['already imported under a different bank ID', 'Unter einer anderen Kennung der Bank bekannt.'],
  ['row {} has the same external_id "{}"', 'Zeile {} hat dieselbe Kennung „{}“.'],
  [
    'the bank also gave the ID "{}" to another transaction, so this one is identified by its date, amount and name',
    'Die Bank hat die Kennung „{}“ mehrfach vergeben, deshalb zählen Tag, Betrag und Name.',
  ],
  ['may be "{}", which is in a closed period', 'Vielleicht „{}“ von einem abgeschlossenen Tag.'],
  [
    'recorded from a recurring item as "{}" on {}',
    'Als wiederkehrende Zahlung „{}“ am {} eingetragen.',
  ],
  ['entered as "{}" on {}', 'Von Hand eingetragen als „{}“ am {}.'],
  ['pending at the bank as "{}" on {}', 'Von der Bank angekündigt als „{}“ am {}.'],
  ['imported from {} as "{}"', 'Importiert aus {} als „{}“.'],
  [
    'the row from {} that was matched to this transaction will be matched again',
    'Die Zeile aus {}, die bisher dazugehörte, wird neu zugeordnet.',
  ],
  [
    'previously imported and deleted by a user',
    'Wurde schon einmal importiert und danach gelöscht.',
  ],
]
