/**
 * The pictures of the README show the actual app. `npm run pictures` takes them. Otherwise each is
 * compared with the page: its text exactly, its look with a tolerance for the fonts of another
 * machine.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Person, subscribed, signedIn } from '../support/person.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { keepHousehold, keepStudio, today } from './picture-books.ts'

const isTaking = process.env['PICTURES'] === 'take'
const directory = join(import.meta.dirname, '../../docs/pictures')
const advice = 'npm run pictures takes the pictures anew: look at them before they are committed'

/**
 * Of 255. Fonts of another machine differ by less. A column of the chart, a button or the
 * background differs by more.
 */
const tolerance = 64

let story: AppStory
let mara: Person
let studio: string
let dashboard: string
let everyday: string

beforeAll(async () => {
  story = await startAppStory()
  // The database's current date is that of the page, so that its months are always the same.
  await story.stack.sql.query(
    `do $$ declare one regprocedure; begin
      for one in select oid from pg_proc where pronamespace in ('api'::regnamespace, 'private'::regnamespace) and prokind = 'f'
        and pg_get_functiondef(oid) ilike '%current_date%' loop
        execute regexp_replace(pg_get_functiondef(one), 'current_date', 'make_date(${
      today.replaceAll(/-0?/g, ', ')
    })', 'gi');
      end loop;
    end $$`,
  )
  mara = await subscribed(story.stack, 'Mara')
  everyday = await keepHousehold(story, mara)
  studio = await studioOf(mara)
  dashboard = await keepStudio(story, mara)
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

/** A team of Mara and two other users, which is active afterwards. */
async function studioOf(owner: Person): Promise<string> {
  const { body: { id } } = await owner.post('/organization/create', { name: 'Harbour Studio' })
  for (const [name, role] of [['Tom', 'editor'], ['Ines', 'viewer']] as const) {
    const someone = await signedIn(story.stack, name)
    const { body } = await owner.post('/organization/invite-member', {
      organizationId: id,
      email: someone.email,
      role,
    })
    await someone.post('/organization/accept-invitation', { invitationId: body.id })
  }
  await owner.post('/organization/set-active', { organizationId: id })
  return id
}

const [wide, dark] = [{ viewport: { width: 1200, height: 786 } }, { colorScheme: 'dark' as const }]
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test.each([
  { name: 'overview', path: () => '/', options: { viewport: { width: 1200, height: 1300 } } },
  { name: 'transactions', path: () => '/transactions', options: { ...wide, ...dark } },
  { name: 'inbox', path: () => '/inbox', options: wide },
  { name: 'budgets', path: () => '/budgets', options: wide },
  {
    name: 'recurring',
    path: () => '/recurring',
    options: { viewport: { width: 1200, height: 1100 } },
  },
  { name: 'accounts', path: () => '/accounts', options: { ...wide, ...dark } },
  { name: 'statement', path: () => `/accounts/${everyday}/statements/2025-10-20`, options: wide },
  {
    name: 'dashboard',
    path: () => dashboard,
    isTeam: true,
    options: { viewport: { width: 1200, height: 852 } },
  },
  { name: 'settings', path: () => '/settings', options: { ...wide, contrast: 'more' as const } },
  { name: 'phone', path: () => '/', options: phone },
  { name: 'phone-transactions', path: () => '/transactions', options: { ...phone, ...dark } },
  { name: 'phone-german', path: () => '/recurring', options: { ...phone, locale: 'de-DE' } },
])('the picture $name shows what Mara sees', async ({ name, path, isTeam = false, options }) => {
  await mara.post('/organization/set-active', { organizationId: isTeam ? studio : null })
  const page = await story.open(mara, path(), { now: `${today}T12:00:00Z`, ...options })
  const files = { picture: join(directory, `${name}.png`), words: join(directory, `${name}.txt`) }
  if (isTaking) {
    await page.getByRole('button', { name: 'Mara' }).waitFor()
    await expect.poll(() => page.locator('.skeleton, .report-chart:empty').count()).toBe(0)
    await writeFile(files.words, await wordsOf(page))
    await writeFile(files.picture, await page.screenshot())
  }
  await expect.poll(() => wordsOf(page), { message: advice }).toBe(
    await readFile(files.words, 'utf8'),
  )
  const [shown, kept] = [
    await fieldsOf(page, await page.screenshot()),
    await fieldsOf(page, await readFile(files.picture)),
  ]
  expect(Math.max(...shown.map((shade, index) => Math.abs(shade - (kept[index] ?? 0)))), advice)
    .toBeLessThan(tolerance)
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

/**
 * The text of the page with its roles, in order. Ids, the moments of the service and the address of
 * the user differ in each run.
 */
async function wordsOf(page: Page): Promise<string> {
  const snapshot = await page.locator('body').ariaSnapshot()
  return `${
    snapshot.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'id').replaceAll(
      /\w+ \d+, \d{4}, \d+:\d\d [AP]M/g,
      'moment',
    ).replaceAll(/-\d+@/g, '@')
  }\n`
}

/**
 * The mean red, green and blue of each field of a picture. Letters hardly affect it, and everything
 * else does.
 */
async function fieldsOf(page: Page, png: Buffer): Promise<number[]> {
  // In a separate page, because the policy of the app allows no foreign images.
  const blank = await page.context().newPage()
  const fields = await blank.evaluate<number[]>(`(async () => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${
    png.toString('base64')
  }')).blob(), { resizeWidth: 24, resizeHeight: 24, resizeQuality: 'high' })
    const canvas = new OffscreenCanvas(24, 24).getContext('2d')
    canvas.drawImage(picture, 0, 0)
    return [...canvas.getImageData(0, 0, 24, 24).data]
  })()`)
  await blank.close()
  return fields
}
