/**
 * Runs the tests that the working tree can have broken: those that import a changed module, and the
 * suites of each room with another changed file, such as SQL or a script. `npm run test:changed`,
 * or `npm run test:changed -- main` for all changes since a commit.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { proof } from '../vitest.config.ts'
import { suitesOf } from './rotation.ts'

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter((line) => line !== '')
const vitest = (...args: string[]): void => {
  const { status } = spawnSync('npx', ['vitest', ...args], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

const changed = [
  ...git('diff', '--name-only', process.argv[2] ?? 'HEAD'),
  ...git('ls-files', '--others', '--exclude-standard'),
]
const isCode = (path: string): boolean => /\.tsx?$/.test(path)
const code = changed.filter(isCode)
const suites = suitesOf(changed.filter((path) => !isCode(path)))

if (code.length > 0) vitest('related', '--run', '--project', 'main', '--passWithNoTests', ...code)
if (suites.length > 0) vitest('run', '--project', 'main', '--passWithNoTests', ...suites)
const later = globSync(proof).filter((file) =>
  changed.includes(file) || suites.some((suite) => file.startsWith(suite))
)
if (later.length > 0)
  console.log(
    `Not run, because they take minutes: npm run test:proof -- ${[...new Set(later)].join(' ')}`,
  )
if (changed.length === 0) console.log('Nothing has changed.')
