/**
 * The mail transports: Resend, SMTP, or a log line for local work. Failures get messages of our
 * own, because those of providers repeat addresses, subjects and bodies.
 */
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import { Resend, type Response as ResendResponse } from 'resend'
import { outboundFetch } from '../../common/outbound.ts'
import type { MailTransport } from '../config.ts'
import { deliveryFailure, type DeliveryFailure } from './failures.ts'
import type { Message } from './messages.ts'

/** A mail with its sender. Attempts with the same key count as one. */
export type OutgoingMail = Message & { from: string, idempotencyKey: string }

/**
 * Sends one mail. Returns the server's answer. @throws DeliveryFailure, permanent if the mail
 * itself was refused
 */
export type Send = (mail: OutgoingMail, signal: AbortSignal) => Promise<string>

/** Timeout of a provider, in milliseconds. */
const sendTimeout = 10_000

/** One bare address. A list or a display name would add recipients. */
const bareAddress = /^[^\s,;:<>()"@]+@[^\s,;:<>()"@]+$/

/**
 * Builds the transport.
 * @param log used by the log transport only
 * @param keep called with each mail of the log transport, which sends none
 */
export function mailSender(
  transport: MailTransport,
  log: Logger,
  keep: (mail: OutgoingMail) => void = () => undefined,
): Send {
  const send = senderOf(transport, log, keep)
  return async (mail, signal) => {
    if (!bareAddress.test(mail.to))
      throw deliveryFailure('the recipient is not one bare address', 'rejected')
    return send(mail, AbortSignal.any([signal, AbortSignal.timeout(sendTimeout)]))
  }
}

function senderOf(transport: MailTransport, log: Logger, keep: (mail: OutgoingMail) => void): Send {
  if (transport.kind === 'resend') return resendSender(transport)
  if (transport.kind === 'smtp') return smtpSender(transport)
  return logSender(log, keep)
}

/**
 * Joins a provider's codes for the log and drops all other text, which may contain personal data.
 */
const codes = (...values: unknown[]): string =>
  values.map(String).filter((value) =>
    /^[\w -]{1,40}$/.test(value) && value !== 'undefined' && value !== 'false'
  ).join(' ')

const interrupted = (signal: AbortSignal): DeliveryFailure =>
  deliveryFailure(
    signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
      ? 'no answer in time'
      : 'stopped',
    'timeout',
  )

/**
 * Returns true if Resend refuses the email itself: 400 and 422 for its fields, 413 for its size, 451
 * for its content. 409 is permanent if another mail was accepted with the key. Temporary are
 * outages, limits (429), concurrent requests with the key (408, 409), and wrong settings (401, 403,
 * 404).
 * @see https://resend.com/docs/api-reference/errors
 */
const rejectedByResend = (status: number | null, name: string): boolean =>
  [400, 413, 422, 451].includes(status ?? 0) || name === 'invalid_idempotent_request'

/** Builds Resend's client with our `fetch`, for which it has no option. */
class OutboundResend extends Resend {
  override async fetchRequest<T>(
    path: string,
    options: RequestInit = {},
  ): Promise<ResendResponse<T>> {
    let statusCode: number | null = null
    try {
      const response = await outboundFetch(`${this.baseUrl}${path}`, options)
      const headers = Object.fromEntries(response.headers)
      statusCode = response.status
      const body: unknown = await response.json()
      return response.ok
        ? { data: body as T, error: null, headers }
        : { data: null, error: body as NonNullable<ResendResponse<T>['error']>, headers }
    } catch {
      return {
        data: null,
        error: {
          name: 'application_error',
          statusCode,
          message: 'The response cannot be read.',
        },
        headers: null,
      }
    }
  }
}

