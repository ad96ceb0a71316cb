/**
 * Every command in the operator pages of docs/ is run by a test. This file needs no containers: it
 * checks that none is missed.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rooms } from '../support/rooms.ts'
import { commandsOf, fencesOf, files, marks, pages, textOf } from '../support/doc-commands.ts'

const root = join(import.meta.dirname, '../..')

describe.each(Object.entries(pages))('%s', (page, run) => {
  test('has only code blocks that are files, marked, or run by a test', () => {
    const infos = fencesOf(page).map(({ info }) => info)
    const allowed = [
      ...files,
      ...Object.keys(marks).map((mark) => `sh ${mark}`),
      ...(run === null ? [] : ['sh', 'crontab']),
    ]
    expect(infos.filter((info) => !allowed.includes(info))).toEqual([])
  })

  test('is run by the test that is named for it', () => {
    if (run === null) return
    const source = readFileSync(join(root, run.test), 'utf8')
    const commands = commandsOf(page).filter(({ mark }) => mark === undefined)
    if (run.pastes) {
      const pasted = [...source.matchAll(/\bpaste\(\s*'(docs\/[\w-]+\.md)',\s*'([^']*)'/g)]
        .filter(([, from]) => from === page)
      const starts = pasted.map(([, , start = '']) => start)
      expect(
        commands.map((
          { text },
          index,
        ) => (text.startsWith(`${starts[index]}`) ? starts[index] : text)),
      ).toEqual(starts)
    } else {
      const programs = commands.filter(({ from }) => from === 'fence').flatMap(({ text }) =>
        text.match(/infra\/\w+\/\w+/g) ?? []
      )
      expect(programs.filter((program) => !source.includes(program))).toEqual([])
    }
  })
})

test.each(Object.entries(pages).filter(([, run]) => run?.pastes))(
  'every command of %s can be pasted: it has no placeholder and no omission',
  (page) => {
    expect(commandsOf(page).map(({ text }) => text).filter((text) => /<[\w-]+>|…/.test(text)))
      .toEqual([])
  },
)

test('each symptom of the runbook has at most six commands, and is in its first table', () => {
  const [start = '', ...symptoms] = textOf('docs/runbook.md').split('\n## ')
  for (const symptom of symptoms) {
    const title = symptom.split('\n', 1)[0] ?? ''
    const commands = [...symptom.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, lines = '']) =>
      lines.trim().split('\n')
    )
    expect(commands.length, title).toBeGreaterThan(0)
    expect(commands.length, title).toBeLessThanOrEqual(6)
    expect(start).toContain(`[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`)
  }
})

test('Git ignores no source file', () => {
  const ignored = execFileSync('git', [
    'ls-files',
    '-oi',
    '--directory',
    '--exclude-standard',
    ...rooms,
  ], {
    cwd: root,
    encoding: 'utf8',
  })
  // State files of tools.
  expect(
    ignored.split('\n').filter((path) =>
      path !== '' &&
      !/(node_modules|dist)\/|\.terraform|tfstate|infra\/monitoring\/alertmanager\.yml|\.log$/.test(
        path,
      )
    ),
  ).toEqual([])
})
