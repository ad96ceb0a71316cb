/**
 * A process that sends webhooks, for a test that kills it. Arguments: database URL,
 * BETTER_AUTH_SECRET.
 */
import pg from 'pg'
import { startWebhooks } from '../../realtime/webhooks/dispatcher.ts'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { createLog } from '../../common/log.ts'

const [, , connectionString = '', secret = ''] = process.argv

startWebhooks({
  pool: new pg.Pool({ connectionString }),
  secret,
  receivers: localReceivers,
  observer: { delivered: () => undefined, failed: () => undefined, disabled: () => undefined },
  log: createLog('silent'),
  pauseMs: 50,
})
// the rounds alone do not keep the process alive
setInterval(() => undefined, 60_000)
