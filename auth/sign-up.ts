/** Who may make an account: what the operator says by SIGN_UP and SIGN_UP_DOMAINS, asked wherever an account begins. */
import type { Config } from './config.ts'
import type { AuthDatabase } from './database.ts'
import type { ErrorCode } from './errors.ts'

/**
 * Why an address may not have an account here. Whether it has one already makes no difference, so that where accounts are
 * refused nobody learns by asking who has one.
 * @param email in lower case, as addresses are stored
 * @returns undefined where it may
 */
export async function signUpProblem({ signUp }: Config, db: AuthDatabase, email: string): Promise<ErrorCode | undefined> {
  if (signUp.by === 'closed') return 'SIGN_UP_CLOSED'
  // an invitation does not help: who lists domains has said whose addresses these are
  if (signUp.domains.length > 0 && !signUp.domains.includes(email.slice(email.lastIndexOf('@') + 1))) return 'EMAIL_DOMAIN_NOT_ALLOWED'
  if (signUp.by === 'open') return undefined
  const invitation = await db.selectFrom('auth.invitations').select('id')
    .where('email', '=', email).where('status', '=', 'pending').where('expiresAt', '>', new Date()).executeTakeFirst()
  return invitation === undefined ? 'INVITATION_REQUIRED' : undefined
}
