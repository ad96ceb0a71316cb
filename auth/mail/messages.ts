/** The text of all mails. No I/O. Names of users pass through auth/sanitize-names.ts. */
import type { AccountEventKind } from '../events.ts'
import { nameLength, plainAddress, plainName, shorten } from '../sanitize-names.ts'
import { message, type Message } from './layout.ts'

export type { Message } from './layout.ts'

/**
 * An organization of a user who deletes the account, and its next owner. Without one it stays
 * without members.
 */
export type Succession = {
  id: string
  name: string
  successor: { id: string, name: string } | null
}

// a new one for each mail would take longer than the rest of the mail
const dateFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** A date in UTC, because the reader's time zone is unknown. */
const utc = (moment: Date): string => `${dateFormat.format(moment)} UTC`

/** Returns the mail by which an operator tests the mail settings. */
export const testMessage = (
  { to, site, url }: { to: string, site: string, url: string },
): Message =>
  message({
    to,
    subject: `Test email from ${site}`,
    name: '',
    site,
    before: 'The operator sent this to test the email settings. They work for your address.',
    action: `Open ${site}`,
    url,
    after: [],
  })

/**
 * Returns the mail that asks a user to verify the address.
 * @param mail.name the account's name; may be empty, hostile or huge
 * @param mail.createdAt date of the sign-up, for a reader who did not sign up
 * @param mail.site the host that users know
 * @param mail.url an absolute link
 * @param mail.disownUrl the link to the page that deletes the account
 */
export function verificationMessage(
  mail: { to: string, name: string, createdAt: Date, site: string, url: string, disownUrl: string },
): Message {
  const { to, site, url } = mail
  const name = plainName(mail.name)
  return message({
    to,
    subject: 'Verify your email address',
    name,
    site,
    before: `Verify the email address for your ${site} account:`,
    action: 'Verify email address',
    url,
    after: [
      `The account was created on ${utc(mail.createdAt)} ${
        name === '' ? 'without a name' : `with the name “${name}”`
      }.`,
    ],
    otherwise: {
      before:
        'If you didn’t sign up, don’t verify this address. Delete the account instead, which also ends its sessions:',
      action: 'Delete the account',
      url: mail.disownUrl,
      after: 'The first link is valid for one day, the second for seven days.',
    },
  })
}

/**
 * Returns the mail with the link for a new password.
 * @param mail as in {@link verificationMessage}
 */
export function passwordResetMessage(
  { to, name, site, url }: { to: string, name: string, site: string, url: string },
): Message {
  return message({
    to,
    subject: 'Reset your password',
    name: plainName(name),
    site,
    before:
      `Someone requested a new password for your ${site} account. If this was you, choose one here:`,
    action: 'Choose a new password',
    url,
    after: [
      'The link is valid for one hour and works only once.',
      'If this wasn’t you, ignore this email. Your password stays the same.',
    ],
  })
}

/**
 * Returns the mail that asks the new address to confirm a change.
 * @param mail as in {@link verificationMessage}
 */
export function emailChangeMessage(
  { to, name, site, url }: { to: string, name: string, site: string, url: string },
): Message {
  return message({
    to,
    subject: 'Confirm your new email address',
    name: plainName(name),
    site,
    before:
      `Someone asked to use this email address for a ${site} account. If this was you, confirm it here:`,
    action: 'Confirm the new address',
    url,
    after: [
      'The link is valid for one day and works only once.',
      'If this wasn’t you, ignore this email. Nothing will change.',
    ],
  })
}

/**
 * Returns the mail that notifies the old address of a change.
 * @param mail.url the link to the page that stops it
 * @param mail as in {@link verificationMessage}
 */
export function emailChangeNoticeMessage(
  mail: { to: string, name: string, newEmail: string, site: string, url: string },
): Message {
  const { to, site, url } = mail
  return message({
    to,
    subject: 'Your email address is about to change',
    name: plainName(mail.name),
    site,
    before:
      `Someone who is signed in to your ${site} account asked to change its email address to ${
        plainAddress(mail.newEmail)
      }. `
      + 'If this was you, you don’t need to do anything. If it wasn’t you, stop the change:',
    action: 'This wasn’t me',
    url,
    after: [
      'This keeps or restores your address, ends all sessions, and emails you a link to choose a new password.',
      'The link is valid for seven days and works only once.',
    ],
  })
}

/**
 * Returns the mail with the link that deletes an account.
 * @param mail.organizations the owned organizations and their next owners
 * @param mail as in {@link verificationMessage}
 */
