/**
 * The mailbox of `npm start`, at /mail. It shows the mails that the auth service logged instead of
 * sending them. Emails contain links that open accounts. The mailbox therefore answers only requests
 * from this machine, to its own host name. The auth service does not depend on the mailbox.
 */
import type { IncomingMessage } from 'node:http'
import { onlyMethods } from '../common/error-codes.ts'
import { document } from '../auth/pages/pages.ts'
import type { OutgoingMail } from '../auth/mail/transports.ts'
import { originsOf } from '../http/origins.ts'
import { escapeHtml } from '../auth/sanitize-names.ts'
import { isOnThisMachine } from '../common/client-address.ts'
import type { Settings } from '../common/settings.ts'

/** Keeps only the newest mails, so that long test runs do not exhaust memory. */
const maxMails = 100

type StoredMail = Pick<OutgoingMail, 'to' | 'subject' | 'text' | 'html'> & { id: number, at: Date }

export type Mailbox = {
  add: (mail: OutgoingMail) => void
  /** Returns the response. Undefined if the path does not belong to the mailbox. */
  serve: (incoming: IncomingMessage) => Response | undefined
}

const source = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Emails</title>
<link rel="stylesheet" href="page.css">
<link rel="stylesheet" href="mails.css">
</head>
<body>
<main>
<h1>Emails</h1>
<p>Emails that would have been sent since the start: the last ${maxMails}, newest first. Only this machine can see them. <a href="/mail">Reload</a></p>
{mails}
</main>
</body>
</html>
`
const page = document(source, "'self'")

/** Escapes a text and turns its URLs into links. */
const linked = (text: string): string =>
  text.split(/(https?:\/\/\S+)/).map((part, index) => {
    const safe = escapeHtml(part)
    return index % 2 === 0 ? safe : `<a href="${safe}" target="_blank" rel="noopener">${safe}</a>`
  }).join('')

const article = ({ id, at, to, subject, text }: StoredMail): string =>
  `<article>
<h2>${escapeHtml(subject)}</h2>
<p>To ${escapeHtml(to)}, <time datetime="${at.toISOString()}">${
    at.toISOString().slice(0, 19).replace('T', ' ')
  } UTC</time></p>
<iframe src="/mail/${id}" sandbox="allow-popups allow-popups-to-escape-sandbox" title="${
    escapeHtml(subject)
  }" loading="lazy"></iframe>
<details><summary>As plain text</summary><pre>${linked(text)}</pre></details>
</article>`

/**
 * Returns a mail as a mail program shows it: without scripts, isolated from the page around it,
 * links open in a new window.
 */
const mailResponse = ({ html }: StoredMail): Response =>
  new Response(html.replace('<head>', '<head>\n<base target="_blank">'), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    },
  })

/**
 * Whether the mailbox may exist: not in production, not if mail is sent, and only if base_url is on
 * localhost. With another base_url there may be a proxy, which makes every client look local.
 */
export const mayShowMails = (
  { NODE_ENV, PUBLIC_URL, RESEND_API_KEY, SMTP_URL }: Settings,
): boolean =>
  NODE_ENV !== 'production' && RESEND_API_KEY === undefined && SMTP_URL === undefined &&
  originsOf(PUBLIC_URL, []).onLocalhost

/** Creates the mailbox. Returns undefined if there may be none. */
export function mailbox(settings: Settings): Mailbox | undefined {
  if (!mayShowMails(settings)) return undefined
  const { PUBLIC_URL, PORT, TRUSTED_PROXIES } = settings
  // check the Host header: a page of an attacker could resolve its own name to this machine (DNS
  // rebinding) and read the mails
  const hosts = new Set([
    new URL(PUBLIC_URL).host,
    ...['localhost', '127.0.0.1', '[::1]'].map((host) => `${host}:${PORT}`),
  ])
  const mails: StoredMail[] = []
  let count = 0

  const respond = (incoming: IncomingMessage, path: string): Response => {
    // nginx forwards by HTTP/1.0 and adds no header unless it is configured to; no browser uses
    // HTTP/1.0
    const isAllowed = incoming.httpVersion !== '1.0' &&
      hosts.has(incoming.headers.host?.toLowerCase() ?? '') &&
      isOnThisMachine(incoming.socket.remoteAddress ?? '', incoming.headers, TRUSTED_PROXIES)
    if (isAllowed && incoming.method !== 'GET' && incoming.method !== 'HEAD') {
      const { message, headers: { allow } } = onlyMethods(['GET', 'HEAD'])
      return new Response(`${message}\n`, { status: 405, headers: { allow } })
    }
    if (!isAllowed)
      return new Response('Only this machine can open the mailbox.\n', { status: 403 })
    if (path === '/mail')
      return page({
        mails: mails.map(article).join('\n') ||
          '<p>No emails yet. Sign up to get the first one.</p>',
      })
    const mail = mails.find(({ id }) => path === `/mail/${id}`)
    return mail === undefined
      ? new Response('This email no longer exists.\n', { status: 404 })
      : mailResponse(mail)
  }

  return {
    add: ({ to, subject, text, html }) => {
      mails.unshift({ id: ++count, at: new Date(), to, subject, text, html })
      mails.length = Math.min(mails.length, maxMails)
    },
    serve: (incoming) => {
      const path = incoming.url?.split('?', 1)[0] ?? ''
      if (path !== '/mail' && !path.startsWith('/mail/')) return undefined
      const response = respond(incoming, path)
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
      return response
    },
  }
}

const headers = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
