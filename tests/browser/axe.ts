/** axe-core in the pages of a browser: looks for barriers to users with disabilities. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  var axe: { run: (options: RunOptions) => Promise<AxeResults> }
}

/** The minified source. A browser needs half of the time to load it. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the violations on the current page, each with its element. */
export async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  // The source is evaluated from outside the page, which its policy does not forbid.
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(source)
  const found = await page.evaluate<AxeResults, RunOptions>((given) => globalThis.axe.run(given), {
    preload: false,
    resultTypes: ['violations'],
    ...options,
  })
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`)
  )
}
