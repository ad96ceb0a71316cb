// The record of the runs: notes of git at the tested commit, in refs/notes/ci.
// - `add <part 3/5 | everything | nightly> <commit> <outcome>` records a run.
// - `missing` prints the parts that no green run of the last seven days tested, and fails for any.
// - `nightly <commit>` fails unless a nightly of the commit was green.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { parts } = JSON.parse(readFileSync(new URL('../tests/rotation.json', import.meta.url), 'utf8'))
const day = 86_400_000

const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=ci', '-c', 'user.email=ci@localhost', 'notes', '--ref=ci', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
/** Returns the lines of a commit, none if no run of it is recorded. */
const linesOf = (commit) => {
  try {
    return git('show', commit).split('\n')
  } catch {
    return []
  }
}
const allLines = () => git('list').split('\n').filter((line) => line !== '').flatMap((line) => linesOf(line.split(' ')[1]))

const [, , command, ...args] = process.argv
if (command === 'add') {
  const [what, commit, outcome] = args
  git('append', '-m', `${new Date().toISOString()} ${what}: ${outcome}`, commit)
} else if (command === 'missing') {
  const green = allLines().map((line) => /^(\S+) (?:part (\d+)\/\d+|everything|nightly): .*\b0 failed/.exec(line)).filter((found) => found !== null)
    .filter(([, at]) => Date.now() - Date.parse(at) < 7 * day)
  const missing = parts.map((_, at) => at + 1).filter((part) => !green.some(([, , tested]) => tested === undefined || Number(tested) === part))
  console.log(missing.length === 0 ? 'Each part was tested in the last seven days.' : `Not tested in the last seven days: part ${missing.join(', part ')}.`)
  if (missing.length > 0) process.exitCode = 1
} else if (command === 'nightly') {
  if (!linesOf(args[0]).some((line) => /^\S+ nightly: .*\b0 failed/.test(line))) {
    console.error(`No nightly of ${args[0]} is green. Run .ci/nightly on this commit first.`)
    process.exitCode = 1
  }
} else throw new Error(`Unknown command ${command}.`)
