/** Who reads docs/ for operators can paste what stands there, because a test does. Without an engine: that none is forgotten. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandsOf, fencesOf, files, marks, pages } from '../support/doc-commands.ts'

const root = join(import.meta.dirname, '../..')

describe.each(Object.entries(pages))('%s', (page, run) => {
  test('has no fence that is neither a file, nor marked, nor run', () => {
    const infos = fencesOf(page).map(({ info }) => info)
    const known = [...files, ...Object.keys(marks).map((mark) => `sh ${mark}`), ...(run === null ? [] : ['sh', 'crontab'])]
    expect(infos.filter((info) => !known.includes(info))).toEqual([])
  })

  test('is run by the test that is named for it', () => {
    if (run === null) return
    const source = readFileSync(join(root, run.test), 'utf8')
    const commands = commandsOf(page).filter(({ mark }) => mark === undefined)
    if (run.pastes) {
      const pasted = [...source.matchAll(/\bpaste\('(docs\/[\w-]+\.md)', '([^']*)'/g)].filter(([, from]) => from === page)
      const starts = pasted.map(([, , start = '']) => start)
      expect(commands.map(({ text }, index) => (text.startsWith(`${starts[index]}`) ? starts[index] : text))).toEqual(starts)
    } else {
      const programs = commands.filter(({ from }) => from === 'fence').flatMap(({ text }) => text.match(/infra\/\w+\/\w+/g) ?? [])
      expect(programs.filter((program) => !source.includes(program))).toEqual([])
    }
  })
})

test.each(Object.entries(pages).filter(([, run]) => run?.pastes))('every command of %s can be pasted: no placeholder, nothing left out', (page) => {
  expect(commandsOf(page).map(({ text }) => text).filter((text) => /<[\w-]+>|…/.test(text))).toEqual([])
})

test('git ignores no source, as it once did with all of infra/docker/backups', () => {
  const ignored = execFileSync('git', ['ls-files', '-oi', '--directory', '--exclude-standard', 'admin', 'auth', 'common', 'db', 'edge', 'infra', 'tests'], {
    cwd: root,
    encoding: 'utf8',
  })
  // state that tools leave there
  expect(
    ignored.split('\n').filter((path) => path !== '' && !/node_modules\/|\.terraform|tfstate|infra\/monitoring\/alertmanager\.yml|\.log$/.test(path)),
  ).toEqual([])
})
