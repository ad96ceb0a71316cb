/**
 * Detects the code page of a file by names of columns, letter frequencies of languages, and usual
 * characters of Japan, China and Korea.
 */
import { PRESETS } from './presets.ts'
import { plainName, usualNames } from './usual-columns.ts'

/** Characters from 0x80 on of DOS code pages, which TextDecoder does not support. */
const DOS: Record<string, string> = {
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
}

type Page = { languages: string[], rare: number, isMac?: true }

const WEST = ['de', 'fr', 'es', 'pt', 'it', 'da', 'sv', 'nl']
const CENTRE = ['pl', 'cs', 'hu', 'ro', 'hr', 'de']

/**
 * Code pages with their languages, the most frequent first. `rare` is subtracted from the score.
 */
const PAGES: Record<string, Page> = {
  'windows-1252': { languages: [...WEST, 'is'], rare: 0 },
  'windows-1250': { languages: CENTRE, rare: 0.5 },
  'windows-1251': { languages: ['ru', 'uk', 'bg'], rare: 0.5 },
  'windows-1253': { languages: ['el'], rare: 0.5 },
  'windows-1254': { languages: ['tr', 'de'], rare: 0.5 },
  'windows-1257': { languages: ['lt', 'lv', 'et'], rare: 1 },
  'iso-8859-2': { languages: CENTRE, rare: 1 },
  'iso-8859-15': { languages: WEST, rare: 1 },
  'koi8-r': { languages: ['ru'], rare: 1 },
  'ibm866': { languages: ['ru'], rare: 1 },
  'macintosh': { languages: WEST, rare: 1, isMac: true },
  'x-mac-cyrillic': { languages: ['ru'], rare: 1, isMac: true },
  'cp850': { languages: WEST, rare: 1 },
  'cp852': { languages: CENTRE, rare: 1 },
}

/** Encodings of Japan, China and Korea: the bytes of their usual characters, as Latin-1. */
const DOUBLE_BYTE: Record<string, RegExp> = {
  'shift_jis': /[\x81-\x84\x88-\x98][\x40-\x7e\x80-\xfc]|(?<![A-Za-z])[\xa1-\xdf]{3,}(?![A-Za-z])/g,
  'euc-jp': /[\xa1-\xa8\xb0-\xcf][\xa1-\xfe]|\x8e[\xa1-\xdf]/g,
  'gb18030': /[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]/g,
  'euc-kr': /[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]/g,
  'big5': /[\xa1-\xc6][\x40-\x7e\xa1-\xfe]/g,
}

/** Minimum share of the bytes beyond ASCII that usual characters have. */
const MIN_USUAL_SHARE = 0.9

/**
 * Minimum mean length of runs of characters beyond ASCII. In Latin languages most of them are
 * single letters.
 */
const MIN_RUN_LENGTH = 1.5

/** Letters beyond ASCII per language, the most frequent first. */
const LETTERS: Record<string, string> = {
  de: 'üäößé',
  fr: 'éèàêçôîûâùïëœæüÿ',
  es: 'óíáéñúü¿¡ºª',
  pt: 'ãçáéíóêõúâàôºª',
  it: 'àèéùòìíó',
  da: 'åøæéöäü',
  sv: 'äåöéü',
  nl: 'éëïöüèáóçê',
  is: 'áíðéóúöþæý',
  pl: 'łóężąśćźń',
  cs: 'íáéýěšřžčůúťóďňľôä',
  hu: 'éáóöőíüúű',
  ro: 'ăîâşţșț',
  hr: 'čšžćđ',
  tr: 'ıüşğöçiâ',
  lt: 'ėįšųąžčęū',
  lv: 'āīšēūļņģžķč',
  et: 'äõüöšž',
  ru: 'оеаинтслврдпукмзыягьбчйхжшюцщэфъё',
  uk: 'оанивітеслрдкупмзягьбчйхжшюцщєїфґ',
  bg: 'аоеинтрсвлдпкмзуягъбчйхжшюцщф',
  el: 'αοιετσνηυρπκμλωςγάίόέδήβχθύφώξζψϊϋΐΰ',
}

