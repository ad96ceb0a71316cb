import { describe, expect, test } from 'vitest'
import * as messages from '../../auth/mail/messages.ts'
import { linkIn, linksIn } from '../support/mail-sink.ts'

const {
  accountDeletionMessage,
  emailChangeMessage,
  emailChangeNoticeMessage,
  invitationMessage,
  noticeMessage,
  passwordResetMessage,
  verificationMessage,
} = messages
type Message = messages.Message

const url = 'https://money.example.org/api/auth/verify-email?token=abc.def&callbackURL=%2F'
const to = 'ann@example.org'
const site = 'money.example.org'

const disownUrl = 'https://money.example.org/api/auth/disown-account?token=ghi.jkl&x=y'
const createdAt = new Date('2026-03-12T14:05:00Z')
const verification = (name: string) =>
  verificationMessage({ to, name, createdAt, site, url, disownUrl })
const invitation = (change: Partial<Parameters<typeof invitationMessage>[0]> = {}) =>
  invitationMessage({
    to,
    inviterName: 'Bob',
    inviterEmail: 'bob@example.org',
    organizationName: 'Acme',
    role: 'editor',
    site,
    url,
    expiresAt: new Date('2026-03-12T14:05:00Z'),
    ...change,
  })
const deletion = (organizations: Parameters<typeof accountDeletionMessage>[0]['organizations']) =>
  accountDeletionMessage({ to, name: 'Ann', site, organizations, url })
const notice = (change: Partial<Parameters<typeof noticeMessage>[0]> = {}) =>
  noticeMessage({
    to,
    name: 'Ann',
    kind: 'signed_in',
    happenedAt: createdAt,
    about: null,
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    site,
    url,
    ...change,
  })
/** The type makes this file fail to compile if a message is missing. */
const everyMessage: Record<keyof typeof messages, Message> = {
  verificationMessage: verification('Ann'),
  passwordResetMessage: passwordResetMessage({ to, name: 'Ann', site, url }),
  invitationMessage: invitation(),
  emailChangeMessage: emailChangeMessage({ to, name: 'Ann', site, url }),
  emailChangeNoticeMessage: emailChangeNoticeMessage({
    to,
    name: 'Ann',
    newEmail: 'bob@example.org',
    site,
    url,
  }),
  noticeMessage: notice(),
  testMessage: messages.testMessage({ to, site, url }),
  accountDeletionMessage: deletion([{
    id: 'a',
    name: 'http://evil.example',
    successor: { id: 'b', name: 'www.evil.example' },
  }]),
}

/** Patterns of texts that mail programs turn into links, except our own link. */
const foreignLinks = ({ text }: Message) =>
  text.replaceAll(url, '').replaceAll(disownUrl, '').replaceAll('money.example.org', '').replaceAll(
    'bob@example.org',
    '',
  )
    .match(/https?:|www\.|\\\\|[\p{L}\p{N}]\.\p{L}{2}|\d\.\d+\.\d/giu) ?? []

describe.each(Object.entries(everyMessage))('%s', (_, message) => {
  test('has the recipient’s address', () => {
    expect(message.to).toBe(to)
  })

  test('contains the exact link, on a line of its own in the text', () => {
    expect(linkIn(message)).toBe(url)
    expect(message.text.split('\n')).toContain(url)
  })

  test('contains the link in its HTML as a button and as text, escaped', () => {
    const escaped = url.replaceAll('&', '&amp;')
    expect(message.html).toContain(`href="${escaped}"`)
    expect(message.html).toContain(`>${escaped}<`)
    expect(
      message.html.replace(`"${disownUrl.replaceAll('&', '&amp;')}"`, '').match(/https?:\/\//g),
    ).toHaveLength(2)
  })

  test('leaves its colours to a dark theme and uses no table', () => {
    expect(message.html).toContain('content="light dark"')
    expect(message.html).not.toMatch(/<table|<body[^>]*(color|background)/)
  })

  test('has the same content in text and HTML', () => {
    const plain = message.html.replaceAll('&amp;', '&')
    for (const line of message.text.split('\n').filter((part) => part !== ''))
      expect(plain).toContain(line)
  })
})

describe('the content of each mail', () => {
  test('an account deletion names the organizations that the user owns and their next owners', () => {
    const { text } = deletion([
      { id: 'a', name: 'Household', successor: { id: 'b', name: 'Bob' } },
      { id: 'c', name: 'Club', successor: null },
    ])
    expect(text).toContain('Bob will become the owner of “Household”.')
    expect(text).toContain('“Club” will have no members.')
  })

  test.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
      'Chrome on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Firefox on a Mac',
    ],
    ['Visit www.evil.example now', 'an unknown app'],
    [null, 'an unknown app'],
  ])('a notice describes the device of %j in plain words', (userAgent, words) => {
    expect(notice({ userAgent }).text).toContain(
      `on 12 March 2026 at 14:05 UTC, using ${words} (IP address 203.0.113.7).`,
    )
  })

  test('a notice of an operator’s action names no device, and a notice of a passkey shows its name without links', () => {
    expect(notice({ ipAddress: null }).text).toContain(
      'A new device signed in to your money.example.org account on 12 March 2026 at 14:05 UTC. If this was you',
    )
    const { text, subject } = notice({ kind: 'passkey_added', about: 'www.evil.example\r\nBcc: x' })
    expect(subject).toBe('A passkey was added')
    expect(text).toContain('A passkey (“www evil example Bcc: x”) was added to your')
  })

  test('a notice of a new address contains neither address, and refers to the mail that can undo the change', () => {
    const { text } = notice({ kind: 'email_changed' })
    expect(text).toContain('“This wasn’t me”')
    expect(text).not.toContain('Forgot your password?')
  })

  test('a reset mail is valid for one hour and can be ignored', () => {
    const { text } = passwordResetMessage({ to, name: 'Ann', site, url })
    expect(text).toContain('valid for one hour')
    expect(text).toContain('ignore this email')
  })

  test('a verification mail says when and under which name the account was created, and has a second link to disown it', () => {
    const message = verification('Ann')
    expect(message.text).toContain(
      'The account was created on 12 March 2026 at 14:05 UTC with the name “Ann”.',
    )
    expect(verification('').text).toContain('at 14:05 UTC without a name.')
    expect(linksIn(message)).toEqual([url, disownUrl])
    expect(message.text.split('\n')).toContain(disownUrl)
    expect(message.html.indexOf('disown-account')).toBeGreaterThan(
      message.html.lastIndexOf('verify-email'),
    )
    expect(message.html).toContain(`href="${disownUrl.replaceAll('&', '&amp;')}"`)
  })

  test('an invitation names the inviter with address, the organization, the role and the expiry', () => {
    const { subject, text } = invitation()
    expect(subject).toBe('Bob invited you to Acme')
    expect(text).toContain('Bob (bob@example.org) invited you to join Acme')
    expect(text).toContain('“editor”')
    expect(text).toContain('12 March 2026 at 14:05 UTC')
  })

  test('an invitation by a user without a name shows the inviter’s address', () => {
    const { subject, text } = invitation({ inviterName: '' })
    expect(subject).toBe('bob@example.org invited you to Acme')
    expect(text).toContain('bob@example.org invited you')
  })

  test('a user without a name gets a greeting without one', () => {
    expect(verification('').text).toMatch(/^Hello,\n/)
    expect(verification(' \u200b\t').text).toMatch(/^Hello,\n/)
  })
})

