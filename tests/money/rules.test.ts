/**
 * Random rules change random transactions as a model does. A failure prints the seed and the
 * smallest failing sketch.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, dataStack, type DataStack } from '../support/data.ts'
import { maybe, record } from './books.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const names = ['Rewe', 'REWE City', 'Tram', 'To savings', 'x']
const tags = ['a', 'b']
const categories = ['Food', 'Travel']
const days = ['2025-01-31', '2025-02-01', '2025-02-28']

type Transaction = {
  id: string
  name: string
  amount: number
  day: string
  description: string | null
  category: string | null
  tags: string[]
  isTransfer: boolean
}
type Condition = { field: string, operation: string, value: unknown }
type Rule = {
  id: string
  priority: number
  isActive: boolean
  conditions: Condition[]
  category: string | null
  name: string | null
  tags: string[]
  isTransfer: boolean
}
type Change = {
  id: string
  rule: string
  after: { category?: string, name?: string, tags?: string[], transfer?: true }
}

const name = fc.constantFrom(...names)
const number = fc.constantFrom(-20, -5, 0, 5, 20)
const conditions: fc.Arbitrary<Condition>[] = [
  fc.constantFrom('*rewe*', 'rewe', '*r*', 't*', '*').map((value) => ({
    field: 'name',
    operation: 'ilike',
    value,
  })),
  fc.constantFrom('*Rewe*', 'T*').map((value) => ({ field: 'name', operation: 'like', value })),
  name.map((value) => ({ field: 'name', operation: 'neq', value })),
  fc.uniqueArray(name, { minLength: 1 }).map((value) => ({
    field: 'name',
    operation: 'in',
    value,
  })),
  fc.tuple(fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte'), number)
    .map(([operation, value]) => ({ field: 'amount', operation, value })),
  fc.tuple(number, number).map((ends) => ({
    field: 'amount',
    operation: 'between',
    value: ends.toSorted((one, other) => one - other),
  })),
  fc.boolean().map((value) => ({ field: 'description', operation: 'is_null', value })),
  fc.constantFrom('eq', 'neq', 'ilike').map((operation) => ({
    field: 'description',
    operation,
    value: 'note',
  })),
  fc.boolean().map((value) => ({ field: 'category_id', operation: 'is_null', value })),
  fc.tuple(fc.constantFrom('eq', 'neq'), fc.constantFrom(...categories))
    .map(([operation, value]) => ({ field: 'category_id', operation, value })),
  fc.tuple(fc.constantFrom('from', 'to', 'eq'), fc.constantFrom(...days))
    .map(([operation, value]) => ({ field: 'transaction_date', operation, value })),
  fc.tuple(fc.constantFrom('eq', 'neq'), fc.constantFrom(...tags)).map(([operation, value]) => ({
    field: 'tag',
    operation,
    value,
  })),
]

type Sketch = { transactions: Omit<Transaction, 'id' | 'isTransfer'>[], rules: Omit<Rule, 'id'>[] }
const someTags = fc.uniqueArray(fc.constantFrom(...tags))
const sketches: fc.Arbitrary<Sketch> = record({
  transactions: fc.array(
    record({
      name,
      amount: number,
      day: fc.constantFrom(...days),
      description: fc.constantFrom(null, 'note', 'other'),
      category: fc.constantFrom(null, ...categories),
      tags: someTags,
    }),
    { minLength: 1, maxLength: 8 },
  ),
  rules: fc.array(
    record({
      priority: fc.integer({ min: -1, max: 1 }),
      isActive: fc.constantFrom(true, true, true, false),
      // one condition for a field, because several may contradict each other
      conditions: fc.uniqueArray(fc.oneof(...conditions), {
        minLength: 1,
        maxLength: 3,
        selector: ({ field }) => field,
      }),
      category: fc.constantFrom(null, ...categories),
      name: maybe(name).map((set) => set ?? null),
      tags: someTags,
      isTransfer: fc.constantFrom(true, false, false),
    }).map((rule) => rule.isTransfer ? { ...rule, category: null } : rule).filter((rule) =>
      rule.isTransfer || rule.category !== null || rule.name !== null || rule.tags.length > 0
    ),
    { minLength: 1, maxLength: 5 },
  ),
})

const likes = (text: string, pattern: string, flags: string) =>
  new RegExp(`^${pattern.replaceAll('*', '.*')}$`, flags).test(text)

/** "All conditions must hold." A value that is missing meets only `is_null` true and `neq`. */
function meets(transaction: Transaction, { field, operation, value }: Condition): boolean {
  if (field === 'tag') return transaction.tags.includes(value as string) === (operation === 'eq')
  const given = {
    name: transaction.name,
    amount: transaction.amount,
    description: transaction.description,
    category_id: transaction.category,
    transaction_date: transaction.day,
  }[field] ?? null
  if (operation === 'is_null') return (given === null) === value
  if (operation === 'neq') return given !== value
  if (given === null) return false
  const isBetween = ([first, last]: unknown[]) =>
    given >= (first as typeof given) && given <= (last as typeof given)
  switch (operation) {
    case 'eq':
      return given === value
    case 'in':
      return (value as unknown[]).includes(given)
    case 'like':
    case 'ilike':
      return likes(String(given), value as string, operation === 'ilike' ? 'i' : '')
    case 'between':
      return isBetween(value as unknown[])
    case 'gt':
      return given > (value as typeof given)
    case 'lt':
      return given < (value as typeof given)
    case 'gte':
    case 'from':
      return given >= (value as typeof given)
    default:
      return given <= (value as typeof given)
  }
}