/** Words of statements per language. A dot replaces a letter that depends on the code page. */
const STATEMENT_TERMS: Record<string, RegExp> = {
  de: /buchung|betrag|umsatz|auftraggeber|verwendung|währung|gutschrift|lastschrift/i,
  fr: /libell|montant|virement|solde|compte|pr.l.vement|date d|carte|d.bit;|op.ration/i,
  es: /fecha|importe|concepto|saldo disponible|tarjeta|cuenta/i,
  pt: /valor|descri|lan.amento|hist.rico|saldo|conta\b|compra/i,
  it: /importo|descrizione|causale|operazione|contabile|bonifico|valuta;|entrate|uscite/i,
  da: /bel.b|dato\b|tekst|beskrivelse|rentedato|konto\b/i,
  sv: /belopp|bokf.ringsdag|transaktion|saldo|datum\b|rubrik|meddelande/i,
  nl: /bedrag|rekening|omschrijving|naam\b|mededeling/i,
  pl:
    /kwota|rachunek|rachunku|opis\b|przelew|saldo po|tytu|transakcji|operacji|nadawc|odbiorc|sklep/i,
  cs: /platb|.stka\b|m.na\b|popis\b|proti.|zpr.va|datum (?:za|pro|spl)|karty|prevod|p.evod|n.zev/i,
  hu: /sszeg|nyvel|forint|sz.mla|tranzakci|rt.knap|k.zlem/i,
  ro: /suma|tranzac|descriere|cont\b|valoare/i,
  hr: /iznos|opis|valuta|datum|uplata|isplata/i,
  tr: /tutar|tarih|bakiye|hesap/i,
}

/** Characters that occur in every language. */
const COMMON = /[€£§°´`’‘‚“”„–—…•·©®™«»\u00a0¤½¼²³µ±×÷¸¨¯]/

/** Letters of foreign names, such as `Café`. */
const FOREIGN = /[éèáüöäßçñ]/i

/** Maximum distance to the best score for a code page to stay possible. */
const MARGIN = 3

/** Maximum number of readings in the question to the user. */
const MAX_READINGS = 5

/**
 * Returns the decoder of a label of `TextDecoder` or of a DOS code page; undefined for an unknown
 * label.
 */
export const decoderOf = (label: string): ((bytes: Uint8Array) => string) | undefined => {
  const dos = Object.hasOwn(DOS, label.toLowerCase()) ? DOS[label.toLowerCase()] : undefined
  if (dos !== undefined)
    return (bytes) =>
      Array.from(bytes, (byte) => byte < 0x80 ? String.fromCharCode(byte) : dos[byte - 0x80]!).join(
        '',
      )
  try {
    const decoder = new TextDecoder(label)
    return (bytes) => decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns the distinct words with bytes beyond ASCII. */
const nonAsciiWords = (bytes: Uint8Array): Uint8Array[] => {
  const found = new Map<string, Uint8Array>()
  const isPart = (byte: number | undefined) =>
    byte !== undefined &&
    (byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) ||
      (byte >= 0x61 && byte <= 0x7a))
  for (
    let at = bytes.findIndex((byte) => byte >= 0x80);
    at !== -1 && at < bytes.length && found.size < 400;
    at += 1
  ) {
    if (bytes[at]! < 0x80) continue
    let from = at
    while (at - from < 30 && isPart(bytes[from - 1])) from -= 1
    let end = at + 1
    while (end - at < 30 && isPart(bytes[end])) end += 1
    const word = bytes.slice(from, end)
    found.set(word.join(), word)
    at = end - 1
  }
  return [...found.values()]
}

const isLetter = (text: string | undefined) => text !== undefined && /\p{L}/u.test(text)

/** Returns true for a character that cannot occur next to a letter: `Mi³osz`, `®iľkov`. */
const isFault = (
  before: string | undefined,
  character: string,
  after: string | undefined,
): boolean => {
  if (/[’‘´`“”„«»–—…€\u00a0]/.test(character)) return false
  if (COMMON.test(character))
    return isLetter(after) && (isLetter(before) || after === after?.toLowerCase())
  if (character === character.toLowerCase()) return false
  // a capital letter is the first one, or between capital letters
  return isLetter(before) &&
    (before !== before!.toUpperCase() || (isLetter(after) && after !== after!.toUpperCase()))
}

/**
 * Returns the log-likelihood of the words in a language, by its letters beyond ASCII. `faults`
 * counts impossible letters.
 */
function likelihood(words: string[], language: string): { sum: number, faults: number } {
  const letters = LETTERS[language]!
  const isLatin = !/\p{Script=Cyrillic}|\p{Script=Greek}/u.test(letters)
  const total = Array.from(letters).reduce((sum, _, rank) => sum + 1 / (rank + 2), 0)
  let [sum, faults] = [0, 0]
  for (const word of words) {
    for (let at = 0; at < word.length; at += 1) {
      const [before, character, after] = [word[at - 1], word[at]!, word[at + 1]]
      if (character.charCodeAt(0) < 0x80) {
        // no word mixes Latin and other letters
        if (!isLatin && isLetter(character) && isLetter(after) && after!.charCodeAt(0) >= 0x80)
          faults += 1
        continue
      }
      const rank = letters.indexOf(character === 'İ' ? 'i' : character.toLowerCase())
      const isForeign = isLatin && FOREIGN.test(character)
      if (
        isFault(before, character, after) || (rank === -1 && !isForeign && !COMMON.test(character))
      ) faults += 1
      else if (rank !== -1) {
        sum += Math.log(1 / (rank + 2) / total)
        // words of one letter are rare
        if (!isLetter(before) && !isLetter(after) && !/[àèéóºªаияоусвк]/i.test(character))
          sum -= MARGIN
      } else if (isLetter(before) || isLetter(after)) sum -= isForeign ? 4 : 2
    }
  }
  return { sum, faults }
}

