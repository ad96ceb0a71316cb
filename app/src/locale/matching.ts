/** Finds rows by typed text. */

/**
 * Letters that stay after a text is decomposed, and the ASCII letters that find them. The database
 * has the same: `private.without_accents()`.
 */
const otherLetters: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

/** Returns a text without case and accents, so that `u` finds `ü`. */
export const folded = (text: string): string =>
  text.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '').toLowerCase().replaceAll(
    /[ßøłđðıςæœþ]/g,
    (letter) => otherLetters[letter] ?? letter,
  ).trim()

/**
 * Returns how well a name matches: 0 for the same text, 1 at its start, 2 at the start of a word, 3
 * inside of a word; null if it does not.
 */
function rankOf(name: string, query: string): number | null {
  const [text, part] = [folded(name), folded(query)]
  const at = text.indexOf(part)
  if (at < 0) return null
  if (text === part) return 0
  if (at === 0) return 1
  return text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(part)) ? 2 : 3
}

/** Returns the matching rows, the best first. Rows of one rank keep their order. */
export function matching<One>(
  rows: readonly One[],
  query: string,
  nameOf: (row: One) => string,
): One[] {
  if (folded(query) === '') return [...rows]
  const ranked = rows.flatMap((row) => {
    const rank = rankOf(nameOf(row), query)
    return rank === null ? [] : [{ row, rank }]
  })
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ row }) => row)
}
