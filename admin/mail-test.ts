/**
 * The operator's command `mail-test`: sends one email by the real transport at once, without the
 * queue.
 */
import { randomUUID } from 'node:crypto'
import { mailConfig } from '../auth/config.ts'
import { isDeliveryFailure, type FailureReason } from '../auth/mail/failures.ts'
import { testMessage } from '../auth/mail/messages.ts'
import { mailSender } from '../auth/mail/transports.ts'
import { createLog } from '../common/log.ts'
import type { Settings } from '../common/settings.ts'
import { operatorError } from './terminal.ts'

/** Returns the correction of a failure at an SMTP server. Other answers name it themselves. */
function correctionOf(message: string, reason: FailureReason): string {
  if (!message.startsWith('SMTP')) return ''
  if (reason === 'unreachable')
    return ' Correct the host and the port in SMTP_URL, or wait until the server is back.'
  return message.includes('EAUTH') ? ' Correct the user and the password in SMTP_URL.' : ''
}

/**
 * Sends the email. Returns the server's answer. @throws an operator error with the answer, or if no
 * provider is set
 */
export async function sendTestMail(settings: Settings, to: string): Promise<string> {
  const { from, transport } = mailConfig(settings)
  if (transport.kind === 'log')
    throw operatorError(
      'No mail provider is set, so emails are only written to the log. Set MAIL_FROM, and SMTP_URL or RESEND_API_KEY (in containers SMTP_URL_FILE or RESEND_API_KEY_FILE).',
    )
  const message = testMessage({
    to,
    site: new URL(settings.PUBLIC_URL).host,
    url: settings.APP_URL,
  })
  try {
    const send = mailSender(transport, createLog('silent'))
    return await send(
      { ...message, from, idempotencyKey: randomUUID() },
      new AbortController().signal,
    )
  } catch (error) {
    if (!isDeliveryFailure(error)) throw error
    throw operatorError(
      `Not sent: ${error.message}${error.answer === undefined ? '' : ` (${error.answer})`}.${
        correctionOf(error.message, error.reason)
      }`,
    )
  }
}
