/**
 * The token in the link of an invitation's mail. It proves that its holder reads emails to the
 * invited address, so no second mail has to verify it. The id of the invitation proves nothing,
 * because the inviter and the managers of the organization know it.
 */
import { createHmac } from 'node:crypto'
import { signJWT, verifyJWT } from 'better-auth/crypto'
import { z } from 'zod'
import { callerOf, type RouteContext } from '../../../http/route.ts'

const claimsOf = z.object({ invitationId: z.string(), email: z.string() })

// a separate key, so that no other token verifies an address and this token does nothing else
const proofKey = (secret: string): string =>
  createHmac('sha256', secret).update('invitation-address').digest('base64url')

type Invited = { id: string, email: string, expiresAt: Date }

/**
 * Returns the token for the email of an invitation. It expires with it. @param secret
 * BETTER_AUTH_SECRET
 */
export const addressProof = (secret: string, { id, email, expiresAt }: Invited): Promise<string> =>
  signJWT(
    { invitationId: id, email },
    proofKey(secret),
    Math.max(1, Math.ceil((expiresAt.getTime() - Date.now()) / 1000)),
  )

/**
 * Verifies the caller's address if the token is of a pending invitation to it. The check and the
 * change are one statement, so a token does nothing after the invitation was answered or canceled.
 * An invalid token changes nothing: the caller then verifies the address by mail.
 */
export async function verifyInvitedAddress(
  c: RouteContext,
  invitationId: string,
  token: string | undefined,
): Promise<void> {
  const { user } = callerOf(c)
  if (token === undefined || user.emailVerified) return
  const { db, config } = c.var.services
  const claims = claimsOf.safeParse(await verifyJWT(token, proofKey(config.secret)))
  if (
    !claims.success || claims.data.invitationId !== invitationId || claims.data.email !== user.email
  ) return
  const changed = await db.updateTable('auth.users').set({
    emailVerified: true,
    updatedAt: new Date(),
  })
    .where('id', '=', user.id).where('email', '=', claims.data.email).where(
      'emailVerified',
      '=',
      false,
    )
    .where((where) =>
      where.exists(
        where.selectFrom('auth.invitations').select('id').where('id', '=', invitationId).where(
          'email',
          '=',
          claims.data.email,
        )
          .where('status', '=', 'pending').where('expiresAt', '>', new Date()),
      )
    )
    .executeTakeFirst()
  // better-auth answers this request with the same caller
  if (changed.numUpdatedRows === 1n) user.emailVerified = true
}