describe('a name', () => {
  test('a name is escaped in HTML', () => {
    const { html } = verification('<img src=x onerror="alert(1)"> & \'co\'')
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;co&#39;')
    expect(html).not.toContain('<img')
  })

  test.each(['\r\nBcc: evil@example.org', '\n\nBody', '\u2028Bcc: x', '\u0085Bcc: x', '\0'])(
    'a name cannot inject a header: %j',
    (attack) => {
      const { subject } = invitation({
        inviterName: `Bob${attack}`,
        organizationName: `Acme${attack}`,
        inviterEmail: `b@x${attack}`,
      })
      expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect(invitation({ inviterName: '', inviterEmail: `b@x${attack}` }).subject).not.toMatch(
        /[\p{Cc}\u2028\u2029]/u,
      )
    },
  )

  test('a name cannot reverse or hide text', () => {
    const { text } = verification('Ann\u202E moc.live \u2066x\u2069\u200F\u00AD\uFEFF\uD800 Lee')
    expect(text).toContain('Hello Ann moc live x Lee,')
  })

  test.each([
    'http://evil.example click',
    'HTTPS://EVIL.EXAMPLE',
    'www.evil.example',
    'evil.example/path',
    'evil。example',
    'evil．example',
    'evil.\u200bexample',
    'javascript:alert(1)',
    'mailto:pay@evil.example',
    '\\\\evil\\share',
    'http://1.2.3.4/x',
    'xn--e1.xn--p1ai',
    'пример.рф',
  ])('a name does not become a link: %j', (name) => {
    expect(foreignLinks(verification(name))).toEqual([])
    expect(foreignLinks(invitation({ inviterName: name, organizationName: name, role: name })))
      .toEqual([])
    expect(linkIn(invitation({ inviterName: name, organizationName: name }))).toBe(url)
  })

  test('an inviter’s address cannot contain a link either', () => {
    expect(linkIn(invitation({ inviterEmail: 'http://evil.example/@x' }))).toBe(url)
  })

  test.each([
    'J.R.R. Tolkien',
    'Team: Finance',
    "Dr. Mary O'Neil",
    'José Ñandú',
    '山田 太郎',
    'محمد علي',
    'AC/DC',
    '🦊 Fox',
  ])(
    'of a real person or team stays unchanged: %s',
    (name) => {
      expect(verification(name).text).toContain(`Hello ${name},`)
    },
  )

  test('a name of two million characters is shortened in seconds', () => {
    for (
      const unit of ['a', '.1', 'ab.', '👩‍👩‍👧', 'e\u0301\u0301\u0301\u0301\u0301\u0301', ' \n', '<']
    ) {
      const name = unit.repeat(2_000_000 / unit.length)
      const begin = performance.now()
      const message = invitation({
        inviterName: name,
        organizationName: name,
        inviterEmail: `${name}@x`,
      })
      // Milliseconds on a shared machine. An algorithm with quadratic time would take minutes.
      expect(performance.now() - begin).toBeLessThan(5_000)
      expect(message.subject.length).toBeLessThan(300)
      expect(message.text.length).toBeLessThan(2_000)
      expect(message.html.length).toBeLessThan(6_000)
    }
  })

  test('a name is cut between characters', () => {
    expect(verification('😀'.repeat(100)).text).toContain(`Hello ${'😀'.repeat(59)}…,`)
  })
})
