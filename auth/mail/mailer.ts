/**
 * Queues mails and builds their links, from PUBLIC_URL and APP_URL and never from headers of a
 * request.
 */
import { basePath } from '../../common/contract.ts'
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

/**
 * The jobs of the queue: a finished mail, and two requests that look the address up after the
 * response.
 */
export type MailJobs = {
  send_mail: Message
  request_password_reset: { to: string, redirectTo?: string }
  request_verification: { to: string }
}

type Enqueue = <Name extends keyof MailJobs>(name: Name, payload: MailJobs[Name]) => Promise<void>

type Person = { name: string, email: string }

/** A user whose address is not verified. */
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

/** The addresses from which links are built. */
export type LinkTargets = {
  /** base_url, without a trailing slash. */
  publicUrl: string
  /** The app's address, without a trailing slash. */
  appUrl: string
  /** Whether there is an app. Without one, links lead to our own pages. */
  hasApp: boolean
}

/** Builds the addresses of links. */
function linksOf({ publicUrl, appUrl, hasApp }: LinkTargets) {
  /** The host that users know. */
  const site = new URL(appUrl).host
  const link = (path: string, parameters: Record<string, string>) => {
    const url = new URL(path, `${appUrl}/`)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.toString()
  }
  /** Returns the page of a form: the app's, or ours without an app. */
  const ask = (
    path: string,
    ours = path,
  ) => (hasApp ? `${appUrl}${path}` : `${publicUrl}${basePath}${ours}`)
  return { publicUrl, appUrl, site, link, ask }
}

type Links = ReturnType<typeof linksOf>

/** The mails about an account's address. The pages of their links are always ours. */
const addressMails = ({ publicUrl, site, link }: Links, enqueue: Enqueue) => ({
  /** For a new user, for each sign-in until the address is verified, and on request. */
  verification: (user: NewPerson, token: string, disownToken: string) =>
    enqueue(
      'send_mail',
      verificationMessage({
        to: user.email,
        name: user.name,
        createdAt: user.createdAt,
        site,
        // always our route: opening it verifies, and then leads to the app
        url: link(`${publicUrl}${basePath}/verify-email`, { token }),
        disownUrl: link(`${publicUrl}${basePath}/disown-account`, { token: disownToken }),
      }),
    ),
  /**
   * To the new address. The pages of both links are always ours, because apps rarely have them.
   */
  emailChange: (user: Person, token: string) =>
    enqueue(
      'send_mail',
      emailChangeMessage({
        to: user.email,
        name: user.name,
        site,
        url: link(`${publicUrl}${basePath}/confirm-email-change`, { token }),
      }),
    ),
  /** To the old address. */
  emailChangeNotice: (user: Person, newEmail: string, token: string) =>
    enqueue(
      'send_mail',
      emailChangeNoticeMessage({
        to: user.email,
        name: user.name,
        newEmail,
        site,
        url: link(`${publicUrl}${basePath}/stop-email-change`, { token }),
      }),
    ),
})

/** The mails about an account's password and its deletion. */
const accountMails = ({ publicUrl, site, link, ask }: Links, enqueue: Enqueue) => ({
  /**
   * @param redirectTo a trusted page that reads `token` from its query; a path is one of the app
   */
  passwordReset: (user: Person, token: string, redirectTo: string | undefined) =>
    enqueue(
      'send_mail',
      passwordResetMessage({
        to: user.email,
        name: user.name,
        site,
        url: link(redirectTo ?? ask('/reset-password'), { token }),
      }),
    ),
  /** The page of the link is always ours. */
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
})

/** Builds mails, and queues them. */
export function createMailer(targets: LinkTargets, enqueue: Enqueue) {
  const links = linksOf(targets)
  const { appUrl, site, link, ask } = links
  return {
    ...addressMails(links, enqueue),
    ...accountMails(links, enqueue),
    /** @param token proves that the recipient reads the mails of the address */
    invitation: (
      { id, email, role, organization, inviter, invitation }: Invitation,
      token: string,
    ) =>
      enqueue(
        'send_mail',
        invitationMessage({
          to: email,
          role,
          organizationName: organization.name,
          inviterName: inviter.user.name,
          inviterEmail: inviter.user.email,
          site,
          url: link(ask('/accept-invitation', '/organization/accept-invitation'), {
            invitationId: id,
            token,
          }),
          expiresAt: invitation.expiresAt,
        }),
      ),
    /** The link leads to the app's start page, because not every app has more pages. */
    notice: (notice: Notice) =>
      enqueue('send_mail', noticeMessage({ ...notice, site, url: `${appUrl}/` })),
    /** For any address, known or not. */
    requestPasswordReset: (email: string, redirectTo: string | undefined) =>
      enqueue(
        'request_password_reset',
        redirectTo === undefined ? { to: email } : { to: email, redirectTo },
      ),
    /** For any address, known or not. */
    requestVerification: (email: string) => enqueue('request_verification', { to: email }),
  }
}
