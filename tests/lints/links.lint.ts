/** Links of the pages lead to files and headings that exist, and decisions have one form. */
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  .filter((file) => existsSync(join(root, file)))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = tracked.filter((file) => file.endsWith('.md'))

/** Returns a page without its blocks of code, whose lines can look like headings and links. */
const proseOf = (page: string) => read(page).replace(/^( *)(```|~~~)[^]*?^\1\2/gm, '')

/**
 * Returns the anchors of a page, as GitHub makes them. A heading that repeats another gets a
 * number.
 */
function anchorsOf(page: string): string[] {
  const counts = new Map<string, number>()
  return [...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replace(
      /[^\p{L}\p{N}\p{M}_\- ]/gu,
      '',
    ).trim().replaceAll(' ', '-')
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

/** Returns true if a file exists and has the anchor. The anchor is empty for the file itself. */
function leads(file: string, anchor: string): boolean {
  if (!existsSync(join(root, file))) return false
  return anchor === '' || !file.endsWith('.md') || anchorsOf(file).includes(anchor)
}

test('links of pages lead to files and headings that exist', () => {
  const broken = pages.flatMap((page) =>
    [...proseOf(page).replace(/`[^`\n]*`/g, '').matchAll(/\]\((?!\w+:|\/)([^)#\s]*)#?([^)\s]*)\)/g)]
      .filter(([, path = '', anchor = '']) =>
        !leads(path === '' ? page : normalize(join(dirname(page), path)), anchor)
      )
      .map(([, path, anchor]) => `${page}: ${path}#${anchor}`)
  )
  expect(broken).toEqual([])
})

test('comments name headings of decisions that exist', () => {
  const broken = tracked.filter((file) =>
    !/\.(md|png|woff2)$/.test(file) && lstatSync(join(root, file)).isFile()
  ).flatMap((file) =>
    [...read(file).matchAll(/\bdocs\/decisions\/([\w-]+)\.md(?:#([\w-]+))?/g)]
      .filter(([, page, anchor = '']) => !leads(`docs/decisions/${page}.md`, anchor))
      .map(([name]) => `${file}: ${name}`)
  )
  expect(broken).toEqual([])
})

/** Maximum number of lines of a decision without its heading and date. Five to eight are usual. */
const longest = 10
const decisions = pages.filter((page) =>
  /^docs\/decisions\/.+\.md$/.test(page) && !page.endsWith('README.md')
)

test.each(decisions)(
  '%s has its newest decision first, each with its date, question, choice, tests, and what would change it',
  (page) => {
    const entries = read(page).split(/^## /m).slice(1)
    const wrong = entries.filter((entry) =>
      !/^.+\n\n20\d\d-\d\d-\d\d.*\n\n- \*\*Question:\*\* [^]*\n- \*\*Choice:\*\* [^]*\n- \*\*Reconsider:\*\* [^]*\n- \*\*Tests:\*\* /
        .test(entry)
    )
    expect(wrong.map((entry) => entry.split('\n', 1)[0])).toEqual([])
    const long = entries.filter((entry) => entry.trim().split('\n').length > 4 + longest)
    expect(long.map((entry) => entry.split('\n', 1)[0]), `at most ${longest} lines`).toEqual([])
    const days = entries.map((entry) => entry.split('\n')[2]?.slice(0, 10) ?? '')
    expect(days).toEqual(days.toSorted((a, b) => b.localeCompare(a)))
  },
)
