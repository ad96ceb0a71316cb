/**
 * The three ways a mail leaves: Resend, SMTP, or for local work a log line. Each failure is told in words of our own,
 * because a provider's words repeat addresses, subjects and sometimes the body.
 */
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import { Resend, type Response as ResendResponse } from 'resend'
import { outboundFetch } from '../../infra/shared/outbound.ts'
import type { MailTransport } from '../config.ts'
import { deliveryFailure, type DeliveryFailure } from './failure.ts'
import type { Message } from './messages.ts'

/** A mail with its sender, and the key under which however many attempts count as one. */
export type OutgoingMail = Message & { from: string, idempotencyKey: string }

/** Sends one mail. @throws DeliveryFailure, permanent when the mail itself was refused. */
export type Send = (mail: OutgoingMail, signal: AbortSignal) => Promise<void>

/** How long a provider may take in all, in milliseconds; one that accepts the connection and never answers included. */
const sendTimeout = 10_000

/** One bare address. A list or a display name here would be a second recipient that nobody meant. */
const bareAddress = /^[^\s,;:<>()"@]+@[^\s,;:<>()"@]+$/

/**
 * The way out for mail.
 * @param transport from the configuration.
 * @param log used by the local log transport only; the others never log.
 * @param keep told each mail that the local log transport would have sent; the others send, and tell nobody.
 */
export function mailSender(transport: MailTransport, log: Logger, keep: (mail: OutgoingMail) => void = () => undefined): Send {
  const send = senderOf(transport, log, keep)
  return async (mail, signal) => {
    if (!bareAddress.test(mail.to)) throw deliveryFailure('the recipient is not one bare address', 'rejected')
    await send(mail, AbortSignal.any([signal, AbortSignal.timeout(sendTimeout)]))
  }
}

function senderOf(transport: MailTransport, log: Logger, keep: (mail: OutgoingMail) => void): Send {
  if (transport.kind === 'resend') return resendSender(transport)
  if (transport.kind === 'smtp') return smtpSender(transport)
  return logSender(log, keep)
}

/** Only what looks like a code is repeated; everything else a provider says may hold what must not be logged. */
const codes = (...values: unknown[]): string =>
  values.map(String).filter((value) => /^[\w -]{1,40}$/.test(value) && value !== 'undefined' && value !== 'false').join(' ')

const interrupted = (signal: AbortSignal): DeliveryFailure =>
  deliveryFailure(signal.reason instanceof Error && signal.reason.name === 'TimeoutError' ? 'no answer in time' : 'stopped', 'timeout')

/**
 * Whether Resend refuses the mail itself: 400 and 422 find fault with its fields, 413 with its size, 451 with its
 * content. A key whose mail was accepted before and has another content now (409) is refused for good as well, which
 * is right: the person has the mail. Everything else passes: an outage, a limit (429), a request with the same key
 * still running (408, 409), and 401, 403, 404, which an operator mends by correcting the API key, domain or address.
 * @see https://resend.com/docs/api-reference/errors
 */
const refusedByResend = (status: number | null, name: string): boolean => [400, 413, 422, 451].includes(status ?? 0) || name === 'invalid_idempotent_request'

/** Resend's client with our `fetch`, for which it has no option. Returns errors in the client's format. */
class OutboundResend extends Resend {
  override async fetchRequest<T>(path: string, options: RequestInit = {}): Promise<ResendResponse<T>> {
    let statusCode: number | null = null
    try {
      const response = await outboundFetch(`${this.baseUrl}${path}`, options)
      const headers = Object.fromEntries(response.headers)
      statusCode = response.status
      const body: unknown = await response.json()
      return response.ok ? { data: body as T, error: null, headers } : { data: null, error: body as NonNullable<ResendResponse<T>['error']>, headers }
    } catch {
      return { data: null, error: { name: 'application_error', statusCode, message: 'There is no response that can be read.' }, headers: null }
    }
  }
}

function resendSender({ apiKey, baseUrl }: Extract<MailTransport, { kind: 'resend' }>): Send {
  const resend = new OutboundResend(apiKey, baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/+$/, '') })
  return async ({ from, to, subject, text, html, idempotencyKey }, signal) => {
    const answer = await resend.emails.send({ from, to, subject, text, html }, { idempotencyKey, signal })
    // an error without its body leaves both empty, so the absence of an error is not yet success
    if (answer.error === null && (answer.data as unknown) !== null) return
    if (signal.aborted) throw interrupted(signal)
    const { statusCode = null, name } = answer.error ?? { name: 'no_body' }
    const reason = refusedByResend(statusCode, name) ? 'rejected' : statusCode === null ? 'unreachable' : 'refused'
    throw deliveryFailure(`Resend answered ${codes(statusCode ?? 'nothing', name)}`, reason)
  }
}

type SmtpError = { code?: unknown, responseCode?: unknown, command?: unknown }

/** A 5xx to the recipient or to the message is about this mail; to the login or the sender, about our configuration. */
const refusedBySmtp = ({ responseCode, command }: SmtpError): boolean =>
  typeof responseCode === 'number' && responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')

function smtpSender({ url }: Extract<MailTransport, { kind: 'smtp' }>): Send {
  const mailer = createTransport({
    url,
    connectionTimeout: sendTimeout,
    greetingTimeout: sendTimeout,
    socketTimeout: sendTimeout,
    // a body is text; it must never make the server read a file or a URL
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async ({ from, to, subject, text, html, idempotencyKey }, signal) => {
    const domain = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
    try {
      await mailer.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        // the same in every attempt: SMTP has no idempotency key, but servers and mail programs drop a second copy by it
        messageId: `<${idempotencyKey}@${domain}>`,
        signal,
      })
    } catch (error) {
      if (signal.aborted) throw interrupted(signal)
      const problem = error as SmtpError
      const reason = refusedBySmtp(problem) ? 'rejected' : problem.responseCode === undefined ? 'unreachable' : 'refused'
      throw deliveryFailure(`SMTP: ${codes(problem.code, problem.responseCode, problem.command)}`, reason)
    }
  }
}

/** For work on one machine, where the line is the mailbox: the one place where a link is logged, and meant to be. */
function logSender(log: Logger, keep: (mail: OutgoingMail) => void): Send {
  return async (mail) => {
    const { to, subject, text } = mail
    keep(mail)
    log.info(`Mail to ${to}: ${subject}: ${/https?:\/\/\S+/.exec(text)?.[0] ?? 'no link'}`)
  }
}
