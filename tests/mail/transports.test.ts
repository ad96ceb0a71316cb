import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isDeliveryFailure } from '../../auth/mail/failures.ts'
import { invitationMessage, verificationMessage } from '../../auth/mail/messages.ts'
import { mailSender, type OutgoingMail } from '../../auth/mail/transports.ts'
import {
  mailSink,
  smtpSink,
  type MailSink,
  type SinkMode,
  type SmtpSink,
} from '../support/mail-sink.ts'

const url = 'https://money.example.org/api/auth/verify-email?token=s3cret&callbackURL=%2F'
const key = '7d0b0d0e-3c58-4f0b-9b3a-0d1f5b1c2a3e'
const message = verificationMessage({
  to: 'ann@example.org',
  name: 'Ann & Bé',
  createdAt: new Date('2026-03-12T14:05:00Z'),
  site: 'money.example.org',
  url,
  disownUrl: 'https://money.example.org/api/auth/disown-account?token=0ther',
})
const mail: OutgoingMail = {
  ...message,
  from: 'Money <no-reply@money.example.org>',
  idempotencyKey: key,
}
const never = new AbortController().signal

/** A logger that collects its lines. */
function recorder() {
  const lines: string[] = []
  return {
    lines,
    log: pino({ level: 'trace' }, {
      write: (line: string) => {
        lines.push(line)
      },
    }),
  }
}

/** Returns the error of a send: its message and whether it is permanent. */
async function failure(send: Promise<unknown>): Promise<{ message: string, permanent: boolean }> {
  const error = await send.then(() => undefined, (reason: unknown) => reason)
  if (!isDeliveryFailure(error)) throw new Error('expected a delivery failure', { cause: error })
  return { message: error.message, permanent: error.permanent }
}

/** Makes the 10 s timeout of a send expire at once. Other timers are unchanged. */
const shortenBound = (milliseconds: number) =>
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('too slow', 'TimeoutError')), milliseconds)
    return controller.signal
  })

afterEach(() => {
  vi.restoreAllMocks()
})

describe('Resend', () => {
  let sink: MailSink
  const { log, lines } = recorder()
  const sender = () =>
    mailSender({ kind: 'resend', apiKey: 're_secret', baseUrl: `${sink.url}/` }, log)
  beforeEach(async () => {
    sink = await mailSink()
  })
  afterEach(() => sink.close())

  test('Resend receives sender, recipient, subject, both bodies and the idempotency key', async () => {
    await sender()(mail, never)
    expect(sink.mails()).toMatchObject([{
      to: message.to,
      from: mail.from,
      subject: message.subject,
      text: message.text,
      html: message.html,
      key,
    }])
  })

  test('Resend is called through our function for outbound requests, which rejects a compressed response', async () => {
    vi.stubGlobal('fetch', () => expect.unreachable())
    await sender()(mail, never)
    sink.mode = 'encoded'
    expect(await failure(sender()(mail, never))).toEqual({
      message: 'Resend answered nothing application_error',
      permanent: false,
    })
    vi.unstubAllGlobals()
  })

  test('Resend delivers a mail with the same key once', async () => {
    await sender()(mail, never)
    await sender()(mail, never)
    expect(sink.requests()).toBe(2)
    expect(sink.mails()).toHaveLength(1)
  })

  test.each<[SinkMode, string, boolean]>([
    ['down', 'Resend answered 500 internal_server_error', false],
    ['busy', 'Resend answered 429 rate_limit_exceeded', false],
    ['refuse', 'Resend answered nothing application_error', false],
    ['reject', 'Resend answered 422 validation_error', true],
  ])('Resend in mode %s causes the error %j, permanent: %s', async (mode, words, permanent) => {
    sink.mode = mode
    expect(await failure(sender()(mail, never))).toEqual({ message: words, permanent })
  })

  test('Resend permanently refuses another mail under a used key', async () => {
    await sender()(mail, never)
    expect(await failure(sender()({ ...mail, text: 'other' }, never))).toMatchObject({
      permanent: true,
    })
  })

  test('Resend that accepts the connection and never responds is given up after the timeout, and its socket is closed', async () => {
    const bound = shortenBound(50)
    sink.mode = 'hang'
    expect(await failure(sender()(mail, never))).toEqual({
      message: 'no answer in time',
      permanent: false,
    })
    expect(bound).toHaveBeenCalledWith(10_000)
    await expect.poll(() => sink.openConnections()).toBe(0)
  })

  test('Resend can be interrupted', async () => {
    sink.mode = 'hang'
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    expect(await failure(sender()(mail, stop.signal))).toEqual({
      message: 'stopped',
      permanent: false,
    })
  })

  test('Resend receives nothing for a recipient that is not exactly one bare address', async () => {
    for (
      const to of ['a@x.org, b@x.org', 'Ann <a@x.org>', 'a@x.org\r\nBcc: b@x.org', '', 'nobody']
    ) {
      expect(await failure(sender()({ ...mail, to }, never))).toMatchObject({ permanent: true })
    }
    expect(sink.requests()).toBe(0)
  })

  test('Resend causes no log line', () => {
    expect(lines).toEqual([])
  })
})

