/** A process that takes one job and never completes it, for a test that kills it. Arguments: database URL, secret. */
import { pino } from 'pino'
import { startQueue } from '../../auth/mail/queue.ts'

const [, , databaseUrl = '', secret = ''] = process.argv

const queue = await startQueue({
  databaseUrl,
  secret,
  log: pino({ level: 'silent' }),
  tasks: {
    send_mail: async (_: { to: string }, { key }) => {
      process.send?.(key)
      await new Promise(() => {})
    },
  },
})
await queue.enqueue('send_mail', { to: 'ann@example.org' })
