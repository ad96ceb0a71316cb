/** The owner's connection to the database. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/**
 * Reasons of a failed connection that can end by themselves: PostgreSQL starts, stops or is full,
 * or does not answer yet.
 */
const temporary = [
  '57P01',
  '57P02',
  '57P03',
  '53300',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]

function isTemporary(error: unknown): boolean {
  const { code, syscall, message } = error as { code?: string, syscall?: string, message: string }
  // pg has no code for its timeout and for a connection that the server closed
  if (code === undefined) return /timeout|terminated/.test(message)
  // the socket of a server that has not started yet
  return temporary.includes(code) || (code === 'ENOENT' && syscall === 'connect')
}

export type Patience = {
  /** The time in milliseconds after which a failed try is the last. 0: the first is. */
  patienceMs: number
  /** The timeout of one try, in milliseconds. */
  timeoutMs: number
}
/**
 * For programs that run unattended: a minute, as for the locks of a migration, and time for the
 * answer of a busy machine.
 */
export const patient: Patience = { patienceMs: 60_000, timeoutMs: 15_000 }

/**
 * Connects to the database. Tries again if the reason of a failure can end by itself, which a wrong
 * password or host does not.
 */
export async function connect(
  databaseUrl: string,
  { patienceMs, timeoutMs } = patient,
): Promise<pg.Client> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    // the constructor throws if it cannot read a certificate file
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'migrate',
      connectionTimeoutMillis: timeoutMs,
    })
    // a lost connection also fails the current statement, which reports it; without a listener the
    // event would end the process
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      if (!isTemporary(error) || Date.now() >= deadline) throw error
      await sleep(500)
    }
  }
}
