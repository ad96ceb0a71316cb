/**
 * The kinds of events of accounts and organizations. Triggers write them: db/identity/events.sql.
 */

export const accountEventKinds = [
  'signed_in',
  'sessions_revoked',
  'password_changed',
  'password_removed',
  'email_changed',
  'two_factor_enabled',
  'two_factor_disabled',
  'backup_codes_created',
  'backup_codes_voided',
  'device_trusted',
  'passkey_added',
  'passkey_deleted',
  'passkey_required',
  'passkey_not_required',
  'passkey_counter_older',
  'api_key_created',
  'api_key_revoked',
  'account_linked',
  'account_unlinked',
  'webhook_created',
  'webhook_secret_rotated',
  'webhook_disabled',
  'webhook_deleted',
  'calendar_created',
  'calendar_revoked',
] as const

export type AccountEventKind = typeof accountEventKinds[number]

export const membershipEventKinds = [
  'member_joined',
  'member_left',
  'member_removed',
  'role_changed',
  'ownership_transferred',
] as const
