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
    before: 'The operator sent this email to test the mail settings. They work for your address.',
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
    subject: 'Confirm your email address',
    name,
    site,
    before: `Confirm the email address of your account at ${site}:`,
    action: 'Confirm email address',
    url,
    after: [
      `The account was created on ${utc(mail.createdAt)} ${
        name === '' ? 'without a name' : `with the name “${name}”`
      }.`,
    ],
    otherwise: {
      before:
        'If you did not sign up, do not confirm. Delete the account, which also ends its sessions:',
      action: 'Delete the account',
      url: mail.disownUrl,
      after: 'The first link is valid for one day, the second for seven.',
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
      `A new password was requested for your account at ${site}. If this was you, choose one here:`,
    action: 'Choose a new password',
    url,
    after: [
      'The link is valid for one hour and works once.',
      'If this was not you, ignore this email. Your password stays the same.',
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
      `This email address was requested for an account at ${site}. If this was you, confirm it here:`,
    action: 'Confirm the new address',
    url,
    after: [
      'The link is valid for one day and works once.',
      'If this was not you, ignore this email. Nothing changes.',
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
      `A change of the email address of your account at ${site} to ${
        plainAddress(mail.newEmail)
      } was requested in a signed-in browser. `
      + 'If this was you, you don’t need to do anything. If it was not you, stop the change:',
    action: 'This was not me',
    url,
    after: [
      'This keeps or restores your address, ends all sessions, and emails you a link to choose a new password.',
      'The link is valid for seven days and works once.',
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
      `The deletion of your account at ${site}, with everything personal in it, was requested in a signed-in browser. If this was you, confirm it there:`,
    action: 'Review and delete',
    url,
    after: [
      ...mail.organizations.map(({ name, successor }) =>
        `“${plainName(name) || 'An organization'}”, which you own, ${
          successor === null
            ? 'stays without members.'
            : `is then owned by ${plainName(successor.name) || 'another member'}.`
        }`
      ),
      'Your entries in organizations stay there. The link is valid for one hour and works once.',
      'If this was not you, do not confirm. Choose a new password, which ends all sessions.',
    ],
  })
}

/** The sentence for each kind of event. */
const noticeTexts: Record<AccountEventKind, { subject: string, text: string }> = {
  signed_in: { subject: 'A new device signed in', text: 'a new device signed in' },
  sessions_revoked: { subject: 'You were signed out elsewhere', text: 'other sessions were ended' },
  password_changed: { subject: 'Your password was changed', text: 'the password was changed' },
  password_removed: {
    subject: 'Your password was removed',
    text: 'the password was removed and no longer signs in',
  },
  email_changed: {
    subject: 'Your email address was changed',
    text:
      'the address was changed; you sign in with the new one, and this one no longer receives emails',
  },
  two_factor_enabled: {
    subject: 'Two-factor sign-in was turned on',
    text: 'signing in with a second factor was turned on',
  },
  two_factor_disabled: {
    subject: 'Two-factor sign-in was turned off',
    text: 'signing in with a second factor was turned off',
  },
  backup_codes_created: {
    subject: 'New backup codes were created',
    text: 'new backup codes were created, and the old ones no longer work',
  },
  backup_codes_voided: {
    subject: 'Your backup codes no longer work',
    text: 'the backup codes were revoked',
  },
  device_trusted: {
    subject: 'A device was remembered',
    text: 'a device was remembered, which signs in without a second factor for 30 days',
  },
  passkey_added: { subject: 'A passkey was added', text: 'a passkey was added' },
  passkey_deleted: { subject: 'A passkey was removed', text: 'a passkey was removed' },
  passkey_required: {
    subject: 'Signing in now needs a passkey',
    text: 'signing in was limited to passkeys',
  },
  passkey_not_required: {
    subject: 'Signing in no longer needs a passkey',
    text: 'signing in without a passkey was allowed again',
  },
  passkey_counter_older: {
    subject: 'A passkey was used on another device',
    text: 'a passkey signed in with an older counter, as a synced passkey on another device does',
  },
  api_key_created: {
    subject: 'An API key was created',
    text: 'an API key was created',
  },
  api_key_revoked: {
    subject: 'An API key was revoked',
    text: 'an API key was revoked',
  },
  account_linked: {
    subject: 'A way to sign in was added',
    text: 'another way to sign in was added',
  },
  account_unlinked: {
    subject: 'A way to sign in was removed',
    text: 'a way to sign in was removed',
  },
  webhook_created: {
    subject: 'A webhook was created',
    text: 'a webhook was created, which notifies a server of changes',
  },
  webhook_secret_rotated: {
    subject: 'A webhook has a new secret',
    text: 'the secret of a webhook was replaced',
  },
  webhook_disabled: {
    subject: 'A webhook was turned off',
    text: 'a webhook was turned off, because its server did not accept messages',
  },
  webhook_deleted: { subject: 'A webhook was deleted', text: 'a webhook was deleted' },
  calendar_created: {
    subject: 'A calendar link was created',
    text: 'a link was created that shows your due payments in a calendar app',
  },
  calendar_revoked: {
    subject: 'A calendar link was revoked',
    text: 'a calendar link was revoked',
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
  return [named(browsers) ?? 'a program', named(systems)].filter((word) => word !== undefined).join(
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
  const { subject, text } = noticeTexts[kind]
  const place = ipAddress === null
    ? ''
    : `, by ${deviceWords(userAgent)} at the network address ${ipAddress}`
  // no user has turned it off
  const isOurs = kind === 'webhook_disabled'
  return message({
    to,
    subject,
    name: plainName(mail.name),
    site,
    before: `In your account at ${site}, ${text}${
      about === null ? '' : ` (“${plainName(about)}”)`
    }: on ${utc(mail.happenedAt)}${place}. ${
      isOurs
        ? 'Check the server, and turn the webhook on again in your account.'
        : 'If this was you, you don’t need to do anything.'
    }`,
    action: 'Review your account',
    url,
    after: isOurs ?
      ['It missed changes. Its first message tells the receiver to read everything again.'] :
      [
        kind === 'email_changed'
          ? `If this was not you, use the link “This was not me” in the email about the change, which is valid for seven days. If you don’t have that email, ask the operator of ${site}.`
          : 'If this was not you, choose a new password there (“Forgot your password?”), which ends all sessions. Then delete any passkeys that are not yours, and review the events of your account.',
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
  const organization = plainName(mail.organizationName) || 'an organization'
  return message({
    to: mail.to,
    subject: `${name || shorten(address, nameLength)} invited you to ${organization}`,
    name: '',
    site: mail.site,
    before:
      `${
        name === '' ? address : `${name} (${address})`
      } invites you to join ${organization} at ${mail.site}, `
      + `with the role “${plainName(mail.role)}”. See the invitation here:`,
    action: 'See the invitation',
    url: mail.url,
    after: [
      `The invitation is valid until ${utc(mail.expiresAt)}.`,
      'If you don’t know the sender, ignore this email.',
    ],
  })
}
