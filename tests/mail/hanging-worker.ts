/**
 * A process that takes one job and never completes it, for a test that kills it. Arguments:
 * database URL, secret.
 */
import pg from 'pg'
import { pino } from 'pino'
import { enqueueMail, startMailQueue } from '../../auth/mail/queue.ts'
import { mailTo, mailTasks, noObserver } from './mails.ts'

const [, , connectionString = '', secret = ''] = process.argv

const pool = new pg.Pool({ connectionString })
await enqueueMail(pool, secret, 'send_mail', mailTo('ann@example.org'))
startMailQueue({
  pool,
  secret,
  log: pino({ level: 'silent' }),
  observer: noObserver,
  mailerThrough: () => ({ notice: () => Promise.resolve() }),
  tasks: mailTasks(async (_, { key }) => {
    process.send?.(key)
    await new Promise(() => {})
  }),
})
