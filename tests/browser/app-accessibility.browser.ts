/**
 * WCAG 2.2 AA on every page of the app: axe in each language and look, narrow screens, text
 * spacing, and the focus of the keyboard.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import type { Person } from '../support/person.ts'
import { addressesOf, fullBooks, visit } from './app-routes.ts'
import { type AppStory, startAppStory } from './app-story.ts'
import { violations } from './axe.ts'

let story: AppStory
let mia: Person
let addresses: ReturnType<typeof addressesOf>
beforeAll(async () => {
  story = await startAppStory({}, { receivers: localReceivers })
  const { who, ids } = await fullBooks(story, 'en-US')
  mia = who
  addresses = addressesOf(ids)
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

type Options = NonNullable<Parameters<AppStory['open']>[2]>

/** Opens every page, those of guests in a browser without a session, and collects findings. */
async function onEveryPage(
  options: Options,
  look: (page: Page) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = []
  for (const isOutside of [true, false]) {
    const page = await story.open(isOutside ? null : mia, '/', options)
    for (const { route, path } of addresses.filter((address) => address.isOutside === isOutside)) {
      await visit(page, path)
      found.push(...(await look(page)).map((finding) => `${route}: ${finding}`))
    }
    await page.context().close()
  }
  return found
}

type Look = NonNullable<Parameters<Page['emulateMedia']>[0]>

const usual = {
  colorScheme: 'light',
  contrast: 'no-preference',
  forcedColors: 'none',
} as const satisfies Look
const looks: Record<string, Look> = {
  dark: { ...usual, colorScheme: 'dark' },
  'high contrast': { ...usual, contrast: 'more' },
  'dark and high contrast': { ...usual, colorScheme: 'dark', contrast: 'more' },
  'forced colours': { ...usual, forcedColors: 'active' },
}

// colours do not depend on the language
test.each([{ locale: 'en-US', names: Object.keys(looks) }, { locale: 'de-DE', names: ['dark'] }])(
  'axe finds nothing on any page in $locale: light, and in the looks $names',
  async ({ locale, names }) => {
    const found = await onEveryPage({ locale, reducedMotion: 'reduce' }, async (page) => {
      await page.emulateMedia(usual)
      const rules = { 'target-size': { enabled: true } }
      const all = await violations(page, { rules })
      for (const name of names) {
        await page.emulateMedia(looks[name] ?? usual)
        // only these rules depend on colours
        all.push(
          ...(await violations(page, { runOnly: ['color-contrast', 'link-in-text-block'] }))
            .map((finding) => `${name}: ${finding}`),
        )
      }
      return all
    })
    expect(found).toEqual([])
  },
)

/** Returns the width of what is wider than the window, with the elements that stick out. */
const sideways = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const isWide = (element) => element.getBoundingClientRect().right > clientWidth + 1 && element.getBoundingClientRect().width > 0
    return [scrollWidth + ' px: ' + [...document.querySelectorAll('main *, header *')].filter(isWide).slice(0, 5).map((one) => one.tagName + '.' + one.className).join(', ')]
  })()`)

test('Mia turns single keys off for her speech input, and on again', async () => {
  const page = await story.open(mia, '/settings')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.getByRole('group', { name: 'Single-key shortcuts' }).getByLabel('Off').check()
  await page.getByRole('heading', { name: 'Settings', exact: true }).click()
  await page.keyboard.press('?')
  await page.getByRole('group', { name: 'Single-key shortcuts' }).getByLabel('On').check()
  expect(await help.count()).toBe(0)
  await page.getByRole('heading', { name: 'Settings', exact: true }).click()
  await page.keyboard.press('?')
  await help.waitFor()
  await page.context().close()
})

/** The text spacing that users may set (1.4.12). */
const spacing =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-block-end: 2em !important }'

/** Returns the elements that cut off a part of their own text. */
const cutOff = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const isCut = (element) => {
      const { overflowX, overflowY, clipPath, textOverflow } = getComputedStyle(element)
      const hides = (overflow) => overflow === 'hidden' || overflow === 'clip'
      if (clipPath !== 'none' || element.closest('.unseen, svg') !== null || !element.checkVisibility()) return false
      return (hides(overflowX) && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1) ||
        (hides(overflowY) && element.scrollHeight > element.clientHeight + 1)
    }
    return [...document.querySelectorAll('body *')].filter((element) => element.textContent.trim() !== '' && isCut(element))
      .map((element) => element.tagName + '.' + element.className + ': ' + element.textContent.slice(0, 60))
  })()`)

/** Sets the text spacing, and returns what no longer fits. */
async function withSpacing(page: Page): Promise<string[]> {
  const before = await cutOff(page)
  // a sheet of a script, which the policy does not forbid
  await page.evaluate(`{
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('${spacing}')
    document.adoptedStyleSheets = [sheet]
  }`)
  return [
    ...(await cutOff(page)).filter((element) => !before.includes(element)),
    ...await sideways(page),
  ].map((finding) => `with spacing: ${finding}`)
}

test.each([{ language: 'German', locale: 'de-DE', look: sideways }, {
  language: 'English',
  locale: 'en-US',
  look: withSpacing,
}])(
  'no page scrolls sideways at 320 pixels in $language: in German as it is, in English with a wide spacing of the text',
  async ({ locale, look }) => {
    expect(await onEveryPage({ viewport: { width: 320, height: 640 }, locale }, look)).toEqual([])
  },
)

/** The most key presses on one page. Longer lists repeat the same controls. */
const mostPresses = 70

/**
 * Returns why a user does not see the focus: it has no mark, or something else covers it. Null at
 * the end of the page.
 */
const unseenFocus = (page: Page) =>
  page.evaluate<string | null>(`(() => {
    const element = document.activeElement
    if (element === document.body || element === null) return null
    const name = element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent).slice(0, 40)
    const { left, right, top, bottom } = element.getBoundingClientRect()
    // the part within the window
    const [x, y, width, height] = [Math.max(left, 0), Math.max(top, 0), Math.min(right, innerWidth) - Math.max(left, 0), Math.min(bottom, innerHeight) - Math.max(top, 0)]
    const at = (across, down) => document.elementFromPoint(x + width * across, y + height * down)
    const isThere = (found) => found !== null && (element.contains(found) || found.contains(element) && getComputedStyle(found).position === 'static' || found.closest('label')?.control === element)
    const isSeen = [0.5, 0.1, 0.9].some((across) => [0.5, 0.1, 0.9].some((down) => isThere(at(across, down))))
    if (!isSeen) return name + ': covered by ' + (at(0.5, 0.5)?.className ?? 'the edge of the window')
    const active = document.getElementById(element.getAttribute('aria-activedescendant') ?? '')
    const marks = [active, element, element.parentElement, element.closest('label'), element.firstElementChild].filter((one) => one !== null)
    const isMarked = marks.some((one) => [null, '::before', '::after'].some((part) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one, part)
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
    }))
    return isMarked ? '' : name + ': no mark of the focus'
  })()`)

test.each([{ width: 1280, height: 720 }, { width: 390, height: 844 }])(
  'the focus is always in sight at $width x $height, and wide spacing loses nothing',
  async (viewport) => {
    const found = await onEveryPage({ viewport, reducedMotion: 'reduce' }, async (page) => {
      const all: string[] = []
      for (let press = 0; press < mostPresses; press += 1) {
        await page.keyboard.press('Tab')
        const finding = await unseenFocus(page)
        if (finding === null) break
        if (finding !== '') all.push(finding)
      }
      return [...all, ...await withSpacing(page)]
    })
    expect([...new Set(found)]).toEqual([])
  },
)
