/**
 * The shell commands in the operator pages of docs/, and the test file that runs each page's
 * commands.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The marks after `sh` of code blocks that no test can run, each with the reason. */
export const marks: Record<string, string> = {
  cloud: 'it needs an account, a cluster or a registry',
  images:
    'it needs images that a machine without a registry cannot have; the tests check its effect on compose.yaml',
}

/** Languages of code blocks that hold the content of a file instead of commands. */
export const files = ['env', 'hcl', 'ini', 'text', 'yaml']

/**
 * The test that runs the unmarked code blocks of each page. If `pastes` is true, it reads the
 * commands from the page; otherwise it repeats them.
 */
export const pages: Record<string, { test: string, pastes: boolean } | null> = {
  'docs/operations.md': { test: 'tests/containers/operations.containers.ts', pastes: true },
  'docs/monitoring.md': { test: 'tests/containers/operations.containers.ts', pastes: true },
  'docs/runbook.md': { test: 'tests/containers/runbook.containers.ts', pastes: true },
  'docs/bare-metal.md': { test: 'tests/containers/bare-metal.containers.ts', pastes: true },
  'docs/images.md': { test: 'tests/containers/images.containers.ts', pastes: false },
  'docs/cluster.md': { test: 'tests/cluster/backups.cluster.ts', pastes: false },
  // All code blocks of these pages are marked.
  'docs/aws.md': null,
  'docs/kubernetes.md': null,
  'docs/releases.md': null,
}

/** A command of a page; `mark` is the mark of its code block. */
export type Command = { text: string, from: 'fence' | 'cron' | 'prose', mark?: string }

// The pages use `npm start` as the name of the product without containers.
const program =
  /^(?:docker|npm(?! start$)|npx|systemctl|git|pg_dump|psql|curl|restic) |^infra\/(?:docker|kubernetes|aws)\/[a-z]+(?: |$)/

export const textOf = (page: string): string =>
  readFileSync(join(import.meta.dirname, '../..', page), 'utf8')

/** Returns the code blocks of a page. */
export const fencesOf = (page: string): { info: string, content: string }[] =>
  [...textOf(page).matchAll(/^ *```(.*)\n([^]*?)^ *```$/gm)].map(([, info = '', content = '']) => ({
    info,
    content,
  }))

/**
 * Returns all commands of a page, in order: lines of code blocks, and inline code that begins with
 * a program.
 */
export function commandsOf(page: string): Command[] {
  return [...textOf(page).matchAll(/^ *```(.*)\n([^]*?)^ *```$|`([^`]+)`/gm)].flatMap(
    ([, info, content = '', inline = '']): Command[] => {
      if (info === undefined)
        return program.test(inline)
          ? [{ text: inline.replaceAll(/\s*\n\s*/g, ' '), from: 'prose' }]
          : []
      const [language = '', mark] = info.split(' ')
      if (language !== 'sh' && language !== 'crontab') return []
      // Text after # is a comment.
      const lines = content.split('\n').map((line) => line.replace(/(^|\s+)# .*$/, '').trim())
        .filter((line) => line !== '')
      return lines.map((text) => ({
        text,
        from: language === 'sh' ? 'fence' : 'cron',
        ...(mark === undefined ? {} : { mark }),
      }))
    },
  )
}
