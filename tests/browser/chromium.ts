/** Chromium for tests. CHROMIUM is its path; Debian's is the default. */
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** Starts a browser. @param args further flags of Chromium */
export const launchBrowser = (...args: string[]): Promise<Browser> =>
  // --no-sandbox: Chromium refuses to start as root without it
  chromium.launch({ executablePath: join(import.meta.dirname, 'chromium.sh'), args: ['--no-sandbox', '--disable-gpu', ...args] })

let shared: Promise<Browser> | undefined

/** Returns the browser of all files of this worker, because a start takes seconds. It ends with the worker. */
export const sharedBrowser = (): Promise<Browser> => shared ??= launchBrowser()

/** Closes all pages of the shared browser, at the end of a file. */
export async function closePages(): Promise<void> {
  await Promise.all((await shared)?.contexts().map((context) => context.close()) ?? [])
}
