/**
 * Sentences about files in the user's language: those of the client's readers, and the service's
 * reasons for rows.
 */
import { formatDay } from '../locale/days.ts'
import { language } from '../locale/language.ts'
import { english } from '../messages/file-sentences-english.ts'
import { fields } from '../messages/fields.ts'

type Sentences = ReadonlyArray<readonly [sentence: string, translation: string]>

const fieldNames: Record<string, string> = fields

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/**
 * Returns a value of a sentence: a day, a list of columns or a part of a sentence is translated,
 * everything else is text of the file.
 */
function valueOf(value: string, sentences: Sentences): string {
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return formatDay(value)
  const columns = value.split(', ').map((column) => fieldNames[column])
  return columns.every((column) => column !== undefined)
    ? columns.join(', ')
    : translationOf(value, sentences) ?? value
}

/** Returns the translation of a sentence, with its values; null if it is unknown. */
export function translationOf(sentence: string, sentences: Sentences): string | null {
  // the more words are fixed, the better a pattern fits
  const found =
    sentences.toSorted(([a], [b]) => b.length - a.length).flatMap(([known, translation]) => {
      const match = new RegExp(`^${known.split('{}').map(literal).join('(.*?)')}$`, 's').exec(
        sentence,
      )
      return match === null ? [] : [{ values: match.slice(1), translation }]
    })[0]
  if (found === undefined) return null
  const { values, translation } = found
  return translation.split('{}').map((text, index) =>
    index === 0 ? text : `${valueOf(values[index - 1] ?? '', sentences)}${text}`
  ).join('')
}

/**
 * Returns a sentence whose beginning or parts are those of others: `name of a file: sentence`, or
 * `reason; reason`.
 */
export function translated(text: string, sentences: Sentences): string {
  const parts = text.split('; ').map((part) => translationOf(part, sentences))
  if (parts.every((part) => part !== null)) return parts.join(' ')
  const whole = translationOf(text, sentences)
  if (whole !== null) return whole
  const [, file = '', rest = ''] = /^(.+?): (.+)$/s.exec(text) ?? []
  const sentence = translationOf(rest, sentences)
  return sentence === null ? text : `${file}: ${sentence}`
}

let translations: Sentences = language === 'de' ? [] : english

// only German pages of files load the sentences
if (language === 'de')
  void import('../messages/file-sentences-german.ts').then((messages) =>
    translations = messages.german
  )

/** Returns an error about a file in the user's language. All other errors stay as they are. */
export const fileErrorOf = (error: Error | null): Error | null =>
  error?.name === 'StatementError' || error?.name === 'ExportFileError'
    ? new Error(fileSentence(error.message), { cause: error })
    : error

/** Returns a sentence about a file in the user's language. An unknown one stays as it is. */
export const fileSentence = (text: string): string => translated(text, translations)
