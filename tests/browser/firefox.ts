/** Firefox for tests, as Debian ships it, by WebDriver BiDi. FIREFOX is another path. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type ElementHandle, launch, type Page } from 'puppeteer-core'
import type { Person } from '../support/person.ts'

const firefox = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr'

/**
 * The settings of a user's browser. By default it is American, light, and without service workers.
 */
type Settings = { language?: 'de' | 'en-US', theme?: 'dark' | 'light', serviceWorkers?: boolean }

export type Firefox = {
  /**
   * Opens a page in a new container, which has its own cookies and storage. @param who the
   * signed-in user, or null
   */
  open: (who: Person | null, path?: string) => Promise<Page>
  /** Returns the errors and the violations of the policy since the last call. Must be empty. */
  complaints: () => string[]
  /** Ends the browser and deletes its folder. */
  close: () => Promise<void>
}

/**
 * Starts Firefox with a temporary home folder, because Firefox refuses to run as root in the home
 * of another user.
 */
async function launchFirefox(
  { language = 'en-US', theme = 'light', serviceWorkers = false }: Settings,
): Promise<Pick<Firefox, 'close'> & { browser: Browser }> {
  if (!existsSync(firefox))
    throw new Error(
      `${firefox} is missing. Install Debian's package firefox-esr, or set FIREFOX to the path of a Firefox.`,
    )
  const home = await mkdtemp(join(tmpdir(), 'firefox-'))
  const remove = () => rm(home, { recursive: true, force: true, maxRetries: 5 })
  try {
    const profile = join(home, 'profile')
    await mkdir(profile)
    const browser = await launch({
      browser: 'firefox',
      executablePath: firefox,
      userDataDir: profile,
      env: { ...process.env, HOME: home, TZ: 'UTC' },
      defaultViewport: { width: 1280, height: 800 },
      extraPrefsFirefox: {
        'intl.accept_languages': language,
        // 0 is dark, and 1 is light
        'layout.css.prefers-color-scheme.content-override': theme === 'dark' ? 0 : 1,
        'dom.serviceWorkers.enabled': serviceWorkers,
      },
    })
    const close = async () => {
      await browser.close()
      await remove()
    }
    return { browser, close }
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * Firefox sends no message for a violation of the policy, so the page reports it to its console.
 */
const reportViolations =
  `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
  console.error('The policy forbids', violatedDirective, blockedURI, sourceFile, lineNumber))`

/**
 * Writes errors as text, because Firefox sends only that a value is an error. A page that is left
 * cancels its imports, which is no error.
 */
const writeErrors = `const { error: write } = console
console.error = (...parts) => write(...parts.map((part) => part instanceof Error ? part + '\\n' + part.stack : part))
addEventListener('beforeunload', () => console.error = () => undefined)`

/** Starts a Firefox for the app at an address. */
export async function startFirefox(address: string, settings: Settings = {}): Promise<Firefox> {
  const { browser, close } = await launchFirefox(settings)
  const complaints: string[] = []
  return {
    open: async (who, path = '/') => {
      const container = await browser.createBrowserContext()
      const page = await container.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.evaluateOnNewDocument(reportViolations)
      await page.evaluateOnNewDocument(writeErrors)
      const { hostname: domain } = new URL(address)
      await container.setCookie(
        ...[...who?.cookies ?? []].map(([name, value]) => ({
          name,
          value,
          domain,
          path: '/',
          expires: -1,
          size: value.length,
          httpOnly: true,
          secure: false,
          session: true,
        })),
      )
      await page.goto(new URL(path, address).href)
      return page
    },
    complaints: () => complaints.splice(0),
    close,
  }
}

/** Returns the element of a role and an accessible name, when it is visible and still. */
export const part = (page: Page, role: string, name: string) =>
  page.locator(`::-p-aria([name="${name}"][role="${role}"])`)

/** Clicks the element of a role and an accessible name. */
export const press = (page: Page, role: string, name: string) => part(page, role, name).click()

/** Waits until a text is visible. */
export const sees = async (page: Page, text: string): Promise<void> => {
  await page.locator(`::-p-text(${text})`).wait()
}

/** Returns the field with this label. */
export const field = async (page: Page, label: string): Promise<ElementHandle<HTMLInputElement>> =>
  await page.waitForFunction(
    `[...document.querySelectorAll('input')].find(({ ariaLabel, labels }) => [ariaLabel, ...[...labels ?? []].map((one) => one.textContent)].includes('${label}'))`,
  ) as ElementHandle<HTMLInputElement>

/** Replaces the text of a field, as a user does with the mouse and the keyboard. */
export async function write(page: Page, label: string, text: string): Promise<void> {
  await (await field(page, label)).click({ count: 3 })
  await page.keyboard.type(text)
}
