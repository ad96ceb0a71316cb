/** Applies the policy of a row to a request before the handler of the row runs. */
import { clientNetwork } from '../../common/client-address.ts'
import { currentRequest, type CurrentRequest } from '../current-request.ts'
import { otherAddressLimit, type Verdict } from '../engine/rate-limits.ts'
import { refuse } from '../errors.ts'
import { apiKeyIn } from '../features/api-key/api-keys.ts'
import { signUpProblem } from '../features/account/sign-up.ts'
import { policyOf } from '../policy.ts'
import type { Route, RouteContext } from '../route.ts'

const checkLimit = ({ allowed, retryAfterSeconds }: Verdict): void => {
  if (!allowed) refuse('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
}

/** Passes an organization only to its members. To all others it answers as if it did not exist. */
async function checkMembership(c: RouteContext, organizationId: string, userId: string): Promise<void> {
  const member = await c.var.services.db.selectFrom('auth.members').select('id')
    .where('organizationId', '=', organizationId).where('userId', '=', userId).executeTakeFirst()
  if (member === undefined) refuse('NOT_FOUND')
}

/**
 * Runs the handler if the policy allows the request.
 * @param onQueryError receives each failed query of better-auth
 * @throws Refusal
 */
export async function enforce(c: RouteContext, row: Route, input: object, onQueryError: (error: unknown) => void, handle: () => unknown): Promise<unknown> {
  const { config, db, limits, guesses, hashingQueue, readSession } = c.var.services
  const { client } = c.var
  const policy = policyOf(row)
  const field = (name: string): string | undefined => {
    const value = (input as Record<string, unknown>)[name]
    return typeof value === 'string' ? value : undefined
  }
  checkLimit(await limits.consumeForAddress(row.path, client, policy.limits.address ?? otherAddressLimit))
  let request: CurrentRequest = { policy, client, caller: undefined, onQueryError, onCorrectPassword: () => Promise.resolve() }
  if (policy.credential === 'session or API key') c.set('apiKey', apiKeyIn(c.req.header('authorization')))
  if (policy.credential !== 'none' && c.var.apiKey === undefined) {
    const caller = await currentRequest.run(request, () => readSession(c)) ?? refuse('UNAUTHORIZED')
    c.set('caller', caller)
    request = { ...request, caller }
  }
  const { caller } = request
  const organizationId = field('organizationId')
  if (organizationId !== undefined) {
    // A row that forgot to say so, or that needs no session, gets no organization.
    if (!policy.namesOrganization || caller === undefined) refuse('FORBIDDEN')
    await checkMembership(c, organizationId, caller.user.id)
  }
  const { account } = policy.limits
  if (account !== undefined) {
    const name = (account.by === 'caller' ? caller?.user.id : field('email')) ?? refuse('VALIDATION_ERROR')
    checkLimit(await limits.consumeForAccount(row.path, name, account))
  }
  if (policy.guessesPassword && (field('password') ?? field('currentPassword')) !== undefined) {
    const email = caller?.user.email ?? field('email') ?? refuse('VALIDATION_ERROR')
    await guesses.count('password', email)
    request = { ...request, onCorrectPassword: () => guesses.takeBack('password', email) }
  }
  // before a hash is computed for nothing, and before the response can show whether there is an account
  if (policy.startsSession === 'sign-up') {
    const problem = await signUpProblem(config, db, field('email') ?? '')
    if (problem !== undefined) refuse(problem)
  }
  const leaveQueue = policy.hashesPassword ? await hashingQueue.enter(clientNetwork(client.address)) : undefined
  try {
    return await currentRequest.run(request, async () => await handle())
  } finally {
    leaveQueue?.()
  }
}
