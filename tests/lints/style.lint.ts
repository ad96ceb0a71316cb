/**
 * Our rules of style, as far as a program can check them. Unused files and exports are the task of
 * knip.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rooms } from '../support/rooms.ts'
import {
  declaredNames,
  pathsIn,
  proseOf,
  replacements,
  sentenceRules,
  sentencesOf,
} from '../support/style.ts'

const root = join(import.meta.dirname, '../..')
/** Written by programs, or a record that never changes. */
const generated =
  /(^|\/)(package-lock\.json|CHANGELOG\.md|LICENSE|schema\.sql|errors\.md|\.terraform\.lock\.hcl)$|^client\/(database|fields|routes)\.ts$|^db\/types\.ts$|^edge\/columns\.ts$/
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  .filter((file) => file !== '' && !generated.test(file))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/**
 * The largest share of a room's sentences that may break a rule. A rule is a pattern, and some good
 * sentences break one.
 */
const tolerated = 0.06
const folders = ['.ci', '.github', ...rooms]
/** Files with prose, by their names. The scripts among them have no extension. */
const hasProse = /\.(tsx?|m?js|sql|md|sh|tf|hcl|ya?ml|tpl|conf)$|(^|\/)[\w-]+$/
const written = (prefix: string) =>
  tracked.filter((file) => file.startsWith(prefix) && hasProse.test(file))

/** Sentences that break a rule, each with its file and line. */
function findings(files: string[]): { sentences: number, broken: string[] } {
  const all = files.flatMap((file) =>
    proseOf(file, read(file)).flatMap(({ line, text }) =>
      sentencesOf(text).map((sentence) => ({ place: `${file}:${line}`, sentence }))
    )
  )
  const broken = all.flatMap(({ place, sentence }) => {
    const rules = Object.entries(sentenceRules).filter(([, holds]) => !holds(sentence))
      .map(([rule]) => rule)
    return rules.length === 0 ? [] : [`${place}: ${sentence} (${rules.join(', ')})`]
  })
  return { sentences: all.length, broken }
}

describe('sentences', () => {
  test.each([...folders.map((folder) => `${folder}/`), 'README.md', 'compose.yaml'])(
    'sentences of %s are understood at first reading',
    (room) => {
      const { sentences, broken } = findings(written(room))
      expect(sentences, 'sentences were found').toBeGreaterThan(0)
      expect(broken.length / sentences, broken.join('\n')).toBeLessThanOrEqual(tolerated)
    },
  )

  test.each<[keyof typeof sentenceRules, string, string]>([
    ['begins with the thing or a verb', 'What a member receives.', 'The response for a member.'],
    ['has at most 28 words', 'word '.repeat(29).trim(), 'word '.repeat(28).trim()],
    [
      'has at most two subordinate clauses',
      'The row that a user who left wrote when it was hers',
      'The row that a former member wrote when it was hers',
    ],
    [
      'names its actor',
      'Otherwise somebody could read it.',
      'Otherwise an attacker could read it.',
    ],
    ['is active', 'The client is told the reason.', 'The client receives the reason.'],
  ])('the rule "%s" refuses "%s" and takes "%s"', (rule, bad, good) => {
    expect(sentenceRules[rule](bad)).toBe(false)
    expect(sentenceRules[rule](good)).toBe(true)
  })

  test.each([
    [
      'a.ts',
      '/**\n * The first comment. It has two\n * sentences.\n */\nconst x = 1 // no prose\n// the second comment here',
      [
        'The first comment.',
        'It has two sentences.',
        'the second comment here',
      ],
    ],
    ['a.sql', "-- the table of rows\ncomment on table t is 'Rows of the owner''s tenant.';", [
      "Rows of the owner's tenant.",
      'the table of rows',
    ]],
    [
      'a.md',
      '# Title\n\nYou need `npm` and\nNode. Start it.\n\n| a | table of words |\n\n- Press the first button.',
      [
        'You need X and Node.',
        'Press the first button.',
      ],
    ],
    ['a.yaml', '# oxlint is a tool\nkey: value\n# the port of the edge', ['the port of the edge']],
  ])('sentences are read from %s', (file, text, expected) => {
    expect(proseOf(file, text).flatMap((prose) => sentencesOf(prose.text))).toEqual(expected)
  })
})

describe('names', () => {
  // the sample of the second test declares such names
  const code = tracked.filter((file) =>
    /\.(tsx?|mjs)$/.test(file) && file !== 'tests/lints/style.lint.ts'
  )

  test('names are words of the field', () => {
    const broken = code.flatMap((file) =>
      declaredNames(read(file)).flatMap((name) =>
        Object.hasOwn(replacements, name.toLowerCase())
          ? [`${file}: ${name} → ${replacements[name.toLowerCase()]}`]
          : []
      )
    )
    expect(broken).toEqual([])
  })

  test('names are read from declarations', () => {
    expect(
      declaredNames('const told = 1\nexport async function give() { let x }\ntype Whose = string'),
    ).toEqual(['told', 'give', 'x', 'Whose'])
  })
})

describe('files', () => {
  /** Lines that one sitting takes. A catalogue is looked up, not read. */
  const longest = 600

  test(`files have at most ${longest} lines`, () => {
    const long = tracked.filter((file) =>
      /\.(tsx?|mjs|sql|sh|tf)$/.test(file) && !file.includes('/messages/') &&
      read(file).split('\n').length > longest
    )
    expect(long).toEqual([])
  })

  /** Comments of code, and all of a document: its tables name files too. */
  const textOf = (file: string) =>
    file.endsWith('.md') ? read(file) : proseOf(file, read(file)).map(({ text }) => text).join('\n')

  test('files that comments and documents name exist', () => {
    const immutable = /^db\/migrations\//
    const missing = tracked.filter((file) =>
      /\.(tsx?|mjs|sql|md|sh|ya?ml|tf)$/.test(file) && !immutable.test(file) &&
      file !== 'tests/lints/style.lint.ts'
    )
      .flatMap((file) =>
        pathsIn(textOf(file)).filter((path) => !existsSync(join(root, path))).map((path) =>
          `${file}: ${path}`
        )
      )
    expect(missing).toEqual([])
  })

  test('files of docs/ are in their index', () => {
    const isListed = (file: string) => {
      const folder = file.startsWith('docs/decisions/') ? 'docs/decisions/' : 'docs/'
      return read(`${folder}README.md`).includes(`](${file.slice(folder.length)})`)
    }
    expect(
      tracked.filter((file) =>
        /^docs\/.+\.md$/.test(file) && !file.endsWith('README.md') && !isListed(file)
      ),
    ).toEqual([])
  })

  test('files are found by their paths', () => {
    expect(pathsIn('See db/transactions/tags.sql and `auth/main.ts`, not ./auth/x.ts or docs.'))
      .toEqual(['db/transactions/tags.sql', 'auth/main.ts'])
  })
})
