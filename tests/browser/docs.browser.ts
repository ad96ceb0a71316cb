import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { closePages, sharedBrowser } from './chromium.ts'

let stack: Stack
let browser: Browser
beforeAll(async () => {
  stack = await startStack({ data: true })
  browser = await sharedBrowser()
})
afterAll(async () => {
  await closePages()
  await stack?.close()
})

/** Opens an operation, sends its example, and returns the response. */
async function tryOut(
  page: Page,
  method: string,
  path: string,
): Promise<{ status: string, body: string }> {
  const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) }).and(
    page.locator(`.opblock-${method}`),
  )
  await operation.locator('.opblock-summary-control').click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  const live = operation.locator('.live-responses-table')
  await live.waitFor()
  return {
    status: await live.locator('.response .response-col_status').first().innerText(),
    body: await live.locator('.highlight-code').first().innerText(),
  }
}

test('Ann opens /docs, signs in, and calls an operation of each surface as herself', async () => {
  const ann = await signedIn(stack, 'Ann')
  const token = await ann.token()
  await fetch(`${stack.url}/data/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"name":"Groceries","amount":-42.5}',
  })
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 } }))
    .newPage()
  const complaints: string[] = []
  const origins = new Set<string>()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.text().includes('Content Security Policy'))
      complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin)
  })

  await page.goto(`${stack.publicUrl}/docs`)
  await page.fill('input[name=email]', ann.email)
  await page.fill('input[name=password]', password)
  await page.click('#sign-in button')
  await expect.poll(() => page.locator('[role=status]').textContent()).toContain(
    'You are signed in',
  )

  for (const tag of ['Sessions', 'transactions'])
    await page.locator(`#operations-tag-${tag}`).click()
  const session = await tryOut(page, 'get', '/api/auth/get-session')
  expect(session).toEqual({ status: '200', body: expect.stringContaining(ann.email) })
  const rows = await tryOut(page, 'get', '/transactions')
  expect(rows).toEqual({ status: '200', body: expect.stringContaining('Groceries') })

  const search = page.getByRole('searchbox', { name: 'Search the operations' })
  const found = async () =>
    Promise.all(
      (await page.locator('.opblock [data-path]').all()).map((one) =>
        one.getAttribute('data-path')
      ),
    )
  await search.fill('Invitation decline')
  await expect.poll(found).toEqual(['/api/auth/organization/reject-invitation'])
  await search.fill('')
  if (process.env['SCREENSHOT'] !== undefined)
    await page.screenshot({ path: process.env['SCREENSHOT'] })

  // The explorer updates the session after its own calls too, as the description defines.
  expect(await tryOut(page, 'post', '/api/auth/sign-out')).toMatchObject({ status: '200' })
  await expect.poll(() => page.locator('[role=status]').textContent()).toBe('You are signed out.')

  expect(complaints).toEqual([])
  expect([...origins]).toEqual([stack.publicUrl])
}, 120_000)
