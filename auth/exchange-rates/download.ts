/**
 * Downloads the reference rates of the European Central Bank once a day into the instance's exchange rates. Runs in any number of
 * processes: the database lets one of them download. A failure changes no rate, is logged and counted, and is tried again later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { describeError, type Log } from '../../common/log.ts'
import { outboundFetch } from '../../common/outbound.ts'
import { withClient } from '../database.ts'
import { RateFileError, readRates, type PublishedRate } from './ecb-file.ts'

/** The file of all days since 1999 has about 9 MB. */
const limits = { maxBytes: 24 * 1_048_576, timeoutMs: 60_000 }
/** Rates per statement. A statement of this size takes some milliseconds. */
const batchRates = 2_000
/** Pause between two queries for a due download, in milliseconds. */
const usualPauseMs = 60_000

async function download(url: string, signal: AbortSignal): Promise<string> {
  const response = await outboundFetch(url, { signal, ...limits })
  if (response.status !== 200) throw new RateFileError(`the server of the rates responded with ${response.status}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer())
  } catch {
    throw new RateFileError('the rates are no UTF-8 text')
  }
}

/** Stores all rates in one transaction, so a file with an error stores none. @returns the number of rates in the file, and of those that are new or changed */
async function store(pool: pg.Pool, text: string): Promise<{ rates: number, changed: number }> {
  const today = new Date().toISOString().slice(0, 10)
  return withClient(pool, async (client) => {
    let rates = 0
    let changed = 0
    const storeBatch = async (batch: PublishedRate[]) => {
      const { rows } = await client.query<{ stored: string }>('select private.store_instance_rates($1, $2, $3) as stored', [
        batch.map(({ day }) => day),
        batch.map(({ currency }) => currency),
        batch.map(({ rate }) => rate),
      ])
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
    await client.query('select private.complete_rate_download()')
    await client.query('commit')
    return { rates, changed }
  })
}

/**
 * Runs until stopped.
 * @param url EXCHANGE_RATES_URL
 * @param pauseMs pause between two queries for a due download, for tests
 * @returns a function that stops it; a download in progress is aborted and stores nothing
 */
export function startRateDownloads(pool: pg.Pool, url: string, log: Log, pauseMs = usualPauseMs): () => Promise<void> {
  const stopping = new AbortController()
  const isDue = async () => (await pool.query<{ claimed: boolean }>('select private.claim_rate_download($1) as claimed', [url])).rows[0]?.claimed === true
  const downloadOnce = async () => {
    try {
      log.info(await store(pool, await download(url, stopping.signal)), 'exchange rates downloaded')
    } catch (error) {
      if (stopping.signal.aborted) return
      log.warn({ error: describeError(error) }, 'exchange rates could not be downloaded; the former rates stay, and it will be tried again')
      await pool.query('select private.fail_rate_download()')
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        if (await isDue()) await downloadOnce()
      } catch (error) {
        log.warn({ error: describeError(error) }, 'the download of exchange rates has no database; trying again')
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
