/**
 * Splits and joins JSON text without parsing its values. PostgreSQL's numbers can have more digits
 * than JavaScript's, and keep all of them this way.
 */

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g

/** Splits the text between the outermost brackets at its top-level commas. */
function* split(text: string): Generator<string> {
  let depth = 0
  let start = 0
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '[' || token === '{') {
      depth += 1
      if (depth === 1) start = index + 1
    } else if (token === ']' || token === '}') {
      depth -= 1
      if (depth === 0 && text.slice(start, index).trim() !== '') yield text.slice(start, index)
    } else if (token === ',' && depth === 1) {
      yield text.slice(start, index)
      start = index + 1
    }
  }
}

/** Returns the JSON text of each array element, on one line. */
export const elements = (array: string): string[] =>
  [...split(array)].map((value) => value.replace(/[\r\n]/g, ' ').trim())

/** Returns the members of an object: name → JSON text of its value. */
export function members(object: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const member of split(object)) {
    const name = /^\s*("[^"\\]*(?:\\.[^"\\]*)*")\s*:/.exec(member)
    if (name !== null)
      found.set(JSON.parse(name[1]!) as string, member.slice(name[0].length).trim())
  }
  return found
}

/** Returns the text of an object. The values are JSON text already. */
export const objectOf = (values: Iterable<[name: string, value: string]>): string =>
  `{${Array.from(values, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
