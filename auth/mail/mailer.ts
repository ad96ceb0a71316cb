/**
 * Which mail is sent when, and where its link leads. Links are made of PUBLIC_URL and APP_URL and never of a request's headers. A
 * mail is a job of the queue: asking for one takes an insert, sending it is somebody else's time.
 */
import { basePath } from '../config.ts'
import {
  accountDeletionMessage,
  emailChangeMessage,
  emailChangeNoticeMessage,
  invitationMessage,
  noticeMessage,
  passwordResetMessage,
  verificationMessage,
  type Message,
  type Notice,
  type Succession,
} from './messages.ts'

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

/** Where links lead. */
export type Places = {
  /** base_url, without a slash at its end. */
  publicUrl: string
  /** The app's address, without a slash at its end. */
  appUrl: string
  /** Whether an app is there; else the pages of our own take its place. */
  hasApp: boolean
}

/** @param enqueue puts a job into the durable queue */
export function createMailer({ publicUrl, appUrl, hasApp }: Places, enqueue: Enqueue) {
  /** Where people know us. */
  const site = new URL(appUrl).host
  const link = (path: string, parameters: Record<string, string>) => {
    const url = new URL(path, `${appUrl}/`)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.toString()
  }
  /** The page that asks: the app's, or ours. */
  const ask = (path: string, ours = path) => (hasApp ? `${appUrl}${path}` : `${publicUrl}${basePath}${ours}`)
  return {
    /** To a new user, and again at each sign-in until verified. */
    verification: (user: NewPerson, token: string, disownToken: string) =>
      enqueue(
        'send_mail',
        verificationMessage({
          to: user.email,
          name: user.name,
          createdAt: user.createdAt,
          site,
          // ours also where there is an app: opening it verifies, also by a program, and then leads on
          url: link(`${publicUrl}${basePath}/verify-email`, { token }),
          disownUrl: link(`${publicUrl}${basePath}/disown-account`, { token: disownToken }),
        }),
      ),
    /** @param redirectTo a trusted page that takes `token` from its query and asks for the new password; a path is one of the app's */
    passwordReset: (user: Person, token: string, redirectTo: string | undefined) =>
      enqueue('send_mail', passwordResetMessage({ to: user.email, name: user.name, site, url: link(redirectTo ?? ask('/reset-password'), { token }) })),
    /** To the new address. Its page is ours also where there is an app, as that of the other: they are rare, and an app's author would forget them. */
    emailChange: (user: Person, token: string) =>
      enqueue('send_mail', emailChangeMessage({ to: user.email, name: user.name, site, url: link(`${publicUrl}${basePath}/confirm-email-change`, { token }) })),
    /** To the old address. */
    emailChangeNotice: (user: Person, newEmail: string, token: string) =>
      enqueue(
        'send_mail',
        emailChangeNoticeMessage({ to: user.email, name: user.name, newEmail, site, url: link(`${publicUrl}${basePath}/stop-email-change`, { token }) }),
      ),
    /** Opening the link asks; its page is ours also where there is an app, which is for people who stay. */
    accountDeletion: (user: Person, token: string, organizations: Succession[]) =>
      enqueue(
        'send_mail',
        accountDeletionMessage({
          to: user.email,
          name: user.name,
          site,
          organizations,
          url: link(`${publicUrl}${basePath}/confirm-delete-account`, { token }),
        }),
      ),
    invitation: ({ id, email, role, organization, inviter, invitation }: Invitation) =>
      enqueue(
        'send_mail',
        invitationMessage({
          to: email,
          role,
          organizationName: organization.name,
          inviterName: inviter.user.name,
          inviterEmail: inviter.user.email,
          site,
          url: link(ask('/accept-invitation', '/organization/accept-invitation'), { invitationId: id }),
          expiresAt: invitation.expiresAt,
        }),
      ),
    /** Its link leads to the app's front door, because only resets, invitations and verifications are pages that every app has. */
    notice: (notice: Notice) => enqueue('send_mail', noticeMessage({ ...notice, site, url: `${appUrl}/` })),
    /** For any address, known or not. */
    requestPasswordReset: (email: string, redirectTo: string | undefined) =>
      enqueue('request_password_reset', redirectTo === undefined ? { to: email } : { to: email, redirectTo }),
    /** For any address, known or not. */
    requestVerification: (email: string) => enqueue('request_verification', { to: email }),
  }
}
