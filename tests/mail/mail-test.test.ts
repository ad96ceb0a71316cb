/** The operator's command `mail-test`, with mail servers of somebody else. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sendTestMail } from '../../admin/mail-test.ts'
import { checkSmtpLogin } from '../../auth/mail/transports.ts'
import { readSettings } from '../../common/settings.ts'
import { mailSink, smtpSink, type MailSink, type SmtpSink } from '../support/mail-sink.ts'
import { operatorWith } from '../support/operator.ts'

const from = 'Money <money@example.org>'
/** Runs the command with these settings. */
const mailTest = (settings: Record<string, string>, to = 'ann@example.org') =>
  operatorWith(
    {
      databaseUrl: '',
      sendMail: (address) =>
        sendTestMail(
          readSettings({ PUBLIC_URL: 'https://money.example.org', MAIL_FROM: from, ...settings }),
          address,
        ),
    },
    'mail-test',
    to,
  )

describe('by SMTP', () => {
  let sink: SmtpSink
  let login: string
  beforeEach(async () => {
    sink = await smtpSink()
    login = sink.url.replace('smtp://', 'smtp://ann:s3cret%23word@')
  })
  afterEach(() => sink.close())

  test('by SMTP sends one mail at once, and shows the answer of the server', async () => {
    expect(await mailTest({ SMTP_URL: login })).toEqual({
      code: 0,
      text: "Sent to ann@example.org. The server's answer: 250 queued\n",
    })
    expect(sink.mails).toMatchObject([{ from: 'money@example.org', to: ['ann@example.org'] }])
    expect(sink.mails[0]?.data).toContain('Subject: Test email from money.example.org')
  })

  test('by SMTP shows the words of a server that refuses the login, without the login and without controls of the terminal', async () => {
    sink.mode = 'wrong-login'
    const { code, text } = await mailTest({ SMTP_URL: login })
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(
        /^Not sent: SMTP: EAUTH 535 AUTH PLAIN \(.*535 5\.7\.8 not accepted.*Correct the user and the password in SMTP_URL\.\n$/,
      ),
    ])
    for (const secret of ['s3cret', Buffer.from('\0ann\0s3cret#word').toString('base64')])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/\p{Cc}(?!$)/u)
    await expect(checkSmtpLogin(login)).rejects.toMatchObject({
      reason: 'refused',
      answer: expect.stringContaining('535 5.7.8'),
    })
  })

  test('by SMTP shows that a recipient does not exist', async () => {
    sink.mode = 'no-such-user'
    expect((await mailTest({ SMTP_URL: login })).text).toContain(
      '550 5.1.1 <ann@example.org>: no such user',
    )
  })

  test('by SMTP names a server that does not exist', async () => {
    const settings = { SMTP_URL: 'smtp://mail.invalid:587' }
    expect(await mailTest(settings)).toMatchObject({
      code: 1,
      text: expect.stringMatching(/mail\.invalid.*\. Correct the host and the port in SMTP_URL/),
    })
    await expect(checkSmtpLogin(settings.SMTP_URL)).rejects.toMatchObject({ reason: 'unreachable' })
  })

  test('a login without a mail succeeds and sends nothing', async () => {
    await checkSmtpLogin(login)
    expect(sink.mails).toEqual([])
  })
})

describe('by Resend', () => {
  let sink: MailSink
  beforeEach(async () => {
    sink = await mailSink()
  })
  afterEach(() => sink.close())
  const settings = () => ({ RESEND_API_KEY: 're_secret', RESEND_BASE_URL: sink.url })

  test('by Resend shows the id of the mail', async () => {
    expect(await mailTest(settings())).toMatchObject({
      code: 0,
      text: expect.stringMatching(/Resend accepted it with the id [\w-]+\n$/),
    })
    expect(sink.mails()).toMatchObject([{ to: 'ann@example.org', from }])
  })

  test('by Resend shows the reason of a refusal', async () => {
    sink.mode = 'busy'
    expect(await mailTest(settings())).toEqual({
      code: 1,
      text: 'Not sent: Resend answered 429 rate_limit_exceeded (Too many requests.).\n',
    })
  })
})

test('without a provider says which settings are missing, and takes only one bare address', async () => {
  expect(await mailTest({})).toMatchObject({
    code: 1,
    text: expect.stringContaining('Set MAIL_FROM, and SMTP_URL or RESEND_API_KEY'),
  })
  expect(await mailTest({ SMTP_URL: 'smtp://127.0.0.1:1' }, 'Ann <ann@example.org>')).toMatchObject(
    {
      code: 1,
      text: expect.stringContaining('not one bare address'),
    },
  )
})
