/**
 * All texts of the reference app are in its message catalogue, each error of the service has German
 * words, and each CSS class belongs to one style sheet.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vite'
import { english } from '../../app/src/messages/service-sentences.ts'
import { german } from '../../app/src/messages/service-sentences-german.ts'
import { errorCodes } from '../../common/error-codes.ts'
import { isPlace, textRules } from '../support/style.ts'

const source = join(import.meta.dirname, '../../app/src')
const read = (file: string) => readFileSync(join(source, file), 'utf8')

type Node = { type: string, start: number, value?: unknown, [part: string]: unknown }

const partsOf = (node: Node): Node[] =>
  Object.values(node).flat().filter((part): part is Node =>
    typeof part === 'object' && part !== null && typeof (part as Node).type === 'string'
  )

/** Attributes with values that users read or hear. */
const attributes = [
  'action',
  'alt',
  'aria-label',
  'data-label',
  'hint',
  'label',
  'placeholder',
  'problem',
  'title',
]

const hasWord = (text: unknown) => typeof text === 'string' && /\p{L}{2}/u.test(text)

/** Returns the texts of a component: between tags, in attributes, and in expressions at both. */
function textsOf(node: Node, isShown = false): string[] {
  if (node.type === 'JSXText' || (isShown && node.type === 'Literal'))
    return hasWord(node.value)
      ? [String(node.value).trim()]
      : []
  if (isShown && node.type === 'TemplateElement')
    return hasWord((node.value as { cooked: string }).cooked)
      ? [(node.value as { cooked: string }).cooked]
      : []
  if (node.type === 'JSXAttribute') {
    const { name } = node['name'] as { name: string }
    return partsOf(node).flatMap((part) => textsOf(part, attributes.includes(name)))
  }
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
    const children = node['children'] as Node[]
    return [
      ...partsOf(node).filter((part) => !children.includes(part)).flatMap((part) => textsOf(part)),
      ...children.flatMap((child) => textsOf(child, true)),
    ]
  }
  // Only the branches of a conditional expression are displayed.
  if (isShown && node.type === 'ConditionalExpression')
    return [node['consequent'], node['alternate']].flatMap((part) => textsOf(part as Node, true))
  if (isShown && node.type === 'LogicalExpression') return textsOf(node['right'] as Node, true)
  const keeps = ['JSXExpressionContainer', 'TemplateLiteral'].includes(node.type)
  return partsOf(node).flatMap((part) => textsOf(part, isShown && keeps))
}

