/**
 * A client that shows a list of rows, reads changed rows again, and resumes its stream whenever
 * that ends.
 */
import type pg from 'pg'
import { expect } from 'vitest'
import { openLive, type Live } from './live.ts'
import { cookieOf, type Person } from './person.ts'

export type FollowedList = {
  /** The names of the rows that the client shows, by id. */
  visible: ReadonlyMap<string, string>
  /** Resolves when the client shows a row with the name `last`. */
  complete: Promise<void>
  /** Cuts the connection. The client resumes. */
  cut: () => Promise<void>
}

export const isReady = (url: string) =>
  expect.poll(() => fetch(`${url}/readyz`).then(({ status }) => status, () => 0)).toBe(200)

/** Reads the names of a user's rows by id. @param ids null for all rows */
export async function readNames(
  sql: pg.Pool,
  table: string,
  user: string,
  ids: string[] | null = null,
): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ id: string, name: string }>(
    `select id, name from api.${table} where user_id = $1 and ($2::uuid[] is null or id = any ($2))`,
    [user, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Shows the personal rows of a table. @param url the auth service */
export function followList(
  url: string,
  sql: pg.Pool,
  person: Person,
  user: string,
  table: string,
): FollowedList {
  const visible = new Map<string, string>()
  const read = async (ids: string[] | null): Promise<void> => {
    const found = await readNames(sql, table, user, ids)
    for (const id of ids ?? [...visible.keys()]) visible.delete(id)
    for (const [id, name] of found) visible.set(id, name)
  }
  const isComplete = () => [...visible.values()].includes('last')
  let stream: Live | undefined
  let cursor: string | undefined
  /** Reads what the stream tells. Rejects when the stream ends or rows cannot be read. */
  const takeAll = async (from: Live): Promise<void> => {
    while (!isComplete()) {
      const { event, id, data } = await from.next()
      if (event === 'reset' || event === 'ready' && cursor === undefined) await read(null)
      else if (event === 'change') await read(data.ids)
      cursor = id ?? cursor
    }
  }
  const follow = async (): Promise<void> => {
    while (!isComplete()) {
      const headers = {
        cookie: cookieOf(person),
        ...(cursor !== undefined && { 'last-event-id': cursor }),
      }
      const current = await openLive(url, headers, `?tables=${table}`).catch(() => undefined)
      stream = current
      if (current !== undefined) await takeAll(current).catch(() => undefined)
      await current?.close()
      if (!isComplete()) await isReady(url)
    }
  }
  return { visible, complete: follow(), cut: async () => stream?.close() }
}
