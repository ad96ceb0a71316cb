/** The reference app as people have it: built, served at `/` under a strict policy, before the real services, in Chromium. */
import { join } from 'node:path'
import { source as axeSource, type AxeResults, type RunOptions } from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { policyOfApp } from '../../edge/app-files.ts'
import type { Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

declare global {
  var axe: { run: (options: RunOptions) => Promise<AxeResults> }
}

export const appDirectory = join(import.meta.dirname, '../../examples/app/dist')

/** A browser, of which each page is a person's own. */
export type AppBrowser = {
  /**
   * A page of a browser of its own.
   * @param who signed in there, or nobody
   * @param path where it is opened
   * @param options of the browser; `now` is where its clock stands still
   */
  open: (who: Person | null, path?: string, options?: BrowserContextOptions & { now?: string }) => Promise<Page>
  /** What browsers have complained of since this was last asked: errors, violations of the policy, answers of 500 and more. Has to be empty. */
  complaints: () => string[]
  close: () => Promise<void>
}

export type AppStory = AppBrowser & { stack: Stack }

/** An answer that refuses is what a test is about, and Chromium writes each of them to the console. */
const isRefusal = (text: string) => /^Failed to load resource: the server responded with a status of 4\d\d/.test(text)

/** Starts a browser for the app that is served at an address. */
export async function startAppBrowser(address: string): Promise<AppBrowser> {
  // --no-sandbox: a browser run by root refuses to start otherwise
  const browser: Browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
  let heard: string[] = []
  return {
    open: async (who, path = '/', { now, ...options } = {}) => {
      const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', ...options })
      if (now !== undefined) await context.clock.setFixedTime(now)
      await context.addCookies([...(who?.cookies ?? [])].map(([name, value]) => ({ name, value, url: address })))
      const page = await context.newPage()
      page.setDefaultTimeout(30_000)
      page.on('pageerror', (error) => heard.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error' && !isRefusal(message.text())) heard.push(message.text())
      })
      await page.goto(new URL(path, address).href)
      return page
    },
    complaints: () => {
      const all = heard
      heard = []
      return all
    },
    close: () => browser.close(),
  }
}

/**
 * Starts the services with the app, and a browser.
 * @param env of the services, beside what the app needs
 */
export async function startAppStory(env: Record<string, string> = {}): Promise<AppStory> {
  const stack = await startStack({ data: true, env: { ...env, APP_DIR: appDirectory, APP_CSP: await policyOfApp(appDirectory) } })
  const browser = await startAppBrowser(stack.publicUrl)
  return {
    ...browser,
    stack,
    close: async () => {
      await browser.close()
      await stack.close()
    },
  }
}

/** What axe finds wrong with a page as it is: each rule, with where. Has to be empty. */
export async function barriers(page: Page): Promise<string[]> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  // the source is given to the page's own world from outside, which its policy does not forbid
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false, resultTypes: ['violations'] }))
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`))
}
