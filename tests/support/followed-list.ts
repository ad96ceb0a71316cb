/**
 * A client that shows a list of rows, reads changed rows again, and resumes its stream whenever
 * that ends.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { expect } from 'vitest'
import { openLive, type Live } from './live.ts'
import { cookieOf, type Person } from './person.ts'

/** Rows by id, each with its name. */
type Names = Map<string, string>

export type FollowedList = {
  /** The names of the rows that the client shows, by id. */
  visible: ReadonlyMap<string, string>
  /** Resolves when the client shows all rows. */
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
): Promise<Names> {
  const { rows } = await sql.query<{ id: string, name: string }>(
    `select id, name from api.${table} where user_id = $1 and ($2::uuid[] is null or id = any ($2))`,
    [user, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/**
 * Shows the personal rows of a table.
 * @param url the service with the stream
 * @param read reads rows again; null for all
 * @param isComplete whether the client shows all rows
 */
export function followRows(
  url: string,
  person: Person,
  table: string,
  read: (ids: string[] | null) => Promise<Names>,
  isComplete: (visible: ReadonlyMap<string, string>) => boolean,
): FollowedList {
  const visible: Names = new Map()
  const update = async (ids: string[] | null): Promise<void> => {
    const found = await read(ids)
    for (const id of ids ?? [...visible.keys()]) visible.delete(id)
    for (const [id, name] of found) visible.set(id, name)
  }
  let stream: Live | undefined
  let cursor: string | undefined
  /** Reads what the stream tells. Rejects when the stream ends or rows cannot be read. */
  const takeAll = async (from: Live): Promise<void> => {
    while (!isComplete(visible)) {
      const { event, id, data } = await from.next()
      if (event === 'reset' || event === 'ready' && cursor === undefined) await update(null)
      else if (event === 'change') await update(data.ids)
      cursor = id ?? cursor
    }
  }
  const follow = async (): Promise<void> => {
    while (!isComplete(visible)) {
      const headers = {
        cookie: cookieOf(person),
        ...(cursor !== undefined && { 'last-event-id': cursor }),
      }
      const current = await openLive(url, headers, `?tables=${table}`).catch(() => undefined)
      stream = current
      if (current !== undefined) await takeAll(current).catch(() => undefined)
      await current?.close()
      await sleep(50)
    }
  }
  return { visible, complete: follow(), cut: async () => stream?.close() }
}

/** Shows the personal rows of a table until one has the name `last`. @param url the auth service */
export const followList = (
  url: string,
  sql: pg.Pool,
  person: Person,
  user: string,
  table: string,
): FollowedList =>
  followRows(
    url,
    person,
    table,
    (ids) => readNames(sql, table, user, ids),
    (visible) => [...visible.values()].includes('last'),
  )
