/**
 * Helpers of the stories on transactions: the visible list, and requests of other programs of the
 * users.
 */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import type { AppStory } from './app-story.ts'

/**
 * Requests of users to the data surface, as from another program. @param story read at each
 * request, because it is assigned after the file loads
 */
export function otherPrograms(story: () => AppStory) {
  async function send(who: Person, method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(`${story().stack.url}/data${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await who.token()}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect(response.ok, `${method} ${path}`).toBe(true)
    return response.json()
  }
  return {
    send,
    store: async (who: Person, table: string, body: object) =>
      (await send(who, 'POST', `/${table}`, body))[0].id as string,
  }
}

export const row = (page: Page, name: string) =>
  page.locator('.tx-rows .tx-row', { has: page.getByRole('button', { name, exact: true }) })
export const said = (page: Page, text: string) =>
  page.getByText(text, { exact: true }).first().waitFor()
/** Takes the match of a typed text in a combobox. A subcategory also names its parent. */
export async function choose(field: Locator, name: string): Promise<void> {
  await field.fill(name)
  await field.page().getByRole('option', { name: new RegExp(`^${name}`) }).first().waitFor()
  await field.press('Enter')
}
/** Waits for the visible rows, longer on a busy machine. */
export const soon = <Seen>(look: () => Promise<Seen> | Seen) => expect.poll(look)

/** Opens the form of a new transaction by its key, and waits until it takes the keys. */
export async function beginEntry(page: Page): Promise<void> {
  // the page handles keys when it shows the button
  await page.locator('.shell-new').waitFor()
  await page.keyboard.press('n')
  await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("name")')).toBe(
    'name',
  )
}
