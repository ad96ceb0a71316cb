/** The operator's command `mail-test`: sends one mail by the real transport at once, without the queue. */
import { randomUUID } from 'node:crypto'
import { mailConfig } from '../auth/config.ts'
import { isDeliveryFailure } from '../auth/mail/job.ts'
import { testMessage } from '../auth/mail/messages.ts'
import { mailSender } from '../auth/mail/transports.ts'
import { createLog } from '../common/log.ts'
import type { Settings } from '../common/settings.ts'
import { operatorError } from './terminal.ts'

/** Sends the mail. Returns the server's answer. @throws an operator error with the answer, or if no provider is set */
export async function sendTestMail(settings: Settings, to: string): Promise<string> {
  const { from, transport } = mailConfig(settings)
  if (transport.kind === 'log')
    throw operatorError('No mail provider is set, so each mail is a line of the log. Set MAIL_FROM, and SMTP_URL or RESEND_API_KEY.')
  const message = testMessage({ to, site: new URL(settings.PUBLIC_URL).host, url: settings.APP_URL })
  try {
    const send = mailSender(transport, createLog('silent'))
    return await send({ ...message, from, idempotencyKey: randomUUID() }, new AbortController().signal)
  } catch (error) {
    if (!isDeliveryFailure(error)) throw error
    throw operatorError(`Not sent: ${error.message}${error.answer === undefined ? '' : ` (${error.answer})`}.`)
  }
}