export function accountDeletionMessage(
  mail: { to: string, name: string, site: string, organizations: Succession[], url: string },
): Message {
  const { to, site, url } = mail
  return message({
    to,
    subject: 'Delete your account',
    name: plainName(mail.name),
    site,
    before:
      `Someone who is signed in to your ${site} account asked to delete it, along with all your personal data. If this was you, open this link in the same browser to confirm:`,
    action: 'Review and delete',
    url,
    after: [
      ...mail.organizations.map(({ name, successor }) => {
        const team = plainName(name)
        return successor === null
          ? `${team === '' ? 'One of your teams' : `“${team}”`} will have no members.`
          : `${plainName(successor.name) || 'Another member'} will become the owner of ${
            team === '' ? 'one of your teams' : `“${team}”`
          }.`
      }),
      'What you added to teams stays there. The link is valid for one hour and works only once.',
      'If this wasn’t you, don’t confirm. Choose a new password, which ends all sessions.',
    ],
  })
}

type NoticeText = {
  subject: string
  /** Returns what happened. A date follows. @param object the name in parentheses, or empty */
  text: (account: string, object: string) => string
  /** What follows from it, in sentences of its own. */
  consequence?: string
}

/** The sentences for each kind of event. */
const noticeTexts: Record<AccountEventKind, NoticeText> = {
  signed_in: {
    subject: 'A new device signed in',
    text: (account) => `A new device signed in to ${account}`,
  },
  sessions_revoked: {
    subject: 'You were signed out on your other devices',
    text: (account) => `Other sessions of ${account} were ended`,
  },
  password_changed: {
    subject: 'Your password was changed',
    text: (account) => `The password for ${account} was changed`,
  },
  password_removed: {
    subject: 'Your password was removed',
    text: (account) => `The password for ${account} was removed`,
    consequence: 'You can no longer sign in with it.',
  },
  email_changed: {
    subject: 'Your email address was changed',
    text: (account) => `The email address for ${account} was changed`,
    consequence: 'Sign in with the new address from now on. We won’t email this one again.',
  },
  two_factor_enabled: {
    subject: 'Two-factor authentication was turned on',
    text: (account) => `Two-factor authentication was turned on for ${account}`,
  },
  two_factor_disabled: {
    subject: 'Two-factor authentication was turned off',
    text: (account) => `Two-factor authentication was turned off for ${account}`,
  },
  backup_codes_created: {
    subject: 'New backup codes were created',
    text: (account) => `New backup codes were created for ${account}`,
    consequence: 'The old ones no longer work.',
  },
  backup_codes_voided: {
    subject: 'Your backup codes no longer work',
    text: (account) => `The backup codes for ${account} were revoked`,
  },
  device_trusted: {
    subject: 'A device was marked as trusted',
    text: (account) => `A device was marked as trusted for ${account}`,
    consequence: 'It won’t be asked for a second factor for 30 days.',
  },
  passkey_added: {
    subject: 'A passkey was added',
    text: (account, object) => `A passkey${object} was added to ${account}`,
  },
  passkey_deleted: {
    subject: 'A passkey was deleted',
    text: (account, object) => `A passkey${object} was deleted from ${account}`,
  },
  passkey_required: {
    subject: 'A passkey is now required to sign in',
    text: (account) => `The passkey requirement was turned on for ${account}`,
    consequence: 'You can no longer sign in with just your password.',
  },
  passkey_not_required: {
    subject: 'A passkey is no longer required to sign in',
    text: (account) => `The passkey requirement was turned off for ${account}`,
    consequence: 'You can sign in without a passkey again.',
  },
  passkey_counter_older: {
    subject: 'A passkey was used on another device',
    text: (account, object) =>
      `A passkey${object} with an outdated counter was used to sign in to ${account}`,
    consequence: 'This can happen if it is synced to another device.',
  },
  api_key_created: {
    subject: 'An API key was created',
    text: (account, object) => `An API key${object} was created for ${account}`,
  },
  api_key_revoked: {
    subject: 'An API key was revoked',
    text: (account, object) => `An API key${object} for ${account} was revoked`,
  },
  account_linked: {
    subject: 'A sign-in method was added',
    text: (account, object) => `A sign-in method${object} was added to ${account}`,
  },
  account_unlinked: {
    subject: 'A sign-in method was removed',
    text: (account, object) => `A sign-in method${object} was removed from ${account}`,
  },
  webhook_created: {
    subject: 'A webhook was created',
    text: (account, object) => `A webhook${object} was created in ${account}`,
    consequence: 'It notifies a server of changes.',
  },
  webhook_secret_rotated: {
    subject: 'A webhook has a new secret',
    text: (account, object) => `The secret of a webhook${object} in ${account} was replaced`,
  },
  webhook_disabled: {
    subject: 'A webhook was turned off',
    text: (account, object) => `A webhook${object} in ${account} was turned off`,
    consequence: 'Its server wasn’t accepting messages.',
  },
  webhook_deleted: {
    subject: 'A webhook was deleted',
    text: (account, object) => `A webhook${object} was deleted from ${account}`,
  },
  calendar_created: {
    subject: 'A calendar URL was created',
    text: (account, object) => `A calendar URL${object} was created for ${account}`,
    consequence: 'It shows your upcoming payments in a calendar app.',
  },
  calendar_revoked: {
    subject: 'A calendar URL was revoked',
    text: (account, object) => `A calendar URL${object} for ${account} was revoked`,
  },
}

