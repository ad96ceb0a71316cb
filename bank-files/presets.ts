/** All presets of CSV files, by name. */
import type { Preset } from './layout.ts'
import { APPS } from './presets-apps.ts'
import { BANKS } from './presets-banks.ts'
import { CARDS } from './presets-cards.ts'
import { MORE } from './presets-more.ts'

export const PRESETS = { ...BANKS, ...CARDS, ...APPS, ...MORE } as const satisfies Record<
  string,
  Preset
>

export type PresetName = keyof typeof PRESETS
