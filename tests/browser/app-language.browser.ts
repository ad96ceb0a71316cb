/** The app in German: no text of any page is English. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { parseAst } from 'vite'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { password, signedIn } from '../support/person.ts'
import { fullBooks, addressesOf, settled, visit } from './app-routes.ts'
import { type AppStory, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory({}, { receivers: localReceivers })
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

/** Returns the words of a text in small letters, without email addresses. */
const wordsIn = (text: string) =>
  text.toLowerCase().replaceAll(/\S+@\S+/g, '').match(/\p{L}{2,}/gu) ?? []

type Node = { type: string, [part: string]: unknown }

/**
 * Adds the words of each text to those of its language: `de` is the German part of a catalogue,
 * everything else is English.
 */
function addWords(
  node: Node,
  isGerman: boolean,
  vocabulary: Record<'en' | 'de', Set<string>>,
): void {
  if (node.type === 'ImportDeclaration') return
  const text = node.type === 'Literal'
    ? node['value']
    : node.type === 'TemplateElement'
    ? (node['value'] as { cooked: string }).cooked
    : ''
  for (const word of wordsIn(String(text))) vocabulary[isGerman ? 'de' : 'en'].add(word)
  const isDe = isGerman ||
    (node.type === 'Property' && (node['key'] as { name?: string }).name === 'de')
  for (const part of Object.values(node).flat())
    if (typeof (part as Node | null)?.type === 'string') addWords(part as Node, isDe, vocabulary)
}

/** Returns the words that only the English texts of the app have. */
function englishWords(): Set<string> {
  const directory = join(import.meta.dirname, '../../app/src/messages')
  const vocabulary = { en: new Set<string>(), de: new Set<string>() }
  for (const file of globSync('*.ts', { cwd: directory }))
    addWords(
      parseAst(readFileSync(join(directory, file), 'utf8'), { lang: 'ts' }) as unknown as Node,
      file.endsWith('-german.ts'),
      vocabulary,
    )
  for (const day of Array.from({ length: 7 }, (_, at) => new Date(2025, 0, at + 1)))
    for (const word of wordsIn(day.toLocaleDateString('de', { weekday: 'short' })))
      vocabulary.de.add(word)
  return new Set([...vocabulary.en].filter((word) => !vocabulary.de.has(word)))
}

/**
 * Returns everything that users of the page read or hear, without parts that are marked as another
 * language.
 */
const textsOn = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const isOther = (element) => element.closest('[lang]')?.lang !== 'de' || element.closest('script, style, noscript') !== null
    const elements = [...document.querySelectorAll('body *')].filter((element) => !isOther(element))
    const textOf = (element) => [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data)
    const attributes = (element) => ['aria-label', 'aria-description', 'aria-roledescription', 'placeholder', 'title', 'alt', 'label', 'value']
      .map((name) => name === 'value' && element.type !== 'submit' ? null : element.getAttribute(name))
    return [document.title, ...elements.flatMap((element) => [...textOf(element), ...attributes(element)])].filter((text) => text !== null && text.trim() !== '')
  })()`)

const english = englishWords()

/** English texts, each with the first place where it was seen. */
type Found = Map<string, string>

/** Collects the English texts of the page. */
async function collect(page: Page, place: string, found: Found): Promise<void> {
  for (const text of await textsOn(page))
    if (!found.has(text) && wordsIn(text).some((word) => english.has(word))) found.set(text, place)
}

/** Buttons that change rows or leave the page. */
const changing =
  /lösch|entfern|abmeld|verlass|rückgängig|anwend|nimm|nehmen|send|importier|speicher|test|lad|herunter|widerruf|beend|eintragen|übernehm|ausblend|passt|erfass|install|verwerf/i

/** Returns the names of the buttons below an element. */
const openersOn = (page: Page, below: string) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('${below} :is(button, summary)')].filter((button) => button.checkVisibility() && !button.disabled && button.type !== 'submit')
    .map((button) => button.textContent.trim() || button.getAttribute('aria-label') || '')`,
  )

