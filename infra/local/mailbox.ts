/**
 * The mailbox of `npm start`, at /mail: the mails that were written to the log in place of being sent, as they look. They hold
 * links that open accounts, so they are shown on this machine alone, and only to who typed its address. The auth service
 * knows nothing of it.
 */
import type { IncomingMessage } from 'node:http'
import { document } from '../../auth/http/pages.ts'
import type { OutgoingMail } from '../../auth/mail/transports.ts'
import { originsOf } from '../../auth/origins.ts'
import { escapeHtml } from '../../auth/sanitize-names.ts'
import { isOnThisMachine } from '../../common/client-address.ts'
import type { Settings } from '../../common/settings.ts'

/** So many are kept, the newest; a suite that signs up people all day must not fill the memory. */
const kept = 100

type KeptMail = Pick<OutgoingMail, 'to' | 'subject' | 'text' | 'html'> & { id: number, at: Date }

export type Mailbox = {
  keep: (mail: OutgoingMail) => void
  /** @returns the answer, or undefined for what is not the mailbox's */
  serve: (incoming: IncomingMessage) => Response | undefined
}

const source = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Mails</title>
<link rel="stylesheet" href="page.css">
<link rel="stylesheet" href="mails.css">
</head>
<body>
<main>
<h1>Mails</h1>
<p>What would have been sent, newest first: the last ${kept} since the start, on this machine alone. <a href="/mail">Look again</a></p>
{mails}
</main>
</body>
</html>
`
const page = document(source, "'self'")

/** A text whose addresses can be followed. */
const linked = (text: string): string =>
  text.split(/(https?:\/\/\S+)/).map((part, index) => {
    const safe = escapeHtml(part)
    return index % 2 === 0 ? safe : `<a href="${safe}" target="_blank" rel="noopener">${safe}</a>`
  }).join('')

const article = ({ id, at, to, subject, text }: KeptMail): string =>
  `<article>
<h2>${escapeHtml(subject)}</h2>
<p>To ${escapeHtml(to)}, <time datetime="${at.toISOString()}">${at.toISOString().slice(0, 19).replace('T', ' ')} UTC</time></p>
<iframe src="/mail/${id}" sandbox="allow-popups allow-popups-to-escape-sandbox" title="${escapeHtml(subject)}" loading="lazy"></iframe>
<details><summary>As plain text</summary><pre>${linked(text)}</pre></details>
</article>`

/** One mail, as a mail program shows it: no script, no address of the page around it, links in a window of their own. */
const asMail = ({ html }: KeptMail): Response =>
  new Response(html.replace('<head>', '<head>\n<base target="_blank">'), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    },
  })

/**
 * Whether there may be a mailbox: not in production, not where mail is sent, and not where base_url is not of this machine, because
 * then a proxy in front of it may let everybody look as if they were here.
 */
export const mayShowMails = ({ NODE_ENV, PUBLIC_URL, RESEND_API_KEY, SMTP_URL }: Settings): boolean =>
  NODE_ENV !== 'production' && RESEND_API_KEY === undefined && SMTP_URL === undefined && originsOf(PUBLIC_URL, []).onLocalhost

/** Makes the mailbox. @returns undefined where none may be */
export function mailbox(settings: Settings): Mailbox | undefined {
  if (!mayShowMails(settings)) return undefined
  const { PUBLIC_URL, PORT, TRUSTED_PROXIES } = settings
  // a name that leads here is not enough: a foreign page could have its own name lead here, and then read
  const hosts = new Set([new URL(PUBLIC_URL).host, ...['localhost', '127.0.0.1', '[::1]'].map((host) => `${host}:${PORT}`)])
  const mails: KeptMail[] = []
  let count = 0

  const answer = (incoming: IncomingMessage, path: string): Response => {
    // no browser asks by HTTP/1.0; nginx does, unless it is told otherwise, and it says nothing else of itself
    const isOurs = incoming.httpVersion !== '1.0' && hosts.has(incoming.headers.host?.toLowerCase() ?? '') &&
      isOnThisMachine(incoming.socket.remoteAddress ?? '', incoming.headers, TRUSTED_PROXIES)
    if (!isOurs || incoming.method !== 'GET') return new Response('The mailbox is for this machine alone.\n', { status: 403 })
    if (path === '/mail') return page({ mails: mails.map(article).join('\n') || '<p>None yet. Sign up, and the first one is here.</p>' })
    const mail = mails.find(({ id }) => path === `/mail/${id}`)
    return mail === undefined ? new Response('This mail is not kept any more.\n', { status: 404 }) : asMail(mail)
  }

  return {
    keep: ({ to, subject, text, html }) => {
      mails.unshift({ id: ++count, at: new Date(), to, subject, text, html })
      mails.length = Math.min(mails.length, kept)
    },
    serve: (incoming) => {
      const path = incoming.url?.split('?', 1)[0] ?? ''
      if (path !== '/mail' && !path.startsWith('/mail/')) return undefined
      const response = answer(incoming, path)
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
