/** Books of test users, relative to the current month. */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import type { AppStory } from './app-story.ts'

/**
 * Returns the first day of this month, or of a month relative to it. So the books look the same on
 * every day of the year.
 */
export const month = (offset = 0) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString()
    .slice(0, 10)
}
export const lastDay = (offset = 0) =>
  new Date(Date.parse(`${month(offset + 1)}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
export const inDays = (count: number) =>
  new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 10)
export const nameOf = (day: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(day),
  )

/**
 * Stores rows as a program of the user would, or calls a function that does. @returns the stored
 * rows
 */
export async function store(
  { stack }: AppStory,
  who: Person,
  table: string,
  rows: object,
): Promise<any[]> {
  const answer = await fetch(`${stack.dataUrl}/${table}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await who.token()}`,
      'content-type': 'application/json',
      prefer: 'return=representation,missing=default',
    },
    body: JSON.stringify(rows),
  })
  const body = await answer.json() as any[]
  expect(answer.ok, JSON.stringify(body)).toBe(true)
  return body
}

/**
 * Three months of a user who earns 3,000, pays a rent of 900 on each first day, and buys food of
 * varying amounts.
 */
export async function keepBooks(story: AppStory, who: Person) {
  const [giro] = await store(story, who, 'accounts', [{
    name: 'Giro',
    type: 'checking',
    currency: 'eur',
    balance: 1000,
  }])
  const [home, food] = await store(story, who, 'categories', [
    { name: 'Home', color: '#4a7fb5', monthly_budget: 1000, budget_currency: 'eur' },
    { name: 'Food', color: '#b9712a', monthly_budget: 100, budget_currency: 'eur' },
  ])
  const booked = [-2, -1, 0].flatMap((offset) => [
    {
      name: 'Salary',
      amount: 3000,
      transaction_date: month(offset),
      account_id: giro.id,
      category_id: null,
    },
    {
      name: 'Rent',
      amount: -900,
      transaction_date: month(offset),
      account_id: giro.id,
      category_id: home.id,
    },
    {
      name: 'Groceries',
      amount: offset === 0 ? -150 : -100,
      transaction_date: month(offset),
      account_id: giro.id,
      category_id: food.id,
    },
  ])
  await store(story, who, 'transactions', booked)
  await store(story, who, 'subscriptions', [{
    title: 'Insurance',
    amount: 120,
    currency: 'eur',
    period: 'yearly',
    starts_on: inDays(3),
    category_id: home.id,
  }])
  return { giro, home, food }
}
