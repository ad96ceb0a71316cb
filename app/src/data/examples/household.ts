/** The income, the expenses and the accounts of the household in the example books. */
import type { NewRow } from 'finance-client'
import type { ExampleNames } from '../../messages/example-names.ts'

export type AccountName = keyof ExampleNames['accounts']
export type CategoryName = keyof ExampleNames['categories']
export type PayeeName = keyof ExampleNames['payees']

/** A payment of every month, on a day until the 28th. */
type Monthly = {
  payee: PayeeName
  category: CategoryName
  account: AccountName
  day: number
  amount: number
  isRecurring?: boolean
}

export const fixed: readonly Monthly[] = [
  {
    payee: 'salary',
    category: 'salary',
    account: 'everyday',
    day: 1,
    amount: 2950,
    isRecurring: true,
  },
  { payee: 'rent', category: 'rent', account: 'everyday', day: 1, amount: -980, isRecurring: true },
  {
    payee: 'transit',
    category: 'transport',
    account: 'everyday',
    day: 2,
    amount: -49,
    isRecurring: true,
  },
  {
    payee: 'gym',
    category: 'health',
    account: 'everyday',
    day: 3,
    amount: -29.9,
    isRecurring: true,
  },
  {
    payee: 'energy',
    category: 'energy',
    account: 'everyday',
    day: 6,
    amount: -92,
    isRecurring: true,
  },
  {
    payee: 'internet',
    category: 'internet',
    account: 'everyday',
    day: 8,
    amount: -39.95,
    isRecurring: true,
  },
  {
    payee: 'music',
    category: 'leisure',
    account: 'card',
    day: 20,
    amount: -10.99,
    isRecurring: true,
  },
]

/** The payments that the books also have as recurring income or costs. */
export const recurring = fixed.filter(({ isRecurring }) => isRecurring === true)

/** Payments of varying amounts: the days of a month, and the smallest and largest amount. */
type Varying = {
  payees: readonly PayeeName[]
  category: CategoryName
  account: AccountName
  days: readonly number[]
  from: number
  to: number
}

export const varying: readonly Varying[] = [
  {
    payees: ['supermarket', 'market', 'discounter'],
    category: 'groceries',
    account: 'everyday',
    days: [3, 7, 11, 15, 19, 23, 27],
    from: 28,
    to: 68,
  },
  {
    payees: ['bakery'],
    category: 'groceries',
    account: 'cash',
    days: [5, 13, 21, 28],
    from: 4,
    to: 9,
  },
  {
    payees: ['trattoria', 'noodles', 'cafe'],
    category: 'eatingOut',
    account: 'card',
    days: [2, 9, 16, 22, 26],
    from: 12,
    to: 46,
  },
  { payees: ['train'], category: 'transport', account: 'card', days: [10, 24], from: 18, to: 42 },
  {
    payees: ['cinema', 'books', 'swimming'],
    category: 'leisure',
    account: 'card',
    days: [14, 25],
    from: 9,
    to: 34,
  },
]

/** Single payments: months before the current one, and the day in it. */
type Single = {
  payee: PayeeName
  category: CategoryName
  account: AccountName
  ago: number
  day: number
  amount: number
  isTagged?: boolean
}