function resendSender({ apiKey, baseUrl }: Extract<MailTransport, { kind: 'resend' }>): Send {
  const resend = new OutboundResend(
    apiKey,
    baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/+$/, '') },
  )
  return async ({ from, to, subject, text, html, idempotencyKey }, signal) => {
    const answer = await resend.emails.send({ from, to, subject, text, html }, {
      idempotencyKey,
      signal,
    })
    // an error without a body leaves both fields empty
    if (answer.error === null && (answer.data as unknown) !== null)
      return printable(`Resend accepted it with the id ${answer.data.id}`, [apiKey])
    if (signal.aborted) throw interrupted(signal)
    const { statusCode = null, name, message = '' } = answer.error ?? { name: 'no_body' }
    const reason = rejectedByResend(statusCode, name)
      ? 'rejected'
      : statusCode === null
      ? 'unreachable'
      : 'refused'
    throw deliveryFailure(
      `Resend answered ${codes(statusCode ?? 'nothing', name)}`,
      reason,
      printable(message, [apiKey]),
    )
  }
}

type SmtpError = {
  code?: unknown
  responseCode?: unknown
  command?: unknown
  response?: string
  message: string
}

const wordsOf = ({ response, message }: SmtpError): string => response ?? message

/**
 * A 5xx for the recipient or the message is about this mail. One for the login or the sender is
 * about our configuration.
 */
const rejectedBySmtp = ({ responseCode, command }: SmtpError): boolean =>
  typeof responseCode === 'number' && responseCode >= 500 &&
  (command === 'RCPT TO' || command === 'DATA')

const smtpClient = (url: string) =>
  createTransport({
    url,
    connectionTimeout: sendTimeout,
    greetingTimeout: sendTimeout,
    socketTimeout: sendTimeout,
    // text only, so that a body never makes the server read a file or a URL
    disableFileAccess: true,
    disableUrlAccess: true,
  })

/**
 * Returns the words of a server for a terminal: without secrets, which a server may repeat, and
 * without characters that control the terminal.
 */
const printable = (words: string, secrets: string[]): string =>
  secrets.reduce((text, secret) => text.replaceAll(secret, '…'), words.split('\n', 1)[0] ?? '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')

/** Returns the words of an SMTP server for a terminal, without the password in any of its forms. */
function smtpAnswer(words: string, url: string): string {
  const { username, password } = new URL(url)
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)]
  const encoded = [secret, `\0${user}\0${secret}`].map((text) =>
    Buffer.from(text).toString('base64')
  )
  return printable(words, secret === '' ? [] : [secret, password, ...encoded])
}

/**
 * Connects to the SMTP server and signs in, without a mail. @throws DeliveryFailure with the
 * server's answer
 */
export async function checkSmtpLogin(url: string): Promise<void> {
  const mailer = smtpClient(url)
  try {
    await mailer.verify()
  } catch (error) {
    const problem = error as SmtpError
    throw deliveryFailure(
      'SMTP',
      problem.responseCode === undefined ? 'unreachable' : 'refused',
      smtpAnswer(wordsOf(problem), url),
    )
  } finally {
    mailer.close()
  }
}

function smtpSender({ url }: Extract<MailTransport, { kind: 'smtp' }>): Send {
  const mailer = smtpClient(url)
  return async ({ from, to, subject, text, html, idempotencyKey }, signal) => {
    const domain = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
    try {
      const { response } = await mailer.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        // the same for every attempt: SMTP has no idempotency key, but servers and mail programs
        // drop duplicates
        messageId: `<${idempotencyKey}@${domain}>`,
        signal,
      })
      return smtpAnswer(response, url)
    } catch (error) {
      if (signal.aborted) throw interrupted(signal)
      const problem = error as SmtpError
      const reason = rejectedBySmtp(problem)
        ? 'rejected'
        : problem.responseCode === undefined
        ? 'unreachable'
        : 'refused'
      throw deliveryFailure(
        `SMTP: ${codes(problem.code, problem.responseCode, problem.command)}`,
        reason,
        smtpAnswer(wordsOf(problem), url),
      )
    }
  }
}

/** Writes mails to the log, for local work. It is the only place that logs links. */
function logSender(log: Logger, keep: (mail: OutgoingMail) => void): Send {
  return (mail) => {
    const { to, subject, text } = mail
    keep(mail)
    log.info(`Mail to ${to}: ${subject}: ${/https?:\/\/\S+/.exec(text)?.[0] ?? 'no link'}`)
    return Promise.resolve('it is a line of the log')
  }
}
