/**
 * Chromium for tests: Debian's shell without a window, because it takes half of the processor time.
 * CHROMIUM is another path.
 */
import { chromium, type Browser } from 'playwright-core'

const shell = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell'

/** The whole browser, for what the shell lacks: it blocks no third-party cookies. */
export const wholeBrowser = '/usr/bin/chromium'

/**
 * Starts a browser. @param args further flags of Chromium @param without flags of Playwright that
 * are left out
 */
export const launchBrowser = (
  args: string[] = [],
  executablePath = shell,
  without: string[] = [],
): Promise<Browser> =>
  // --no-sandbox: Chromium refuses to start as root without it
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', ...args],
    ignoreDefaultArgs: without,
  })

let shared: Promise<Browser> | undefined

/**
 * Returns the browser of all files of this worker, because a start takes seconds. It ends with the
 * worker.
 */
export const sharedBrowser = (): Promise<Browser> => shared ??= launchBrowser()

/** Closes all pages of the shared browser, at the end of a file. */
export async function closePages(): Promise<void> {
  await Promise.all((await shared)?.contexts().map((context) => context.close()) ?? [])
}
