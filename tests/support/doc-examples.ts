/**
 * The examples of a page of docs/: reads them in order, runs them in a shell, and checks the output
 * that the page shows.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'

/**
 * An example and the output that the page shows for it. Consecutive examples share the output block
 * after them.
 */
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
      if (waiting.length === 0) throw new Error(`no example precedes this output: ${text}`)
      for (const example of waiting) example.answer = { language, text }
      waiting = []
    } else {
      throw new Error(`a block of the page is not tagged sh, ts, json or text: ${tag}`)
    }
  }
  return examples
}

/** Returns the sections that have examples. */
export const sectionsOf = (page: string): { title: string, examples: Example[] }[] =>
  page.split(/^##+ /m).slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      examples: examplesOf(section),
    }))
    .filter(({ examples }) => examples.length > 0)

/** The response statuses and the printed output of an example. */
export type Outcome = { statuses: number[], printed: unknown[] }

/**
 * Returns a function that runs a block in a new strict bash. Variables carry over from block to
 * block.
 * @param functions bash functions for every block
 */
export function shell(
  directory: string,
  env: Record<string, string | undefined>,
  functions = '',
): (code: string) => Promise<Outcome> {
  const variables = join(directory, 'variables')
  const prelude = `
    trap 'env -0 >${variables}' EXIT
    curl() { command curl --write-out '%{stderr}status %{http_code}\\n' "$@"; }
    ${functions}
  `
  return async (code) => {
    // -a exports all variables of the block, so that the trap can save them.
    const { stdout, stderr } = await promisify(execFile)('bash', [
      '-euo',
      'pipefail',
      '-ac',
      prelude + code,
    ], { env, cwd: directory })
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

/** Returns a pattern for a text of the page, in which `…` stands for anything. */
const textPattern = (text: string) =>
  new RegExp(
    `^${
      text.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join(
        '[^]*',
      )
    }$`,
  )

/**
 * Returns a matcher for a JSON value of the page. `…` stands for any value, and the key `…` for any
 * other keys.
 */
function expected(value: unknown): unknown {
  if (typeof value === 'string')
    return value === '…'
      ? expect.anything()
      : value.includes('…')
      ? expect.stringMatching(textPattern(value))
      : value
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object' || value === null) return value
  const { '…': others, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, expected(part)]),
  )
  return others === undefined ? rest : expect.objectContaining(rest)
}

/**
 * Expects an error status if the page marks the example as an error, and the output that the page
 * shows.
 */
export function expectDocumentedOutcome(
  { language, refused, code, answer }: Example,
  { statuses, printed }: Outcome,
): void {
  expect.soft(
    statuses.some((status) => status >= 400),
    `${statuses.join(' ')} ${JSON.stringify(printed)}\n${code}`,
  ).toBe(refused)
  if (answer === undefined) return
  expect.soft(printed, code).toHaveLength(1)
  if (answer.language === 'text')
    expect.soft(String(printed[0]).trim()).toMatch(textPattern(answer.text.trim()))
  else expect.soft(language === 'sh' ? JSON.parse(String(printed[0])) : printed[0]).toEqual(
      expected(JSON.parse(answer.text)),
    )
}