describe('SMTP', () => {
  let sink: SmtpSink
  const sender = () => mailSender({ kind: 'smtp', url: sink.url }, recorder().log)
  beforeEach(async () => {
    sink = await smtpSink()
  })
  afterEach(() => sink.close())
  const headersOf = (data: string) => data.slice(0, data.indexOf('\r\n\r\n'))

  test('SMTP receives the mail with both bodies and the key as Message-ID', async () => {
    await sender()(mail, never)
    const [received] = sink.mails
    expect(received).toMatchObject({ from: 'no-reply@money.example.org', to: ['ann@example.org'] })
    expect(headersOf(received?.data ?? '')).toContain('Subject: Verify your email address')
    expect(headersOf(received?.data ?? '')).toContain(`Message-ID: <${key}@money.example.org>`)
    expect(received?.data).toMatch(/Content-Type: text\/plain[^]*Content-Type: text\/html/)
  })

  test('SMTP receives no header injected by a name', async () => {
    const attack = 'Bob\r\nBcc: evil@example.org\r\n\r\nHi'
    const invitation = invitationMessage({
      to: 'ann@example.org',
      inviterName: attack,
      inviterEmail: 'bob@example.org',
      organizationName: attack,
      role: 'admin',
      site: 'money.example.org',
      url,
      expiresAt: new Date(),
    })
    await sender()({ ...mail, ...invitation }, never)
    await sender()({ ...mail, subject: attack }, never)
    expect(sink.mails).toHaveLength(2)
    for (const { to, data } of sink.mails) {
      expect(to).toEqual(['ann@example.org'])
      expect(headersOf(data)).not.toMatch(/^Bcc:/m)
    }
  })

  test.each<[SmtpSink['mode'], string, boolean]>([
    ['no-such-user', 'SMTP: EENVELOPE 550 RCPT TO', true],
    ['later', 'SMTP: EENVELOPE 451 RCPT TO', false],
  ])('SMTP that responds %s fails with %j, permanent: %s', async (mode, words, permanent) => {
    sink.mode = mode
    expect(await failure(sender()(mail, never))).toEqual({ message: words, permanent })
  })

  test.each<SmtpSink['mode']>(['mute', 'hang'])(
    'that accepts the connection and stays silent (%s) is given up after the timeout, and its socket is closed',
    async (mode) => {
      shortenBound(200)
      sink.mode = mode
      expect(await failure(sender()(mail, never))).toEqual({
        message: 'no answer in time',
        permanent: false,
      })
      await expect.poll(() => sink.openConnections()).toBe(0)
    },
  )

  test('SMTP that is unreachable is retried', async () => {
    const send = mailSender({ kind: 'smtp', url: 'smtp://127.0.0.1:1' }, recorder().log)
    expect(await failure(send(mail, never))).toMatchObject({ permanent: false })
  })
})

test('the local log shows recipient, subject and link in one line', async () => {
  const { log, lines } = recorder()
  await mailSender({ kind: 'log' }, log)(mail, never)
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 30,
    msg: `Mail to ann@example.org: Verify your email address: ${url}`,
  })
})