export const single: readonly Single[] = [
  { payee: 'clothes', category: 'clothing', account: 'card', ago: 11, day: 17, amount: -118.5 },
  { payee: 'dentist', category: 'health', account: 'everyday', ago: 10, day: 12, amount: -86 },
  { payee: 'insurance', category: 'home', account: 'everyday', ago: 9, day: 14, amount: -164 },
  { payee: 'shoes', category: 'clothing', account: 'card', ago: 8, day: 21, amount: -89.9 },
  { payee: 'gift', category: 'leisure', account: 'card', ago: 7, day: 18, amount: -45 },
  {
    payee: 'taxRefund',
    category: 'otherIncome',
    account: 'everyday',
    ago: 6,
    day: 20,
    amount: 412.6,
  },
  {
    payee: 'flight',
    category: 'holidays',
    account: 'card',
    ago: 5,
    day: 11,
    amount: -268,
    isTagged: true,
  },
  {
    payee: 'hotel',
    category: 'holidays',
    account: 'everyday',
    ago: 4,
    day: 5,
    amount: -540,
    isTagged: true,
  },
  { payee: 'pharmacy', category: 'health', account: 'cash', ago: 3, day: 15, amount: -17.4 },
  { payee: 'bicycle', category: 'otherIncome', account: 'cash', ago: 3, day: 23, amount: 120 },
  { payee: 'lamp', category: 'home', account: 'card', ago: 2, day: 18, amount: -74.9 },
  { payee: 'birthday', category: 'eatingOut', account: 'card', ago: 1, day: 20, amount: -96.4 },
  { payee: 'jacket', category: 'clothing', account: 'card', ago: 1, day: 12, amount: -129 },
]

/** Payments with the travel card, in its own currency. */
export const abroad: readonly { payee: PayeeName, day: number, amount: number }[] = [
  { payee: 'museum', day: 8, amount: -32 },
  { payee: 'seafood', day: 9, amount: -58.2 },
  { payee: 'boat', day: 10, amount: -45 },
  { payee: 'souvenirs', day: 11, amount: -27.5 },
  { payee: 'taxi', day: 12, amount: -38.9 },
]
export const monthsSinceTravel = 4

/** Imported rows without a category. Their days are counted back from today. */
export const unsorted: readonly { payee: PayeeName, ago: number, amount: number }[] = [
  { payee: 'bankCafe', ago: 1, amount: -6.8 },
  { payee: 'bankSupermarket', ago: 2, amount: -37.45 },
  { payee: 'bankOnline', ago: 3, amount: -24.99 },
  { payee: 'bankFuel', ago: 5, amount: -51.3 },
  { payee: 'bankRefund', ago: 6, amount: 19.95 },
  { payee: 'bankParking', ago: 8, amount: -4.5 },
]

export const budgets: Partial<Record<CategoryName, number>> = {
  home: 1200,
  groceries: 340,
  eatingOut: 150,
  transport: 130,
  health: 60,
  leisure: 90,
}

export const families: ReadonlyArray<
  { name: CategoryName, color: string, kind: 'income' | 'expense', parent?: CategoryName }
> = [
  { name: 'salary', color: '#3f8f5f', kind: 'income' },
  { name: 'otherIncome', color: '#7a9a3a', kind: 'income' },
  { name: 'home', color: '#4a7fb5', kind: 'expense' },
  { name: 'rent', color: '#4a7fb5', kind: 'expense', parent: 'home' },
  { name: 'energy', color: '#5f93c4', kind: 'expense', parent: 'home' },
  { name: 'internet', color: '#7aa8d2', kind: 'expense', parent: 'home' },
  { name: 'groceries', color: '#5b9a68', kind: 'expense' },
  { name: 'eatingOut', color: '#b9712a', kind: 'expense' },
  { name: 'transport', color: '#8a6fb0', kind: 'expense' },
  { name: 'health', color: '#c2607f', kind: 'expense' },
  { name: 'leisure', color: '#3f8f95', kind: 'expense' },
  { name: 'holidays', color: '#d09a2f', kind: 'expense', parent: 'leisure' },
  { name: 'clothing', color: '#96705a', kind: 'expense' },
]

export const accountKinds: Record<
  AccountName,
  { type: NewRow<'accounts'>['type'], balance: number }
> = {
  everyday: { type: 'checking', balance: 1840.35 },
  savings: { type: 'savings', balance: 6200 },
  card: { type: 'credit_card', balance: 0 },
  cash: { type: 'cash', balance: 60 },
  travel: { type: 'checking', balance: 55 },
}
