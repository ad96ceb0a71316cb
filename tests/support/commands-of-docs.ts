/** The commands that pages of docs/ tell an operator to run, and who runs them for the tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The word after `sh` of a fence that no test can paste: why. */
export const marks: Record<string, string> = {
  cloud: 'it needs an account, a cluster or a registry',
  images: 'it needs images that a machine without a registry cannot have; what compose makes of it is checked',
}

/** The languages of fences that hold something to write into a file, and no command. */
export const files = ['env', 'hcl', 'text', 'yaml']

/** Which test runs the unmarked fences of a page. One that pastes takes them out of the page itself; another has them in its own words. */
export const pages: Record<string, { test: string, pastes: boolean } | null> = {
  'docs/operations.md': { test: 'tests/containers/operations.containers.ts', pastes: true },
  'docs/monitoring.md': { test: 'tests/containers/operations.containers.ts', pastes: true },
  'docs/bare-metal.md': { test: 'tests/containers/bare-metal.containers.ts', pastes: true },
  'docs/images.md': { test: 'tests/containers/images.containers.ts', pastes: false },
  // nothing in them is unmarked
  'docs/aws.md': null,
  'docs/kubernetes.md': null,
}

/** A command as it stands in a page; `mark` is its fence's, if it has one. */
export type Command = { text: string, from: 'fence' | 'cron' | 'prose', mark?: string }

// `npm start` is what the pages call the product without containers
const program = /^(?:docker|npm(?! start$)|npx|systemctl|git|pg_dump|psql|curl|restic) |^infra\/(?:docker|kubernetes|aws)\/[a-z]+(?: |$)/

export const textOf = (page: string): string => readFileSync(join(import.meta.dirname, '../..', page), 'utf8')

/** The fences of a page. */
export const fencesOf = (page: string): { info: string, content: string }[] =>
  [...textOf(page).matchAll(/^ *```(.*)\n([^]*?)^ *```$/gm)].map(([, info = '', content = '']) => ({ info, content }))

/** Every command of a page as somebody meets it who reads on: the lines of fences, and inline code that begins with a program. */
export function commandsOf(page: string): Command[] {
  return [...textOf(page).matchAll(/^ *```(.*)\n([^]*?)^ *```$|`([^`]+)`/gm)].flatMap(([, info, content = '', inline = '']): Command[] => {
    if (info === undefined) return program.test(inline) ? [{ text: inline.replaceAll(/\s*\n\s*/g, ' '), from: 'prose' }] : []
    const [language = '', mark] = info.split(' ')
    if (language !== 'sh' && language !== 'crontab') return []
    // what stands behind two blanks and # is for the reader
    const lines = content.split('\n').map((line) => line.replace(/(^|\s+)# .*$/, '').trim()).filter((line) => line !== '')
    return lines.map((text) => ({ text, from: language === 'sh' ? 'fence' : 'cron', ...(mark === undefined ? {} : { mark }) }))
  })
}
