/** Who may make an account: what the operator says by SIGN_UP and SIGN_UP_DOMAINS, asked wherever an account begins. */
import type { Config } from '../../config.ts'
import type { AuthDatabase } from '../../database.ts'
import type { ErrorCode } from '../../errors.ts'

/** Returns why no account may have an address of this domain. @param email in lower case, as addresses are stored */
export function domainProblem({ signUp: { domains } }: Config, email: string): ErrorCode | undefined {
  return domains.length > 0 && !domains.includes(email.slice(email.lastIndexOf('@') + 1)) ? 'EMAIL_DOMAIN_NOT_ALLOWED' : undefined
}

/**
 * Why nobody may make an account with an address. Whether it has one already makes no difference, so that where accounts are
 * refused nobody learns by asking who has one.
 * @param email in lower case, as addresses are stored
 * @returns undefined where it may
 */
export async function signUpProblem(config: Config, db: AuthDatabase, email: string): Promise<ErrorCode | undefined> {
  if (config.signUp.by === 'closed') return 'SIGN_UP_CLOSED'
  return addressProblem(config, db, email)
}

/**
 * Returns why no account may get an address, by sign-up or by a change. With SIGN_UP=invitation the address needs an invitation of its own.
 * Otherwise one invitation would make many accounts: each change of the address frees the invited one.
 * @param email in lower case, as addresses are stored
 */
export async function addressProblem(config: Config, db: AuthDatabase, email: string): Promise<ErrorCode | undefined> {
  // an invitation does not help: who lists domains has said whose addresses these are
  const problem = domainProblem(config, email)
  if (problem !== undefined || config.signUp.by !== 'invitation') return problem
  const invitation = await db.selectFrom('auth.invitations').select('id')
    .where('email', '=', email).where('status', '=', 'pending').where('expiresAt', '>', new Date()).executeTakeFirst()
  return invitation === undefined ? 'INVITATION_REQUIRED' : undefined
}
