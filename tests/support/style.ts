/**
 * The rules of style that a program can check. tests/lints/style.lint.ts applies them to the tree.
 */
import { rooms } from './rooms.ts'

/** A comment, or a paragraph of Markdown, with the number of its first line. */
export type Prose = { line: number, text: string }

/** Paragraphs and list items of Markdown. Code, tables, headings and HTML are not prose. */
function* markdownProse(text: string): Generator<Prose> {
  let isCode = false
  let found: Prose | undefined
  for (const [at, line] of text.split('\n').entries()) {
    const isFence = /^\s*(```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    const isProse = !isFence && !isCode && !/^\s*([|#<]|!\[|$)/.test(line)
    if (found !== undefined && (!isProse || /^\s*([-*]|\d+\.)\s/.test(line))) {
      yield found
      found = undefined
    }
    if (!isProse) continue
    const content = line.replace(/^\s*([-*]|\d+\.)\s+/, '').trim()
    if (found === undefined) found = { line: at + 1, text: content }
    else found.text += ` ${content}`
  }
  if (found !== undefined) yield found
}

/**
 * Comments of `/*` and the documentation of a SQL object, as patterns with the prose in the first
 * group.
 */
const blocks = {
  slash: /^[ \t]*\/\*\*?([\s\S]*?)\*\//gm,
  sql: /\bcomment on [^;]*?\bis\s+(E?'(?:[^']|''|'\s*\n\s*')*');/gi,
}

/**
 * Lines that begin with a marker are one comment as long as they follow each other. Directives of
 * tools are no prose.
 */
function* lineProse(text: string, marker: RegExp): Generator<Prose> {
  let found: Prose | undefined
  for (const [at, line] of text.split('\n').entries()) {
    const content = marker.exec(line)?.[1]
    const isProse = content !== undefined &&
      !/^(oxlint|@ts|dprint|shellcheck|squawk|name:|!)/.test(content)
    if (isProse && found !== undefined) found.text += ` ${content.trim()}`
    else if (isProse) found = { line: at + 1, text: content.trim() }
    else if (found !== undefined) {
      yield found
      found = undefined
    }
  }
  if (found !== undefined) yield found
}

/** Returns the text of adjacent literals of SQL. */
const literalsOf = (literals: string): string =>
  literals.replace(/^E?'|'$/g, '').replace(/'\s*\n\s*'/g, '').replaceAll("''", "'").replaceAll(
    String.raw`\n`,
    '\n',
  )

/** All prose of a file, in no order. */
export function proseOf(file: string, text: string): Prose[] {
  if (file.endsWith('.md')) return [...markdownProse(text)]
  const isSql = file.endsWith('.sql')
  const isScript = /\.(tsx?|m?js)$/.test(file)
  const pattern = isSql ? blocks.sql : isScript ? blocks.slash : undefined
  const inBlocks = pattern === undefined ? [] : [...text.matchAll(pattern)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    text: (isSql ? literalsOf(match[1] ?? '') : match[1] ?? '').replace(/\n\s*\*?\s?/g, ' ').trim(),
  }))
  return [
    ...inBlocks,
    ...lineProse(text, isSql ? /^\s*--\s?(.*)$/ : isScript ? /^\s*\/\/\s?(.*)$/ : /^\s*#\s?(.*)$/),
  ]
}

/** Sentences of three words or more. Code and links count as one word. */
export const sentencesOf = (text: string): string[] =>
  text.replace(/`[^`]*`/g, 'X').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\*\*/g, '')
    .split(/(?<=[.!?:])\s+(?=[A-Z"'(@])|\s@(?=param|returns|throws)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(/\s+/).length > 2)

const subordinates =
  /\b(who(m|se|ever)?|which|that|what(ever)?|where|whether|when|while|because|unless|until)\b/gi

/** Kinds of sentences that a reader reads twice. */
export const sentenceRules = {
  'begins with the thing or a verb': (sentence: string) =>
    !/^(What(ever)?|Who(se|m|ever)?|Where|How|Which|That|Of|Or|As)\s[^?]*$/.test(sentence),
  'has at most 28 words': (sentence: string) => sentence.split(/\s+/).length <= 28,
  'has at most two subordinate clauses': (sentence: string) =>
    (sentence.match(subordinates) ?? []).length <= 2,
  'names its actor': (sentence: string) =>
    !/\b(whoever|whom|somebody|nobody|anybody|whose|those who|one who)\b/i.test(sentence),
  'is active': (sentence: string) =>
    !/\b(is|are|was|were|be|been|being) ((not|never|still|also|only|then) )?(told|said|asked|shown|known|taken|given|meant|left|kept|heard|learnt)\b/i
      .test(
        sentence,
      ),
} satisfies Record<string, (sentence: string) => boolean>

/**
 * Rules of the English texts that users read. They find the commonest idioms that are not English.
 */
export const textRules = {
  'uses one word for one thing: email, team or workspace, undo, saved': (text: string) =>
    !/\b(e-mails?|mails?|context|tak(e|en) back|stored)\b/i.test(text),
  'names its actor': (text: string) =>
    !/\b(whoever|somebody|nobody|anybody|everybody)\b/i.test(text),
  'says "is not a", not "is no"': (text: string) =>
    !/\b(is|are|was) (no(?! longer)|none)\b/.test(text),
  'is a label or a question, not one without its mark': (text: string) =>
    !/^(How|What|Who|Whose|Which|Where) [^?,:…]*$/.test(text),
  'has no idiom of another language': (text: string) =>
    !/\b(anew|dated ahead|alone|apart|beside|go(es)? on|one's|of (yours|its own|your own)|meanwhile)\b/i
      .test(text),
} satisfies Record<string, (text: string) => boolean>

/**
 * Checks that a key of a catalogue names a place, such as `team.removeHint`, and not the first
 * words of a text.
 */
export const isPlace = (key: string): boolean =>
  !/(^an?|The|An?)(?=[A-Z]|$)/.test(key) && key.split(/(?=[A-Z])/).length <= 4

/** Names that say nothing about what they hold, with the field's names for it. */
export const replacements: Record<string, string> = {
  told: 'context',
  asked: 'request, credentials or requested',
  own: 'the thing that is owned',
  known: 'existing, the thing that is known',
  held: 'cached, the thing that is held',
  shown: 'visible or verified',
  whose: 'owner, resolveUser',
  give: 'issue, grant',
  here: 'current, session',
  words: 'messages, text',
  places: 'slots',
  turns: 'locks, queue',
  tell: 'notify, report',
  heard: 'received',
}

/** Names that a TypeScript file declares. */
export const declaredNames = (text: string): string[] =>
  [...text.matchAll(/\b(?:const|let|function\*?|type|class|interface)\s+([A-Za-z_$][\w$]*)/g)]
    .map(([, name = '']) => name)

const inRoom = new RegExp(
  String.raw`(?<![\w/.$\-}~*])((?:${
    rooms.join('|')
  })/[\w./-]*\w\.(?:ts|tsx|sql|md|sh|ya?ml|tf|json))\b`,
  'g',
)

/** Paths in comments and documents that look like a file of the tree. */
export const pathsIn = (text: string): string[] =>
  [...text.matchAll(inRoom)]
    .map(([, path = '']) => path)
