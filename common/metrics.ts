/**
 * Parts of Prometheus metrics that several programs share. Each series starts at zero, so an alert
 * sees the first event as a change.
 */
import { Counter, Gauge, type Registry } from 'prom-client'

/**
 * Time that a scrape waits for the database, in milliseconds. After it the scrape contains the last
 * value.
 */
const scrapeTimeoutMs = 500
/** Maximum age of a value, in milliseconds. An older one is left out. */
const maxAgeMs = 60_000

/**
 * A value from the database. Concurrent scrapes share one query, and a slow database delays no
 * scrape.
 * @returns the current or a recent value; undefined if it is too old
 */
export function lastKnown<Figure>(query: () => Promise<Figure>): () => Promise<Figure | undefined> {
  let lastReading: { figure: Figure, at: number } | undefined
  let running: Promise<void> | undefined
  const queryOnce = async () => {
    try {
      lastReading = { figure: await query(), at: performance.now() }
    } catch {
      // keeps the last value
    } finally {
      running = undefined
    }
  }
  return async () => {
    running ??= queryOnce()
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, scrapeTimeoutMs)
    await Promise.race([running, timeout.promise])
    clearTimeout(timer)
    return lastReading !== undefined && performance.now() - lastReading.at < maxAgeMs
      ? lastReading.figure
      : undefined
  }
}

/** Makes a counter with one series for each reason, at zero. */
export function counterOf<Reason extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  reasons: readonly Reason[],
): (reason: Reason) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] })
  for (const reason of reasons) counter.inc({ [label]: reason }, 0)
  return (reason) => counter.inc({ [label]: reason })
}

/** Makes a gauge whose value each scrape reads. Without a value the series is left out. */
export function gaugeOf(
  registry: Registry,
  name: string,
  help: string,
  value: () => number | undefined | Promise<number | undefined>,
): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const now = await value()
      if (now === undefined) gauge.remove()
      else gauge.set(now)
    },
  })
}
