/**
 * Which mail is sent when, and where its link leads. Links are made of PUBLIC_URL and never of a request's headers. A
 * mail is a job of the queue: asking for one takes an insert, sending it is somebody else's time.
 */
import { basePath } from '../config.ts'
import { invitationMessage, passwordResetMessage, verificationMessage, type Message } from './messages.ts'

/** The queue's jobs: a finished mail to send, and the two requests that are looked up only after they were answered. */
export type MailJobs = {
  send_mail: Message
  request_password_reset: { to: string, redirectTo?: string }
  request_verification: { to: string }
}

type Enqueue = <Name extends keyof MailJobs>(name: Name, payload: MailJobs[Name]) => Promise<void>

type Person = { name: string, email: string }

/** Somebody whose address is yet to be confirmed. */
type NewPerson = Person & { createdAt: Date }

type Invitation = {
  id: string
  email: string
  role: string
  organization: { name: string }
  inviter: { user: Person }
  invitation: { expiresAt: Date }
}

export type Mailer = ReturnType<typeof createMailer>

/**
 * @param publicUrl base_url, without a slash at its end
 * @param enqueue puts a job into the durable queue
 */
export function createMailer(publicUrl: string, enqueue: Enqueue) {
  const link = (path: string, parameters: Record<string, string>) => {
    const url = new URL(path, publicUrl)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.toString()
  }
  return {
    /** To a new user, and again at each sign-in until verified. */
    verification: (user: NewPerson, token: string, disownToken: string) =>
      enqueue(
        'send_mail',
        verificationMessage({
          to: user.email,
          name: user.name,
          createdAt: user.createdAt,
          url: link(`${basePath}/verify-email`, { token }),
          disownUrl: link(`${basePath}/disown-account`, { token: disownToken }),
        }),
      ),
    /** @param redirectTo a trusted page that takes `token` from its query and asks for the new password; ours without it */
    passwordReset: (user: Person, token: string, redirectTo: string | undefined) =>
      enqueue('send_mail', passwordResetMessage({ to: user.email, name: user.name, url: link(redirectTo ?? `${basePath}/reset-password`, { token }) })),
    invitation: ({ id, email, role, organization, inviter, invitation }: Invitation) =>
      enqueue(
        'send_mail',
        invitationMessage({
          to: email,
          role,
          organizationName: organization.name,
          inviterName: inviter.user.name,
          inviterEmail: inviter.user.email,
          url: link(`${basePath}/organization/accept-invitation`, { invitationId: id }),
          expiresAt: invitation.expiresAt,
        }),
      ),
    /** For any address, known or not. */
    requestPasswordReset: (email: string, redirectTo: string | undefined) =>
      enqueue('request_password_reset', redirectTo === undefined ? { to: email } : { to: email, redirectTo }),
    /** For any address, known or not. */
    requestVerification: (email: string) => enqueue('request_verification', { to: email }),
  }
}
