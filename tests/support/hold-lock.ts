/** Holds a lock in a transaction of its own, so that requests wait for it. */
import pg from 'pg'
import { onTestFinished } from 'vitest'

/**
 * Runs a statement that takes a lock.
 * @param connectionString the owner's connection
 * @returns the function that ends the transaction; the end of the test does so too
 */
export async function holdLock(
  connectionString: string,
  statement: string,
  values: unknown[] = [],
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('begin')
  await client.query(statement, values)
  let ended: Promise<void> | undefined
  const end = () => ended ??= client.end()
  onTestFinished(end)
  return end
}