/** Words beyond ASCII in known names of columns. */
const COLUMN_WORDS = new Set(
  [...usualNames(), ...Object.values(PRESETS).flatMap(({ header }) => header as readonly string[])]
    .flatMap((name) => plainName(name).match(/\p{L}{4,}/gu) ?? [])
    .filter((word) => /[^\0-\x7f]/.test(word)),
)

/** A possible code page, with sample words as it decodes them. */
export type Reading = { value: string, sample: string }

/** Returns the encodings of Japan, China and Korea that the bytes may have. */
function doubleByteReadings(bytes: Uint8Array): Reading[] {
  const highBytes = (text: string) => text.match(/[\x80-\xff]/g)?.length ?? 0
  const latin = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return Object.entries(DOUBLE_BYTE).flatMap(([value, usual]) => {
    try {
      const runs = new TextDecoder(value, { fatal: true }).decode(bytes).match(/[^\0-\x7f]+/g) ?? []
      const isUsual =
        highBytes(latin.replace(usual, '')) <= highBytes(latin) * (1 - MIN_USUAL_SHARE)
      return isUsual && runs.join('').length >= runs.length * MIN_RUN_LENGTH
        ? [{ value, sample: [...new Set(runs)].slice(0, 5).join(', ') }]
        : []
    } catch {
      return []
    }
  })
}

/**
 * Returns the code page of bytes that are not UTF-8. If the bytes do not prove one, `encoding` is
 * the best guess, and `open` has the possible code pages with the first words that they decode
 * differently.
 */
export function codePageOf(bytes: Uint8Array): { encoding: string, open: Reading[] } {
  const samples = nonAsciiWords(bytes)
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, 20_000))
  const hasControls = samples.some((word) => word.some((byte) => byte >= 0x80 && byte < 0xa0))
  const all = Object.entries(PAGES).flatMap(([value, { languages, rare, isMac }]) => {
    const decode = decoderOf(value)
    // Mac code pages have letters where others have control characters and quotation marks
    if (decode === undefined || (isMac === true && !hasControls)) return []
    const texts = samples.map((word) => decode(word))
    const columns = texts.filter((word) => COLUMN_WORDS.has(plainName(word))).length
    const scores = languages.map((language) => {
      const { sum, faults } = likelihood(texts, language)
      return {
        faults,
        score: sum - rare + (STATEMENT_TERMS[language]?.test(start) === true ? MARGIN : 0),
      }
    })
    return scores.map((score) => ({ value, texts, columns, text: texts.join(' '), ...score }))
  })
  const most = Math.max(...all.map(({ columns }) => columns))
  const readings = all.filter(({ columns }) => columns === most)
  const fewest = Math.min(...readings.map(({ faults }) => faults))
  readings.sort((one, other) => one.faults - other.faults || other.score - one.score)
  const [best] = readings
  const possible = readings.filter(({ faults, score }) =>
    fewest > 0 || (faults === 0 && score > best!.score - MARGIN)
  )
  const different = possible.filter(({ text }, at) =>
    possible.findIndex((other) => other.text === text) === at
  ).slice(0, MAX_READINGS)
  // of the code pages that decode the file alike, the most frequent one
  const usual = (text: string) =>
    Object.keys(PAGES).find((page) =>
      readings.some((reading) => reading.text === text && reading.value === page)
    )!
  // no known name of a column proves a code page
  const doubleByte = most === 0 ? doubleByteReadings(bytes) : []
  if (doubleByte.length > 0)
    return {
      encoding: doubleByte[0]!.value,
      open: [...doubleByte, {
        value: usual(best!.text),
        sample: best!.texts.slice(0, 5).join(', '),
      }],
    }
  if (different.length < 2) return { encoding: usual(best!.text), open: [] }
  const differs = samples.map((_, at) => at).filter((at) =>
    new Set(different.map(({ texts }) => texts[at])).size > 1
  ).slice(0, 5)
  return {
    encoding: usual(best!.text),
    open: different.map(({ text, texts }) => ({
      value: usual(text),
      sample: differs.map((at) => texts[at]).join(', '),
    })),
  }
}
