/** The colours of the reference app have enough contrast, in each theme. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const app = join(import.meta.dirname, '../../app')
const sheet = readFileSync(join(app, 'src/styles/tokens.css'), 'utf8')

type Pair = { light: string, dark: string }

/** Returns the colours of a rule. */
const coloursOf = (selector: string): Record<string, Pair> => {
  const start = sheet.indexOf(`${selector} {`)
  const rule = sheet.slice(start, sheet.indexOf('\n}', start))
  return Object.fromEntries(
    [...rule.matchAll(/--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g)]
      .map(([, name = '', light = '', dark = '']) => [name, { light, dark }]),
  )
}

const usual = coloursOf(':root')
const themes = { usual, more: { ...usual, ...coloursOf(":root[data-contrast='more']") } }

/** The relative luminance by WCAG. @param colour `#rrggbb` */
const luminanceOf = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrastOf = (one: string, other: string): number => {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

const surfaces = ['ground', 'raised', 'tint', 'team-tint']
const texts = ['ink', 'soft']
const coloured = ['accent', 'bad', 'income', 'team']

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  const weakest = (theme: keyof typeof themes, fronts: string[], backs: string[]) =>
    Math.min(
      ...fronts.flatMap((front) =>
        backs.map((back) => contrastOf(themes[theme][front]![scheme], themes[theme][back]![scheme]))
      ),
    )

  test('text has a contrast of 4.5 on every surface', () => {
    expect(weakest('usual', texts, surfaces)).toBeGreaterThanOrEqual(4.5)
    expect(weakest('usual', coloured, ['ground', 'raised', 'tint'])).toBeGreaterThanOrEqual(4.5)
    expect(weakest('usual', ['on-accent'], ['accent'])).toBeGreaterThanOrEqual(4.5)
    expect(weakest('usual', ['bad'], ['bad-tint'])).toBeGreaterThanOrEqual(4.5)
  })

  test('edges of controls and marks of charts have a contrast of 3', () => {
    expect(weakest('usual', ['edge', 'income', 'expense', 'planned'], ['ground', 'raised']))
      .toBeGreaterThanOrEqual(3)
  })

  test('in high contrast, text has a contrast of 7', () => {
    expect(weakest('more', [...texts, 'accent', 'bad', 'income'], ['ground', 'raised']))
      .toBeGreaterThanOrEqual(7)
  })
})

test('the page of the design explains each token of colour', () => {
  const page = readFileSync(join(app, 'DESIGN.md'), 'utf8')
  expect(Object.keys(usual).length).toBeGreaterThan(10)
  expect(
    Object.keys(usual).filter((name) => name !== 'on-accent' && !page.includes(`\`--${name}\``)),
  ).toEqual([])
})