/**
 * Opens each dialog, form and menu of the page, those of the frame only once, and collects the
 * English texts in them.
 */
async function collectBehind(page: Page, path: string, found: Found): Promise<void> {
  const names = [...new Set(await openersOn(page, path === '/' ? 'body' : 'main'))].filter((name) =>
    name !== '' && !changing.test(name)
  )
  for (const name of names) {
    const button = page.locator('button, summary').filter({ visible: true }).and(
      page.getByText(name, { exact: true }).or(page.getByLabel(name, { exact: true })),
    ).first()
    if (await button.count() === 0) continue
    await button.click()
    await settled(page)
    await collect(page, `${path} > ${name}`, found)
    await visit(page, path)
  }
}

test.each([{ books: 'her own', isTeam: false }, { books: "a team's", isTeam: true }])(
  'Mia reads $books books in German: no page, form or menu has an English text',
  async ({ isTeam }) => {
    const { who, ids } = await fullBooks(story, 'de-DE', isTeam)
    const page = await story.open(who, '/', {
      locale: 'de-DE',
      viewport: { width: 1280, height: 900 },
    })
    const found: Found = new Map()
    for (const { path } of addressesOf(ids).filter(({ isOutside }) => !isOutside)) {
      await visit(page, path)
      await collect(page, path, found)
      await page.evaluate(
        "document.querySelectorAll('details').forEach((one) => { one.open = true })",
      )
      await settled(page)
      await collect(page, path, found)
      if (!isTeam) await collectBehind(page, path, found)
    }
    expect([...found]).toEqual([])
    await page.context().close()
  },
)

test('a guest with a German browser reads no English text', async () => {
  const page = await story.open(null, '/sign-in', { locale: 'de-DE' })
  const found: Found = new Map()
  for (
    const { path } of addressesOf({ accountId: 'none', dashboardId: 'none', day: 'none' })
      .filter(({ isOutside }) => isOutside)
  ) {
    await visit(page, path)
    await collect(page, path, found)
  }
  expect([...found]).toEqual([])
  await page.context().close()
})

test('Ann chooses a language before she signs in, and another one in her settings; both stay', async () => {
  const page = await story.open(null, '/sign-in', { locale: 'fr-FR' })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
  expect(await documentOf(page)).toEqual({
    language: 'de',
    description: 'Finanzen für dich und dein Team',
    manifest: '/manifest.de.webmanifest',
  })
  await page.getByLabel('E-Mail-Adresse').fill((await signedIn(story.stack, 'Ann')).email)
  await page.getByLabel('Passwort').fill(password)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor()

  await visit(page, '/settings')
  await page.getByLabel('Sprache').selectOption('English')
  await page.getByLabel('Language').waitFor()
  await visit(page, '/')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await documentOf(page)).toEqual({
    language: 'en',
    description: 'Personal and team finance',
    manifest: '/manifest.webmanifest',
  })
  await page.context().close()
})

/** The language that the page says about itself. */
const documentOf = (page: Page) =>
  page.evaluate<Record<string, string>>(`({
    language: document.documentElement.lang,
    description: document.querySelector('meta[name=description]').content,
    manifest: document.querySelector('link[rel=manifest]').getAttribute('href'),
  })`)

test('the German manifest differs from the English one only in its words', async () => {
  const [original = {}, german = {}] = await Promise.all(
    ['manifest', 'manifest.de'].map(async (name) =>
      (await fetch(`${story.stack.publicUrl}/${name}.webmanifest`)).json() as Promise<
        Record<string, unknown>
      >
    ),
  )
  const changed = Object.keys(original).filter((member) =>
    JSON.stringify(original[member]) !== JSON.stringify(german[member])
  )
  expect(changed).toEqual(['lang', 'description', 'shortcuts'])
  expect(Object.keys(german)).toEqual(Object.keys(original))
})
