/** Parses XML and the SGML of OFX 1 to one kind of tree, for the readers of CAMT and OFX. */
import { parseXml, XmlCdata, XmlElement, XmlError, XmlText } from '@rgrove/parse-xml'
import { StatementError } from './types.ts'

export type Tree = {
  name: string
  line: number
  text: string
  attributes: Record<string, string>
  children: Tree[]
}

/** Maximum depth. No real statement is deeper; a deeper file is malicious. */
const MAX_DEPTH = 100

/** Returns a function that converts an offset in the text to its line, from 1. */
function lineAt(text: string): (offset: number) => number {
  const ends: number[] = []
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) ends.push(at)
  return (offset) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

/**
 * Parses well-formed XML. Ignores entity definitions of the file, so that none can expand without
 * bound.
 *
 * @throws StatementError with the line of the error
 */
export function xmlTree(text: string): Tree {
  const blank = text.length - text.trimStart().length
  const line = lineAt(text)
  const plain = (element: XmlElement, depth: number): Tree => {
    if (depth > MAX_DEPTH)
      throw new StatementError('The file is nested too deeply to be a statement.')
    const node: Tree = {
      name: element.name.replace(/^.*:/, ''),
      line: line(blank + element.start),
      text: '',
      attributes: element.attributes,
      children: [],
    }
    for (const child of element.children) {
      if (child instanceof XmlElement) node.children.push(plain(child, depth + 1))
      else if (child instanceof XmlText || child instanceof XmlCdata) node.text += child.text
    }
    node.text = node.text.trim()
    return node
  }
  try {
    const root = parseXml(text.slice(blank), { includeOffsets: true }).root
    if (root !== null) return plain(root, 0)
  } catch (error) {
    if (error instanceof RangeError)
      throw new StatementError('The file is nested too deeply to be a statement.')
    if (error instanceof XmlError) {
      throw new StatementError(
        `Line ${line(blank) - 1 + error.line} is not well-formed XML: ${
          error.message.replace(/ \(line[^]*/, '')
        }.`,
      )
    }
    throw error
  }
  throw new StatementError('The file has no content.')
}

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: `'`,
  nbsp: ' ',
}

/** Replaces the predefined and the numeric entities. */
export const unescaped = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name]! : whole
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
      return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
    },
  )

/** Removes comments but keeps their line breaks. A comment without an end is text. */
function withoutComments(text: string): string {
  const parts: string[] = []
  let done = 0
  for (let at = text.indexOf('<!--'); at !== -1; at = text.indexOf('<!--', done)) {
    const end = text.indexOf('-->', at + 4)
    if (end === -1) break
    parts.push(text.slice(done, at), text.slice(at, end + 3).replace(/[^\n]/g, ''))
    done = end + 3
  }
  return parts.join('') + text.slice(done)
}

/**
 * Parses the SGML of OFX 1. An element with a value needs no closing tag; an element without a
 * closing tag or value is empty. A `<` that begins no tag is text, and so is a `&` that begins no
 * entity.
 *
 * @returns the root, and `whole`, which is false if the file ends inside an element
 * @throws StatementError if the tree is too deep
 */
export function sgmlTree(source: string): { root: Tree, whole: boolean } {
  const text = withoutComments(source)
  const line = lineAt(text)
  const root: Tree = { name: '', line: 1, text: '', attributes: {}, children: [] }
  const open = [root]
  const leave = (name: string) => {
    const depth = open.map((element) => element.name).lastIndexOf(name)
    // the closing tag of a value, or of an element that is not open
    if (depth < 1) return
    while (open.length > depth + 1) {
      const empty = open.pop()!
      for (const inside of empty.children.splice(0)) open.at(-1)!.children.push(inside)
    }
    open.pop()
  }
  let at = text.indexOf('<')
  let close = -1
  while (at !== -1) {
    if (close <= at) close = text.indexOf('>', at)
    if (close === -1) break
    const tag = close - at > 80
      ? null
      : /^(\/?)([A-Za-z][\w.:-]*)(?:\s[^<]*)?\/?$/.exec(text.slice(at + 1, close))
    let next = text.indexOf('<', tag === null ? at + 1 : close)
    if (tag !== null) {
      // the value ends at the next tag, not at the next `<`
      while (next !== -1 && !/^<[/A-Za-z]/.test(text.slice(next, next + 2)))
        next = text.indexOf('<', next + 1)
      const [, slash, name = ''] = tag
      const upperName = name.toUpperCase()
      if (slash === '/') leave(upperName)
      else {
        const element = {
          name: upperName,
          line: line(at),
          text: unescaped(text.slice(close + 1, next === -1 ? undefined : next)).trim(),
          attributes: {},
          children: [],
        }
        open.at(-1)!.children.push(element)
        if (element.text === '') open.push(element)
        if (open.length > MAX_DEPTH)
          throw new StatementError('The file is nested too deeply to be a statement.')
      }
    }
    at = next
  }
  return { root, whole: open.length === 1 }
}

/** Returns the first element at a path of names, or undefined. */
export const child = (tree: Tree | undefined, path: string): Tree | undefined =>
  path.split('/').reduce<Tree | undefined>(
    (at, name) => at?.children.find((element) => element.name === name),
    tree,
  )

/** Returns the text of the element at a path, or ''. */
export const textAt = (tree: Tree | undefined, path: string): string =>
  child(tree, path)?.text ?? ''

/** Returns all elements with one of these names at any depth, except those inside another match. */
export function every(tree: Tree, names: string[]): Tree[] {
  return tree.children.flatMap((element) =>
    names.includes(element.name) ? [element] : every(element, names)
  )
}
