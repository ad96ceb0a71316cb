/**
 * The surface of rates/: the daily download of exchange rates. auth/main.ts runs it in its process.
 */
import { gaugeOf, lastKnown } from '../common/metrics.ts'
import type { Room } from '../http/room.ts'
import type { Services } from '../http/route.ts'
import { rateDownloadFailures, startRateDownloads } from './download.ts'

export const rates: Room<{ url: string | undefined }, void, Partial<Services>> = {
  routes: [],
  metrics: (registry, pool) =>
    gaugeOf(
      registry,
      'auth_exchange_rates_failures',
      'Failed downloads of exchange rates since the last successful one; 0 without EXCHANGE_RATES_URL.',
      lastKnown(() => rateDownloadFailures(pool)),
    ),
  services: () => ({}),
  jobs: ({ pool, log }, _metrics, { url }) => startRateDownloads(pool, url, log),
  sweeps: () => [],
}
