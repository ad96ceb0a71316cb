/**
 * The reference app as users have it: built, served at `/` under a strict policy, with the real
 * services, in Chromium.
 */
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { policyOfApp } from '../../edge/app-files.ts'
import type { Person } from '../support/person.ts'
import { startStack, type Stack, type StackOptions } from '../support/stack.ts'
import { violations } from './axe.ts'
import { closePages, sharedBrowser } from './chromium.ts'

export const appDirectory = join(import.meta.dirname, '../../app/dist')

/** A browser in which each page has its own context. */
export type AppBrowser = {
  /**
   * Opens a page in a new browser context. @param who the signed-in user, or null @param path the
   * page to open @param options of the browser. `now` stops its clock at a time
   */
  open: (
    who: Person | null,
    path?: string,
    options?: BrowserContextOptions & { now?: string },
  ) => Promise<Page>
  /**
   * Returns the complaints of the browsers since the last call: errors, violations of the policy,
   * responses of 500 and more. Must be empty.
   */
  complaints: () => string[]
  close: () => Promise<void>
}

export type AppStory = AppBrowser & { stack: Stack }

/** Refusals are expected in tests, and Chromium logs each of them to the console. */
const isRefusal = (text: string) =>
  /^Failed to load resource: the server responded with a status of 4\d\d/.test(text)

/** Starts a browser for the app at an address. */
export async function startAppBrowser(address: string): Promise<AppBrowser> {
  const browser = await sharedBrowser()
  const complaints: string[] = []
  return {
    open: async (who, path = '/', { now, ...options } = {}) => {
      const context = await browser.newContext({
        locale: 'en-US',
        timezoneId: 'UTC',
        serviceWorkers: 'block',
        ...options,
      })
      if (now !== undefined) await context.clock.setFixedTime(now)
      await context.addCookies(
        [...(who?.cookies ?? [])].map(([name, value]) => ({ name, value, url: address })),
      )
      const page = await context.newPage()
      page.setDefaultTimeout(30_000)
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error' && !isRefusal(message.text()))
          complaints.push(message.text())
      })
      await page.goto(new URL(path, address).href)
      return page
    },
    complaints: () => complaints.splice(0),
    close: closePages,
  }
}

/**
 * Starts the services with the app, and a browser. @param env additional environment of the
 * services
 */
export async function startAppStory(
  env: Record<string, string> = {},
  options: Pick<StackOptions, 'receivers' | 'webhookPauseMs'> = {},
): Promise<AppStory> {
  const stack = await startStack({
    ...options,
    data: true,
    env: { ...env, APP_DIR: appDirectory, APP_CSP: await policyOfApp(appDirectory) },
  })
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

/** Waits until a text is visible. */
export const sees = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor()

/** Presses the button of this name. */
export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** Returns the violations that axe finds on the current page. Must be empty. */
export async function barriers(page: Page): Promise<string[]> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  return violations(page)
}