/** Returns the arguments of toasts and outcomes, which users also read. */
const toastTextsOf = (text: string) =>
  [...text.matchAll(/(?:\btoast\(|\btext: )(['`][^'`]*\p{L}{2}[^'`]*['`])/gu)]
    .map(([, said = '']) => said)

test('no component contains a text of its own', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter((file) =>
    !file.endsWith('.test.ts') && !file.startsWith('messages/')
  )
  expect(files.length).toBeGreaterThan(80)
  const literals = files.flatMap((file) => {
    const text = read(file)
    const texts = [
      ...file.endsWith('.tsx') ? textsOf(parseAst(text, { lang: 'tsx' }) as unknown as Node) : [],
      ...toastTextsOf(text),
    ]
    return texts.map((said) => `${file}: ${said}`)
  })
  expect(literals).toEqual([])
})

/** A text of a catalogue with the key that it is under. Values of a template are `X`. */
type Entry = { key: string, text: string }

/** Returns the texts of a language, in the syntax tree of a catalogue. */
function entriesOf(node: Node, key = ''): Entry[] {
  if (node.type === 'Property') {
    const { name, value } = node['key'] as { name?: string, value?: unknown }
    return entriesOf(node['value'] as Node, name ?? String(value))
  }
  if (node.type === 'Literal')
    return typeof node.value === 'string'
      ? [{ key, text: node.value }]
      : []
  if (node.type === 'TemplateLiteral') {
    const text = (node['quasis'] as Array<{ value: { cooked: string } }>).map(({ value }) =>
      value.cooked
    ).join('X')
    return [
      { key, text },
      ...(node['expressions'] as Node[]).flatMap((part) => entriesOf(part, key)),
    ]
  }
  return partsOf(node).flatMap((part) => entriesOf(part, key))
}

/** Returns the English texts of all catalogues, with their files. */
const englishTexts = () =>
  globSync('messages/*.ts', { cwd: source }).flatMap((file) => {
    const languages = (node: Node): Node[] =>
      node.type === 'Property' && (node['key'] as { name?: string }).name === 'en'
        ? [node['value'] as Node]
        : partsOf(node).flatMap(languages)
    return languages(parseAst(read(file), { lang: 'ts' }) as unknown as Node).flatMap((node) =>
      entriesOf(node)
    ).map((entry) => ({ file, ...entry }))
  })

test('English texts are English, and their keys name a place', () => {
  const texts = englishTexts()
  expect(texts.length).toBeGreaterThan(1_200)
  const broken = texts.flatMap(({ file, key, text }) =>
    Object.entries(textRules).filter(([, holds]) => !holds(text)).map(([rule]) =>
      `${file}: ${text} (${rule})`
    )
      .concat(
        /^[a-z]+([A-Z]+[a-z]*)*$/.test(key) && !isPlace(key) ? [`${file}: the key ${key}`] : [],
      )
  )
  expect(broken).toEqual([])
})

test.each([
  ['Your e-mail address', 'Your email address'],
  ['Somebody has changed it.', 'Another user has changed it.'],
  ['This is no amount.', 'That isn’t an amount.'],
  ['What it counts', 'What does it count?'],
  ['The transfer goes on', 'The transfer continues'],
])('a text "%s" breaks a rule, and "%s" keeps all', (bad, good) => {
  const keeps = (text: string) => Object.values(textRules).every((holds) => holds(text))
  expect([keeps(bad), keeps(good)]).toEqual([false, true])
  expect([isPlace('removeHint'), isPlace('theyNoLongerSeeWhat'), isPlace('makeAKey')]).toEqual([
    true,
    false,
    false,
  ])
})

/**
 * The style sheets of features, each with the prefix of its classes. All other style sheets are
 * shared.
 */
const prefixes: Record<string, string> = {
  'pages/statement/statement.css': 'statement',
  'pages/recurring/forecast.css': 'forecast',
  'parts/combobox.css': 'combobox',
  'styles/activity.css': 'activity',
  'styles/dashboards.css': 'dashboard',
  'styles/entry.css': 'entry',
  'styles/import.css': 'import',
  'styles/notices.css': 'notice',
  'styles/reports.css': 'report',
  'styles/shell.css': 'shell',
  'pages/budgets/budgets.css': 'budget',
  'pages/inbox/inbox.css': 'inbox',
  'pages/recurring/recurring.css': 'recurring',
  'pages/transactions/transactions.css': 'tx',
}

test('a class is styled by the one sheet with its prefix, and each class of a component is styled', () => {
  const sheets = globSync('**/*.css', { cwd: source }).filter((file) => file !== 'styles/all.css')
  const classesOf = new Map(
    sheets.map((file) => [
      file,
      new Set([...read(file).matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name)),
    ]),
  )
  const ownerOf = (name: string) =>
    Object.entries(prefixes).find(([, prefix]) => name === prefix || name.startsWith(`${prefix}-`))
      ?.[0]
  const shared = new Set(
    sheets.filter((file) => prefixes[file] === undefined).flatMap((
      file,
    ) => [...classesOf.get(file) ?? []]),
  )
  const misplaced = sheets.flatMap((file) =>
    [...classesOf.get(file) ?? []].filter((name) => {
      const owner = ownerOf(name)
      return owner === undefined ? !shared.has(name) : owner !== file
    }).map((name) => `${file}: ${name}`)
  )
  expect(misplaced).toEqual([])
  const used = globSync('**/*.tsx', { cwd: source }).flatMap((file) =>
    [...read(file).matchAll(/className=(?:'([^']*)'|\{[^{}]*?'([^'$]*)'(?: : '([^'$]*)')?\})/g)]
      .flatMap(([, ...values]) =>
        values.flatMap((value) => value?.split(' ') ?? []).filter((name) => name !== '')
          .map((name) => ({ file, name }))
      )
  )
  const all = new Set([...classesOf.values()].flatMap((names) => [...names]))
  expect(used.length).toBeGreaterThan(150)
  expect(used.filter(({ name }) => !all.has(name))).toEqual([])
  const text = globSync('**/*.tsx', { cwd: source }).map(read).join('\n')
  expect([...all].filter((name) => !new RegExp(`['\` ]${name}['\` ]`).test(text))).toEqual([])
})

test('each error of the auth surface has a German sentence', () => {
  // those with sentences of the app's own stand in errors.ts, in both languages
  const ofTheApp = read('messages/errors.ts')
  const missing = Object.keys(errorCodes).filter((code) =>
    !(code in german) && !new RegExp(`^ +${code}:`, 'm').test(ofTheApp)
  )
  expect(missing).toEqual([])
})

test('the limits in the app’s sentences are those of the service', () => {
  const numbersOf = (sentence: string | undefined) => sentence?.match(/\d+/g)
  for (const [code, [, sentence]] of Object.entries(errorCodes)) {
    if (!code.endsWith('_LIMIT_REACHED')) continue
    const ofTheApp = [german[code], english[code] ?? sentence].map(numbersOf)
    expect([code, ...ofTheApp]).toEqual([code, numbersOf(sentence), numbersOf(sentence)])
  }
})
