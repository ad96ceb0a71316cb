/**
 * The database as the programs' own queries know it, with columns in camelCase, as Kysely hands them out. Written by
 * `npm run schema` from the catalogue; change it in db/migrations and db/functions.
 */
import type { Generated } from 'kysely'

/** The tables that the auth service and the operator's command read and write. */
export type Tables = {
  'api.app_subscriptions': { id: Generated<string>, userId: string, productId: string, status: Generated<string>, periodStart: Generated<Date>, periodEnd: Date, createdAt: Generated<Date>, updatedAt: Generated<Date> }
  'auth.accounts': { id: string, accountId: string, providerId: string, userId: string, accessToken: string | null, refreshToken: string | null, idToken: string | null, accessTokenExpiresAt: Date | null, refreshTokenExpiresAt: Date | null, scope: string | null, password: string | null, createdAt: Generated<Date>, updatedAt: Generated<Date> }
  'auth.api_keys': { id: string, name: string, userId: string, organizationId: string | null, role: string, keyHash: unknown, hint: string, expiresAt: Date, lastUsedAt: Date | null, createdAt: Generated<Date> }
  'auth.events': { id: Generated<string>, happenedAt: Generated<Date>, kind: string, userId: string | null, organizationId: string | null, actorId: string | null, ipAddress: string | null, userAgent: string | null, device: string | null, detail: Generated<unknown>, mailTo: string | null }
  'auth.invitations': { id: string, organizationId: string, email: string, role: string, status: Generated<string>, inviterId: string, expiresAt: Date, createdAt: Generated<Date> }
  'auth.jwks': { id: string, publicKey: string, privateKey: string, alg: Generated<string>, crv: string | null, createdAt: Generated<Date>, signsFrom: Date | null, expiresAt: Date | null }
  'auth.members': { id: string, organizationId: string, userId: string, role: string, createdAt: Generated<Date> }
  'auth.organizations': { id: string, name: string, slug: string, logo: string | null, metadata: string | null, createdAt: Generated<Date>, updatedAt: Generated<Date> }
  'auth.passkeys': { id: string, userId: string, name: string, credentialId: string, publicKey: string, counter: string, backedUp: boolean, createdAt: Generated<Date>, lastUsedAt: Date | null }
  'auth.rate_limits': { key: string, windowStartedAt: Date, windowSeconds: string, count: string }
  'auth.sessions': { id: string, token: string, userId: string, activeOrganizationId: string | null, ipAddress: string | null, userAgent: string | null, expiresAt: Date, createdAt: Generated<Date>, updatedAt: Generated<Date> }
  'auth.two_factor_tokens': { tokenHash: string, userId: string, purpose: string, expiresAt: Date }
  'auth.two_factors': { userId: string, secret: string, backupCodes: string[], lastStep: Generated<string>, enabledAt: Date | null, createdAt: Generated<Date>, backupCodesMadeAt: Generated<Date | null> }
  'auth.users': { id: string, name: string, email: string, emailVerified: Generated<boolean>, image: string | null, createdAt: Generated<Date>, updatedAt: Generated<Date>, passkeyRequired: Generated<boolean> }
  'auth.verifications': { id: string, identifier: string, value: string, expiresAt: Date, createdAt: Generated<Date>, updatedAt: Generated<Date> }
  'private.bank_values': { transactionId: string, said: unknown }
  'private.import_updates': { transactionId: string, importId: string, before: unknown, after: unknown, wasUntouched: boolean, takenBackAt: Date | null }
  'private.line_item_checks': { id: Generated<string>, transactionIds: unknown }
  'private.migrations': { name: string, checksum: string, appliedAt: Generated<Date> }
  'private.products': { id: string, rank: string, name: string }
  'private.role_permissions': { role: string, resource: string, action: string }
  'private.settings': { singleton: Generated<boolean>, publicUrl: string, keyRotationRequestedAt: Date | null, placesPerPerson: Generated<string>, placesOfAnonymous: Generated<string>, tokensIssuedAfter: Generated<string> }
}

/** The rows of the functions that the auth service may call. */
export type FunctionRows = {
  'auth.consume_rate_limit': { allowed: boolean, retryAfterSeconds: number }
  'auth.is_alive': { isAlive: boolean }
  'auth.role_rank': { roleRank: number }
  'auth.successor_of': { successorOf: string }
  'private.active_product': { productId: string, mayCreateOrganizations: boolean }
  'private.forget_activity': { forgetActivity: string }
  'private.mark_for_standbys': { markForStandbys: unknown }
  'private.postgrest_listeners': { postgrestListeners: string[] }
  'private.postgrest_processes': { postgrestProcesses: number }
}
