/** Translations of the sentences about files. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vite'
import { english } from '../messages/file-sentences-english.ts'
import { german } from '../messages/file-sentences-german.ts'
import { fileSentence, translated, translationOf } from './file-sentences.ts'

const checkout = join(import.meta.dirname, '../../..')

type Node = { type: string, value?: unknown, [part: string]: unknown }

/** Returns the sentences of the client's readers, with `{}` for each value. */
function sentencesOf(node: Node): string[] {
  const quasis = (node['quasis'] ?? []) as Array<{ value: { cooked: string } }>
  const text = node.type === 'TemplateLiteral'
    ? quasis.map(({ value }) => value.cooked).join('{}')
    : typeof node.value === 'string'
    ? node.value
    : ''
  const parts = Object.values(node).flat().filter((part): part is Node =>
    typeof (part as Node | null)?.type === 'string'
  )
  return [
    ...parts.flatMap(sentencesOf),
    ...text.includes(' ') && text.endsWith('.') && !text.includes('|') ? [text] : [],
  ]
}

/** Errors that the app shows by their codes, and one about an option that the app does not use. */
const coded = [
  'Unknown preset "{}". Available: {}.',
  'The file of the attachment {} does not match its SHA-256.',
  'The user or the active organization changed during the export. Try again.',
]

/** Ends of sentences, which are translated with them. */
const isEnd = (sentence: string) => /^whether |^ Specify whether/.test(sentence)

test('each sentence of the readers of bank files and exports has a German translation', () => {
  const sentences = ['bank-files', 'client/export'].flatMap((folder) =>
    globSync('*.ts', { cwd: join(checkout, folder) }).filter((file) => !file.startsWith('presets'))
      .flatMap((file) =>
        sentencesOf(
          parseAst(readFileSync(join(checkout, folder, file), 'utf8'), {
            lang: 'ts',
          }) as unknown as Node,
        )
      )
  )
  const userSentences = [...new Set(sentences)].filter((sentence) =>
    !coded.includes(sentence) && !isEnd(sentence) && sentence !== '{}.'
  )
  expect(userSentences.length).toBeGreaterThan(80)
  const translations = new Set(german.map(([sentence]) => sentence))
  const isKnown = (sentence: string) =>
    translations.has(sentence) || sentence === '"{}" {} not say {}'
  expect(userSentences.filter((sentence) => !isKnown(sentence))).toEqual([])
})

test('a translation has the values of its sentence', () => {
  expect(translationOf('"x" at the rate 1.2 was rounded to 1.23.', german)).toBe(
    '„x“ zum Kurs 1.2 wurde auf 1.23 gerundet.',
  )
  expect(
    translationOf(
      'This repeats line 4 of may.xml, with the same ID, so it was skipped.',
      german,
    ),
  )
    .toBe('Das ist noch einmal Zeile 4 von may.xml mit derselben Kennung und wurde ausgelassen.')
  expect(
    translationOf(
      '"12.5" has too many decimals. Specify whether to round or skip such amounts: roundAmounts true or false.',
      german,
    ),
  )
    .toBe('„12.5“ hat mehr Nachkommastellen, als gespeichert werden können.')
  expect(translationOf('the bank changed: name, amount', german)).toBe(
    'Neu laut Bank: name, amount.',
  )
})

test('a file name before a sentence and several reasons in one text are translated, and an unknown text stays', () => {
  expect(translated('may.xml: The file is empty.', german)).toBe('may.xml: Die Datei ist leer.')
  expect(translated('saved with different values: status; it is part of a transfer', german)).toBe(
    'Anders gespeichert: status. Sie gehört zu einer Umbuchung.',
  )
  expect(translated('something else', german)).toBe('something else')
})

test('an English reason has the names of columns and days as users read them, and each reason has a German one', () => {
  expect(
    fileSentence('saved with different values: transaction_date, amount; it is part of a transfer'),
  ).toBe('saved with different values: date, amount. It is part of a transfer.')
  expect(fileSentence('row 3 has the same external_id "a1"')).toBe(
    'row 3 has the same transaction ID.',
  )
  const germanReasons = german.map(([sentence]) => sentence)
  expect(english.map(([reason]) => reason).filter((reason) => !germanReasons.includes(reason)))
    .toEqual([])
})
