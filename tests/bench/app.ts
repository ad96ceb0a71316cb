/** The built app for benchmarks, with its services and a signed-in user. */
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { referenceApp } from '../../start/reference-app.ts'
import { emptyDirectory, remove, start } from '../start/support.ts'
import { benchStack, people } from './stack.ts'

const secret = 'a secret of the bench, long enough for it'

export type BenchApp = AsyncDisposable & {
  /** The address of the app. */
  url: string
  /** Opens a context of Ann's browser, which is `user-1`. */
  openContext: () => Promise<BrowserContext>
}

/**
 * Starts the services and Chromium. CHROMIUM is its path. @param rows SQL that stores Ann's rows
 * @param args flags of Chromium
 */
export async function benchApp(rows: string, args: string[] = []): Promise<BenchApp> {
  const directory = await referenceApp(
    join(import.meta.dirname, '../..'),
    console.error,
    new AbortController().signal,
  )
  if (directory === undefined) throw new Error('there is no app to measure')
  const resources = new AsyncDisposableStack()
  try {
    const stack = resources.use(await benchStack(people(1)))
    // The auth service makes its own keys, and refuses those of others.
    await stack.owner.query(
      `delete from auth.jwks; update auth.users set name = 'Ann', email_verified = true; ${rows}; analyze`,
    )
    const data = await emptyDirectory()
    resources.defer(() => remove(data))
    const run = resources.use(
      await start({
        env: {
          DATABASE_URL: stack.url,
          DATA_DIR: data,
          BETTER_AUTH_SECRET: secret,
          APP_DIR: directory,
        },
      }),
    )
    await run.ready
    // the cookie is for localhost
    const url = run.url.replace('127.0.0.1', 'localhost')
    const browser: Browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', ...args],
    })
    resources.defer(() => browser.close())
    const signature = createHmac('sha256', secret).update('token-1').digest('base64')
    return {
      url,
      openContext: async () => {
        const context = await browser.newContext({
          viewport: { width: 1200, height: 800 },
          locale: 'en-US',
          timezoneId: 'UTC',
        })
        await context.addCookies([{
          name: 'better-auth.session_token',
          value: encodeURIComponent(`token-1.${signature}`),
          url,
        }])
        return context
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}