/** "The first active rule that matches, by priority, then by age." */
const ruleFor = (transaction: Transaction, rules: Rule[]): Rule | undefined =>
  rules.filter(({ isActive }) => isActive).toSorted((one, other) => one.priority - other.priority)
    .find((rule) => rule.conditions.every((condition) => meets(transaction, condition)))

function changeOf(transaction: Transaction, rules: Rule[]): Change | undefined {
  const rule = transaction.isTransfer ? undefined : ruleFor(transaction, rules)
  if (rule === undefined) return undefined
  const after = {
    ...rule.category !== null && rule.category !== transaction.category
      ? { category: rule.category }
      : {},
    ...rule.name !== null && rule.name !== transaction.name ? { name: rule.name } : {},
    ...rule.tags.some((tag) => !transaction.tags.includes(tag))
      ? { tags: [...new Set([...transaction.tags, ...rule.tags])].toSorted() }
      : {},
    ...rule.isTransfer ? { transfer: true as const } : {},
  }
  return Object.keys(after).length === 0 ? undefined : { id: transaction.id, rule: rule.id, after }
}

const changed = (
  transaction: Transaction,
  { transfer, ...after }: Change['after'] = {},
): Transaction => ({
  ...transaction,
  ...after,
  isTransfer: transaction.isTransfer || transfer === true,
})

/**
 * The rule of a new row. "A `category_id` in the row has priority, and such a row is not marked as
 * a transfer."
 */
function ruleAtImport(row: Transaction, rules: Rule[]): string | null {
  const rule = ruleFor(row, rules)
  const isChanged = rule !== undefined
    && (row.category === null && (rule.category !== null || rule.isTransfer) ||
      rule.name !== null && rule.name !== row.name || rule.tags.length > 0)
  return isChanged ? rule.id : null
}

const byId = <One extends { id: string }>(rows: One[]) =>
  rows.toSorted((one, other) => one.id < other.id ? -1 : 1)

