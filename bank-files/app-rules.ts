/** Conventions of other apps in their exports. Their columns are in presets-apps.ts. */
import type { AppRow } from './app-types.ts'

/** A row's place in a split: the rows of one split follow each other. */
type SplitPart = { number: number, count: number }

export type AppRules = {
  name: string
  /** Between the group and the category, if one column has both. */
  separator?: string
  /** Splits the column of tags. */
  tags: (list: string) => string[]
  /** True for a starting balance, which is no transaction. */
  isOpening: (row: AppRow) => boolean
  /** True for a row that moves money between two accounts of the user. */
  isTransfer: (row: AppRow) => boolean
  /** Returns the other account of a transfer. Undefined if the app does not name it. */
  otherAccount?: (row: AppRow) => string | undefined
  splitOf?: (row: AppRow) => SplitPart | undefined
  /** Replaces `splitOf` if the app names the split of a row. */
  splitKey?: (row: AppRow) => string | undefined
  /** Words after `#` in the notes are tags. */
  hashtags?: true
  /** Removes marks of splits from a text. */
  note?: (text: string) => string
}

const byComma = (list: string) =>
  list.split(',').map((tag) => tag.trim().slice(0, 100)).filter((tag) => tag !== '')

const hasTransferCategory = ({ texts: { category = '' } }: AppRow) =>
  /^(?:transfers?|credit card payments?|payment, transfer|balance transfers?)$/i.test(category)

/** `Split (1/2) note` in YNAB, `(Split 1/2) note` in YNAB 4, `(SPLIT 1 OF 2) note` in Actual. */
const SPLIT = /^\s*(?:Split \((\d+)\/(\d+)\)|\(Split (\d+)(?:\/| OF )(\d+)\)) ?/i

const noted = ({ row: { name, description = '' } }: AppRow): SplitPart | undefined => {
  const found = SPLIT.exec(description) ?? SPLIT.exec(name)
  return found === null
    ? undefined
    : { number: Number(found[1] ?? found[3]), count: Number(found[2] ?? found[4]) }
}

const withoutMark = (text: string) => text.replace(SPLIT, '').trim()

const ynabTransfer = ({ row: { name } }: AppRow) => /^Transfer : (.+)$/.exec(name)?.[1]

export const APP_RULES = {
  'actual': {
    name: 'Actual',
    separator: ': ',
    tags: byComma,
    hashtags: true,
    isOpening: ({ row: { name } }) => name === 'Starting Balance',
    // the payee of a transfer is the other account
    isTransfer: ({ texts: { category = '' } }) => category === '',
    otherAccount: ({ row: { name } }) => name,
    splitOf: noted,
    note: withoutMark,
  },
  'firefly': {
    name: 'Firefly III',
    tags: byComma,
    isOpening: ({ texts: { type = '' } }) => /^opening balance$/i.test(type),
    isTransfer: ({ texts: { type = '' } }) => /^transfer$/i.test(type),
    otherAccount: ({ row: { name } }) => name,
    splitKey: ({ texts: { split = '', type = '' } }) =>
      split === '' || /^transfer$/i.test(type) ? undefined : split,
  },
  'lunch-money': {
    name: 'Lunch Money',
    tags: byComma,
    isOpening: () => false,
    isTransfer: hasTransferCategory,
    splitKey: ({ texts: { split = '' } }) => split === '' ? undefined : split,
  },
  'mint': {
    name: 'Mint',
    tags: (list) => list.trim() === '' ? [] : [list.trim().slice(0, 100)],
    isOpening: () => false,
    isTransfer: hasTransferCategory,
  },
  'monarch': {
    name: 'Monarch',
    tags: byComma,
    isOpening: () => false,
    isTransfer: hasTransferCategory,
  },
  'ynab': {
    name: 'YNAB',
    tags: byComma,
    isOpening: ({ row: { name } }) => name === 'Starting Balance',
    isTransfer: (row) => ynabTransfer(row) !== undefined,
    otherAccount: ynabTransfer,
    splitOf: (row) => ynabTransfer(row) === undefined ? noted(row) : undefined,
    note: withoutMark,
  },
} satisfies Record<string, AppRules>

export type AppName = keyof typeof APP_RULES
