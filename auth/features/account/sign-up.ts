/** The sign-up policy of SIGN_UP and SIGN_UP_DOMAINS. It applies to every new account. */
import type { Config } from '../../config.ts'
import type { AuthDatabase } from '../../database.ts'
import type { ErrorCode } from '../../errors.ts'

/** Returns why no account may have an address of this domain. @param email in lower case, as addresses are stored */
export function domainProblem({ signUp: { domains } }: Config, email: string): ErrorCode | undefined {
  return domains.length > 0 && !domains.includes(email.slice(email.lastIndexOf('@') + 1)) ? 'EMAIL_DOMAIN_NOT_ALLOWED' : undefined
}

/**
 * Returns why an address may not sign up. Existing addresses get the same result, so the response does not show who has an account.
 * @param email in lower case, as addresses are stored
 * @returns undefined if it may
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
  // An invitation does not override the list of domains.
  const problem = domainProblem(config, email)
  if (problem !== undefined || config.signUp.by !== 'invitation') return problem
  const invitation = await db.selectFrom('auth.invitations').select('id')
    .where('email', '=', email).where('status', '=', 'pending').where('expiresAt', '>', new Date()).executeTakeFirst()
  return invitation === undefined ? 'INVITATION_REQUIRED' : undefined
}
