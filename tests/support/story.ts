/** A page of docs/ that is one story: its examples in order, the shell that runs them, and what they show as an answer. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'

/** An example, and the answer that is shown after it; between the two there may be other examples and nothing else. */
export type Example = { language: 'sh' | 'ts', refused: boolean, code: string, answer?: Answer }
type Answer = { language: 'json' | 'text', text: string }

function examplesOf(section: string): Example[] {
  const examples: Example[] = []
  let waiting: Example[] = []
  let end = 0
  for (const block of section.matchAll(/^```(.*)\n([^]*?)^```$/gm)) {
    const [whole, tag = '', text = ''] = block
    if (section.slice(end, block.index).trim() !== '') waiting = []
    end = block.index + whole.length
    const [language, mark] = tag.split(' ')
    if (language === 'sh' || language === 'ts') {
      const example: Example = { language, refused: mark === 'error', code: text }
      examples.push(example)
      waiting.push(example)
    } else if (language === 'json' || language === 'text') {
      if (waiting.length === 0) throw new Error(`no example gives this answer: ${text}`)
      for (const example of waiting) example.answer = { language, text }
      waiting = []
    } else {
      throw new Error(`a block of the page is not tagged sh, ts, json or text: ${tag}`)
    }
  }
  return examples
}

/** The sections that have examples. */
export const sectionsOf = (page: string): { title: string, examples: Example[] }[] =>
  page.split(/^##+ /m).slice(1)
    .map((section) => ({ title: section.slice(0, section.indexOf('\n')), examples: examplesOf(section) }))
    .filter(({ examples }) => examples.length > 0)

/** What an example did: the statuses it met, and what it printed. */
export type Outcome = { statuses: number[], printed: unknown[] }

/**
 * Each block is a bash of its own, as strict as can be; the variables go from one to the next.
 * @param functions of bash, which every block has
 */
export function shell(directory: string, env: Record<string, string | undefined>, functions = ''): (code: string) => Promise<Outcome> {
  const variables = join(directory, 'variables')
  const prelude = `
    trap 'env -0 >${variables}' EXIT
    curl() { command curl --write-out '%{stderr}status %{http_code}\\n' "$@"; }
    ${functions}
  `
  return async (code) => {
    // -a: what a block sets is in its environment at the end
    const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-ac', prelude + code], { env, cwd: directory })
    env = Object.fromEntries(
      (await readFile(variables, 'utf8')).split('\0').filter((line) => /^\w+=/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    return {
      statuses: [...stderr.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status)),
      printed: stdout === '' ? [] : [stdout.replaceAll('\r', '')],
    }
  }
}

/** A shown text: `…` in it stands for anything. */
const shown = (text: string) => new RegExp(`^${text.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('[^]*')}$`)

/** A shown value as what to expect: `…` stands for anything, and the key `…` for any other keys. */
function expected(value: unknown): unknown {
  if (typeof value === 'string') return value === '…' ? expect.anything() : value.includes('…') ? expect.stringMatching(shown(value)) : value
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object' || value === null) return value
  const { '…': others, ...rest } = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, expected(part)]))
  return others === undefined ? rest : expect.objectContaining(rest)
}

/** Whether the example was refused where the page says so, and answered what the page shows. */
export function expectAsShown({ language, refused, code, answer }: Example, { statuses, printed }: Outcome): void {
  expect.soft(statuses.some((status) => status >= 400), `${statuses.join(' ')} ${JSON.stringify(printed)}\n${code}`).toBe(refused)
  if (answer === undefined) return
  expect.soft(printed, code).toHaveLength(1)
  if (answer.language === 'text') expect.soft(String(printed[0]).trim()).toMatch(shown(answer.text.trim()))
  else expect.soft(language === 'sh' ? JSON.parse(String(printed[0])) : printed[0]).toEqual(expected(JSON.parse(answer.text)))
}