test('apply_rules and an import choose the rules of the model, and store its changes', async () => {
  await fc.assert(
    fc.asyncProperty(sketches, async (sketch) => {
      const caller: Caller = stack.as(await stack.person())
      const idOf = async (table: string, rows: object[]): Promise<string[]> =>
        rows.length === 0
          ? []
          : [await caller.create(table, rows)].flat().map(({ id }) => id as string)
      const ids = new Map<string, string>()
      for (const one of categories)
        ids.set(one, (await caller.create('categories', { name: one })).id)
      for (const one of tags) ids.set(one, (await caller.create('tags', { name: one })).id)
      const category = (one: string | null) => one === null ? null : ids.get(one)
      const stored = await idOf(
        'transactions',
        sketch.transactions.map(({ name: title, amount, day, description, category: of }) => ({
          name: title,
          amount,
          transaction_date: day,
          description,
          category_id: category(of),
        })),
      )
      const transactions = sketch.transactions.map((one, at): Transaction => ({
        ...one,
        id: stored[at]!,
        isTransfer: false,
      }))
      for (const one of transactions)
        for (const tag of one.tags)
          await caller.create('transaction_tags', { transaction_id: one.id, tag_id: ids.get(tag) })
      const written = (condition: Condition) =>
        condition.field === 'category_id' && typeof condition.value === 'string'
          ? { ...condition, value: ids.get(condition.value) }
          : condition
      const ruleIds = await idOf(
        'rules',
        sketch.rules.map((rule) => ({
          name: 'rule',
          priority: rule.priority,
          is_active: rule.isActive,
          conditions: rule.conditions.map(written),
          set_category_id: category(rule.category),
          set_name: rule.name,
          add_tags: rule.tags,
          mark_as_transfer: rule.isTransfer,
        })),
      )
      const rules = sketch.rules.map((rule, at): Rule => ({ ...rule, id: ruleIds[at]! }))

      const rows = transactions.map((one) => ({ ...one, tags: [] }))
      const { body: verdicts, text: said } = await caller.post('/rpc/import_transactions', {
        p_rows: rows.map((one, at) => ({
          name: one.name,
          amount: one.amount,
          transaction_date: one.day,
          external_id: `row ${at}`,
          ...one.description === null ? {} : { description: one.description },
          ...one.category === null ? {} : { category_id: category(one.category) },
        })),
        p_match: false,
      })
      expect(
        verdicts.map?.(({ rule_id: id }: { rule_id: string | null }) => id),
        said,
      ).toEqual(rows.map((row) => ruleAtImport(row, rules)))

      let expected = transactions
      // a second run judges the changed values
      for (let run = 0; run < 2; run += 1) {
        const changes = expected.flatMap((one) => changeOf(one, rules) ?? [])
        for (const p_dry_run of [true, false]) {
          const { status, text, body } = await caller.post('/rpc/apply_rules', { p_dry_run })
          expect(status, text).toBe(200)
          const answered = body
            .map((
              { transaction_id: id, rule_id: rule, after: { category_id: of, ...after } }: any,
            ) => ({
              id,
              rule,
              after: {
                ...after,
                ...of === undefined
                  ? {}
                  : { category: categories.find((one) => ids.get(one) === of) },
              },
            }))
          expect(byId(answered)).toEqual(byId(changes))
        }
        expected = expected.map((one) =>
          changed(one, changes.find(({ id }) => id === one.id)?.after)
        )
      }
      const { body: now } = await caller.get(
        '/transactions?select=id,name,category_id,transfer_id,tags(name)',
      )
      expect(byId(now.map((one: any) => ({
        id: one.id,
        name: one.name,
        category: categories.find((of) => ids.get(of) === one.category_id) ?? null,
        tags: one.tags.map((tag: { name: string }) => tag.name).toSorted(),
        isTransfer: one.transfer_id === one.id,
      })))).toEqual(
        byId(
          expected.map(({ id, name: title, category: of, tags: all, isTransfer }) => ({
            id,
            name: title,
            category: of,
            tags: all.toSorted(),
            isTransfer,
          })),
        ),
      )
    }),
    { numRuns: Number(process.env['BOOKS'] ?? 60) },
  )
})
