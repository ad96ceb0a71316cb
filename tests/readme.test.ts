/** Runs the commands of the README. */
import { execFile } from 'node:child_process'
import { globSync, renameSync, writeFileSync } from 'node:fs'
import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDirectory, remove, root, start, stop, type Run } from './local/support.ts'
import { commandsOf, expectFirstTeam, expectMainJob, firstTeam, mainJob } from './support/main-job.ts'

test('one command of the README runs the product, and one runs the tests', () => {
  expect(commandsOf('Run it')[0]).toBe('npm ci && npm start\n')
  expect(commandsOf('Test it')).toEqual(['npm ci && npm test\n'])
})

test.each(['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })])('every file that %s names exists', async (page) => {
  const named = [...(await readFile(join(root, page), 'utf8')).matchAll(/`((?:\.ci|auth|db|docs|infra|tests)\/[\w./-]*)`/g)].map(([, path = '']) => path)
  await Promise.all(named.map((path) => expect(access(join(root, path)), path).resolves.toBeUndefined()))
})

describe('the main job and the first team, pasted from the README', () => {
  let directory: string
  let run: Run
  beforeAll(async () => {
    directory = await emptyDirectory()
    run = await start({ env: { DATA_DIR: join(directory, 'data') } })
    await run.ready
  })
  afterAll(async () => {
    await stop(run, 'SIGTERM')
    await remove(directory)
  })

  test('the main job and the first team, pasted from the README store a transaction that its owner reads back and an anonymous request does not, and then one in a team', async () => {
    // Replaces the address by that of this run, and simulates the log that tee would have written.
    const pasted = mainJob.withNpm.replaceAll('http://localhost:3000', run.url)
    const log = join(directory, 'finance.log')
    await writeFile(log, '')
    const keep = setInterval(() => {
      writeFileSync(`${log}.new`, run.output().replaceAll('http://localhost:', 'http://127.0.0.1:'))
      renameSync(`${log}.new`, log)
    }, 100)
    try {
      // npm runs in the product's folder. This run has its data in another folder.
      const npm = `npm() ( cd '${root}'; DATA_DIR='${join(directory, 'data')}' command npm "$@" )`
      const { stdout } = await promisify(execFile)('bash', ['-euc', `${npm}\n${pasted}\necho ====\n${firstTeam}`], { cwd: directory })
      const [job = '', team = ''] = stdout.split('====\n')
      expectMainJob(job)
      expectFirstTeam(team)
    } finally {
      clearInterval(keep)
    }
  })
})