/**
 * Names of browsers and systems in a User-Agent. The first match counts, because most browsers also
 * claim to be others.
 */
const browsers = [
  ['Edge', /Edg(?:e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS)\//],
  ['Safari', /Safari\//],
] as const
const systems = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['a Mac', /Mac OS/],
  ['Linux', /Linux/],
] as const

/**
 * Returns the browser and its system. Other text of the header is never repeated, because clients
 * choose it.
 */
function deviceWords(agent: string | null): string {
  const named = (words: typeof browsers | typeof systems) =>
    words.find(([, pattern]) => pattern.test(agent ?? ''))?.[0]
  return [named(browsers) ?? 'an unknown app', named(systems)].filter((word) => word !== undefined)
    .join(
      ' on ',
    )
}

/** An event and its recipient. */
export type Notice = {
  to: string
  name: string
  kind: AccountEventKind
  happenedAt: Date
  /** The name of the added or removed object, if it has one. */
  about: string | null
  /** Address and client of the request. Null for an operator's change. */
  ipAddress: string | null
  userAgent: string | null
}

/**
 * Returns the mail that notifies a user of an event.
 * @param mail.url the app
 * @param mail as in {@link verificationMessage}
 */
export function noticeMessage(mail: Notice & { site: string, url: string }): Message {
  const { to, kind, about, ipAddress, userAgent, site, url } = mail
  const { subject, text, consequence } = noticeTexts[kind]
  const object = about === null ? '' : ` (“${plainName(about)}”)`
  const place = ipAddress === null
    ? ''
    : `, using ${deviceWords(userAgent)} (IP address ${ipAddress})`
  // no user has turned it off
  const isOurs = kind === 'webhook_disabled'
  return message({
    to,
    subject,
    name: plainName(mail.name),
    site,
    before: [
      `${text(`your ${site} account`, object)} on ${utc(mail.happenedAt)}${place}.`,
      ...consequence === undefined ? [] : [consequence],
      isOurs
        ? 'Check the server, then turn the webhook on again in your account.'
        : 'If this was you, you don’t need to do anything.',
    ].join(' '),
    action: 'Review your account',
    url,
    after: isOurs ?
      [
        'Some changes were not delivered. When you turn it on again, the first message tells your server to reload everything.',
      ] :
      [
        kind === 'email_changed'
          ? `If this wasn’t you, use the “This wasn’t me” link in the email about the change. It is valid for seven days. If you don’t have that email, contact the operator of ${site}.`
          : 'If this wasn’t you, use “Forgot your password?” to choose a new one. That ends all sessions. Then delete any passkeys that aren’t yours, and review your account activity.',
      ],
  })
}

/**
 * Returns the mail of an invitation. It shows the inviter's address, because a name proves nothing.
 * @param mail.expiresAt end of the invitation
 * @param mail.url as in {@link verificationMessage}
 */
export function invitationMessage(mail: {
  to: string
  inviterName: string
  inviterEmail: string
  organizationName: string
  role: string
  site: string
  url: string
  expiresAt: Date
}): Message {
  const address = plainAddress(mail.inviterEmail)
  const name = plainName(mail.inviterName)
  const organization = plainName(mail.organizationName) || 'a team'
  return message({
    to: mail.to,
    subject: `${name || shorten(address, nameLength)} invited you to ${organization}`,
    name: '',
    site: mail.site,
    before:
      `${
        name === '' ? address : `${name} (${address})`
      } invited you to join ${organization} at ${mail.site} `
      + `with the role “${plainName(mail.role)}”. View the invitation here:`,
    action: 'View invitation',
    url: mail.url,
    after: [
      `The invitation is valid until ${utc(mail.expiresAt)}.`,
      'If you don’t know the sender, ignore this email.',
    ],
  })
}
