/**
 * Downloads the reference rates of the European Central Bank once a day into the instance's
 * exchange rates. Runs in any number of processes: one of them downloads. A failure changes no
 * rate, is logged and counted, and is tried again later.
 */
import type pg from 'pg'
import { schedule } from '../common/jobs/jobs.ts'
import { startWorker, type Handler, type Job } from '../common/jobs/worker.ts'
import { describeError, type Log } from '../common/log.ts'
import { outboundFetch } from '../common/outbound.ts'
import { withClient } from '../http/database.ts'
import { RateFileError, readRates, type PublishedRate } from './ecb-file.ts'

/** The file of all days since 1999 has about 9 MB. */
const limits = { maxBytes: 24 * 1_048_576, timeoutMs: 60_000 }
/** Rates per statement. A statement of this size takes some milliseconds. */
const batchRates = 2_000
/** Timeout of a download with its storage, in milliseconds. */
const attemptMs = 5 * 60_000
/** Pause between two queries for a due download, in milliseconds. */
const usualPauseMs = 60_000
/**
 * The delays after failed downloads, in milliseconds: from the first one, doubled up to the last
 * one.
 */
const [firstDelayMs, lastDelayMs] = [5 * 60_000, 6 * 3_600_000]

const task = 'download_rates'

/** Milliseconds until the next 17:00 in Frankfurt. The bank publishes at about 16:00. */
const untilNextRates = `
  select (extract(epoch from
    (((now() at time zone 'Europe/Berlin' - interval '17 hours')::date + 1) + time '17:00') at time zone 'Europe/Berlin' - now()) * 1000)::float8 as milliseconds`

async function download(url: string, signal: AbortSignal): Promise<string> {
  const response = await outboundFetch(url, { signal, ...limits })
  if (response.status !== 200)
    throw new RateFileError(`the server of the rates responded with ${response.status}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer())
  } catch {
    throw new RateFileError('the rates are no UTF-8 text')
  }
}

/**
 * Stores all rates in one transaction, so a file with an error stores none. @returns the number of
 * rates in the file, and of those that are new or changed
 */
async function store(pool: pg.Pool, text: string): Promise<{ rates: number, changed: number }> {
  const today = new Date().toISOString().slice(0, 10)
  return withClient(pool, async (client) => {
    let rates = 0
    let changed = 0
    const storeBatch = async (batch: PublishedRate[]) => {
      const { rows } = await client.query<{ stored: string }>(
        'select private.store_instance_rates($1, $2, $3) as stored',
        [
          batch.map(({ day }) => day),
          batch.map(({ currency }) => currency),
          batch.map(({ rate }) => rate),
        ],
      )
      changed += Number(rows[0]?.stored)
    }
    await client.query('begin')
    let batch: PublishedRate[] = []
    for (const rate of readRates(text, today)) {
      rates += 1
      batch.push(rate)
      if (batch.length === batchRates) {
        await storeBatch(batch)
        batch = []
      }
    }
    await storeBatch(batch)
    await client.query('commit')
    return { rates, changed }
  })
}

/**
 * Runs until stopped.
 * @param url EXCHANGE_RATES_URL; undefined ends the downloads of the whole instance
 * @param pauseMs pause between two queries for a due download, for tests
 * @returns a function that stops it; a download in progress is aborted and stores nothing
 */
export async function startRateDownloads(
  pool: pg.Pool,
  url: string | undefined,
  log: Log,
  pauseMs = usualPauseMs,
): Promise<() => Promise<void>> {
  if (url === undefined) {
    await pool.query('delete from private.jobs where task = $1', [task])
    return () => Promise.resolve()
  }
  await schedule(pool, task, ['daily'], { url })
  const downloadAndStore: Handler = async ({ payload }, signal) => {
    log.info(
      await store(pool, await download((payload as { url: string }).url, signal)),
      'exchange rates downloaded',
    )
    return (await pool.query<{ milliseconds: number }>(untilNextRates)).rows[0]?.milliseconds
  }
  const onFailure = (error: unknown, { failures }: Job) => {
    log.warn(
      { error: describeError(error) },
      'exchange rates could not be downloaded; the former rates stay, and it will be tried again',
    )
    return {
      afterMs: Math.min(firstDelayMs * 2 ** failures, lastDelayMs),
      reason: describeError(error).message,
    }
  }
  return startWorker({
    pool,
    tasks: { [task]: downloadAndStore },
    slots: 1,
    timeoutMs: attemptMs,
    pauseMs,
    onFailure,
    log,
  }).stop
}

/** Returns the number of failed downloads since the last successful one. */
export async function rateDownloadFailures(pool: pg.Pool): Promise<number> {
  const { rows: [job] } = await pool.query<{ failures: number }>(
    'select failures from private.jobs where task = $1',
    [task],
  )
  return job?.failures ?? 0
}
