/** What happens in accounts and organizations, by kind. Triggers write it: db/functions/private/events.sql. */

export const accountEventKinds = [
  'signed_in',
  'password_changed',
  'password_removed',
  'email_changed',
  'two_factor_enabled',
  'two_factor_disabled',
  'passkey_added',
  'passkey_deleted',
  'api_key_created',
  'api_key_revoked',
  'account_linked',
  'account_unlinked',
] as const

/** Of what a mail tells: where a password is taken away, one with a link to choose another is on its way already. */
export type NoticeKind = Exclude<typeof accountEventKinds[number], 'password_removed'>

export const membershipEventKinds = ['member_joined', 'member_left', 'member_removed', 'role_changed', 'ownership_transferred'] as const
