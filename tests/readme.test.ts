/**
 * The commands of the README, and the files that pages name. tests/start/start.test.ts runs the
 * main job.
 */
import { globSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './start/support.ts'
import { commandsOf } from './support/main-job.ts'

test('one command of the README runs the product, and one runs the tests', () => {
  expect(commandsOf('Run it')[0]).toBe('npm ci && npm start\n')
  expect(commandsOf('Test it')).toEqual(['npm ci && npm test\n'])
})

test.each(['README.md', '.github/CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })])(
  'every file that %s names exists',
  async (page) => {
    const named = [
      ...(await readFile(join(root, page), 'utf8')).matchAll(
        /`((?:\.ci|auth|db|docs|infra|tests)\/[\w./-]*)`/g,
      ),
    ].map(([, path = '']) => path)
    await Promise.all(
      named.map((path) => expect(access(join(root, path)), path).resolves.toBeUndefined()),
    )
  },
)
