/**
 * JSON that is taken apart and put together without reading its values: a number of PostgreSQL has more digits than JavaScript's
 * numbers, and stays as it is written.
 */

const marks = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g

/** The text between the outermost brackets, cut at the commas of its own level. */
function* cut(text: string): Generator<string> {
  let depth = 0
  let start = 0
  for (const { 0: mark, index } of text.matchAll(marks)) {
    if (mark === '[' || mark === '{') {
      depth += 1
      if (depth === 1) start = index + 1
    } else if (mark === ']' || mark === '}') {
      depth -= 1
      if (depth === 0 && text.slice(start, index).trim() !== '') yield text.slice(start, index)
    } else if (mark === ',' && depth === 1) {
      yield text.slice(start, index)
      start = index + 1
    }
  }
}

/** Each value of an array, on one line. */
export const elements = (array: string): string[] => [...cut(array)].map((value) => value.replace(/[\r\n]/g, ' ').trim())

/** Each member of an object: its name, and its value as it is written. */
export function members(object: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const member of cut(object)) {
    const name = /^\s*("[^"\\]*(?:\\.[^"\\]*)*")\s*:/.exec(member)
    if (name !== null) found.set(JSON.parse(name[1]!) as string, member.slice(name[0].length).trim())
  }
  return found
}

/** An object of values that are JSON already. */
export const objectOf = (values: Iterable<[name: string, value: string]>): string =>
  `{${Array.from(values, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
