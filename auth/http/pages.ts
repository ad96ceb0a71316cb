/**
 * The pages for people: what is at `/`, and what a mailed link opens where no app takes its place: an address verified, a new
 * password, an invitation. Each is one static document that talks to the routes next to it; nothing of the request is
 * written into it.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml } from '../../infra/shared/html.ts'
import { basePath } from '../config.ts'
import type { PageName } from '../route.ts'

const read = (file: string): string => readFileSync(join(import.meta.dirname, 'pages', file), 'utf8')

/** What a page's gaps are filled with: `{on}` in it by `on`, as HTML. */
type Filling = Record<string, string>

/** Where somebody goes on to: the app, or what is at `/`. */
export type WayOn = { appUrl: string, hasApp: boolean }

/**
 * Reads a document once and puts the style and the scripts that it refers to into it. A browser then needs one request, and
 * the policy names by their hashes the only style and scripts that may run.
 * @param frames what it may show inside of it; nothing unless told
 */
export function document(source: string, frames = "'none'"): (filling: Filling, status?: number) => Response {
  const hashes = { style: [] as string[], script: [] as string[] }
  const inline = (kind: keyof typeof hashes, file: string): string => {
    const text = read(file)
    hashes[kind].push(`'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    return `<${kind}>${text}</${kind}>`
  }
  const html = source
    .replace(/<link rel="stylesheet" href="([^"]+)">/g, (_, file: string) => inline('style', file))
    .replace(/<script src="([^"]+)"><\/script>/g, (_, file: string) => inline('script', file))
  const sources = (kind: keyof typeof hashes): string => (hashes[kind].length === 0 ? `'none'` : hashes[kind].join(' '))
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${sources('style')}; script-src ${
      sources('script')
    }; connect-src 'self'; frame-src ${frames}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
  return (filling, status = 200) => {
    const filled = Object.entries(filling).reduce((text, [gap, content]) => text.replace(`{${gap}}`, () => content), html)
    return new Response(filled, { status, headers })
  }
}

/** A page that leads on. */
function page(name: string, status = 200): (way: WayOn) => Response {
  const filled = document(read(`${name}.html`))
  return ({ appUrl, hasApp }) => filled({ on: escapeHtml(hasApp ? appUrl : '/') }, status)
}

/** Whether a person's browser is asking, rather than a program. */
export const wantsPage = (request: Request): boolean => /(^|,)\s*text\/html\b/.test(request.headers.get('accept') ?? '')

/** What a browser is shown in place of a route's JSON. */
export const pages: Record<PageName, (way: WayOn) => Response> = {
  verified: page('verified'),
  'link-ended': page('link-ended', 400),
  'signed-in': page('signed-in'),
  'not-signed-in': page('not-signed-in', 400),
}

/** The pages that ask for something first, and what of the mailed link they need. Opening one changes nothing, because mail scanners and browsers open links unasked. */
export const pageRoutes: { path: string, parameter: string, page: (way: WayOn) => Response }[] = [
  { path: '/reset-password', parameter: 'token', page: page('reset-password') },
  { path: '/disown-account', parameter: 'token', page: page('disown-account') },
  { path: '/confirm-email-change', parameter: 'token', page: page('confirm-email-change') },
  { path: '/stop-email-change', parameter: 'token', page: page('stop-email-change') },
  { path: '/confirm-delete-account', parameter: 'token', page: page('confirm-delete-account') },
  { path: '/organization/accept-invitation', parameter: 'invitationId', page: page('accept-invitation') },
]

/** Something that runs here: its name, where it is, and what somebody would want there. */
export type Place = { name: string, url: string, says: string }

/** Something to type, and what for. */
export type Command = { command: string, says: string }

/** What somebody adds to `/`, for who works on this machine. */
export type Additions = { places: Place[], commands: Command[] }

/** What every origin of ours has: no more than each app that uses it knows. */
const placesOf = ({ publicUrl, dataUrl, appUrl, hasApp }: WayOn & { publicUrl: string, dataUrl: string }): Place[] => [
  ...hasApp && appUrl !== publicUrl ? [{ name: 'app', url: appUrl, says: 'For people.' }] : [],
  { name: 'auth', url: `${publicUrl}${basePath}`, says: 'Accounts, sessions, organizations and tokens.' },
  { name: 'data', url: dataUrl, says: 'Tables and functions, for whoever has a token.' },
  { name: 'docs', url: `${publicUrl}/docs`, says: 'What both answer, to read and to try.' },
]

const homePage = document(read('home.html'))

/** Builds what is at `/` where no app is served: what runs, and where to go. A program is told the same as JSON, name by name. */
export function home(config: Parameters<typeof placesOf>[0], { places: more, commands }: Additions): (request: Request) => Response {
  const places = [...placesOf(config), ...more]
  const addresses = Object.fromEntries(places.map(({ name, url }) => [name, url]))
  const lines = [
    ...places.map(({ name, url, says }) => ({ title: escapeHtml(name), where: `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`, says })),
    ...commands.map(({ command, says }) => ({ title: escapeHtml(says), where: `<code>${escapeHtml(command)}</code>`, says: '' })),
  ]
  const listed = lines.map(({ title, where, says }) => `<dt>${title}</dt><dd>${where}</dd><dd>${escapeHtml(says)}</dd>`).join('\n')
  return (request) => {
    const response = wantsPage(request) ? homePage({ places: listed }) : Response.json(addresses)
    response.headers.set('vary', 'accept')
    return response
  }
}
