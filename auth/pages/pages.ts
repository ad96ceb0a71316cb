/**
 * The HTML pages: `/`, and the pages of mailed links if there is no app. Each is one static
 * document that calls the route of its path. No part of a request is written into it.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { acceptsHtml } from '../../common/http-server.ts'
import type { WireError } from '../../common/error-codes.ts'
import { basePath } from '../../common/contract.ts'
import type { PageName, Route, RouteContext } from '../../http/route.ts'
import { escapeHtml } from '../sanitize-names.ts'

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8')

/** The HTML that replaces each placeholder of a page, such as `{on}`. */
type Filling = Record<string, string>

/** The settings for a page's last link, which leads to the app, or to `/` without an app. */
export type NextStep = { appUrl: string, hasApp: boolean }

/**
 * Makes a document with its style and scripts inlined, so that a browser needs one request. The
 * content security policy allows only these, by their hashes.
 * @param frames the sources of frames
 */
export function document(
  source: string,
  frames = "'none'",
): (filling: Filling, status?: number) => Response {
  const hashes = { style: [] as string[], script: [] as string[] }
  const inline = (kind: keyof typeof hashes, file: string): string => {
    const text = read(file)
    hashes[kind].push(`'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    return `<${kind}>${text}</${kind}>`
  }
  const html = source
    .replace(/<link rel="stylesheet" href="([^"]+)">/g, (_, file: string) => inline('style', file))
    .replace(/<script src="([^"]+)"><\/script>/g, (_, file: string) => inline('script', file))
  const sources = (
    kind: keyof typeof hashes,
  ): string => (hashes[kind].length === 0 ? `'none'` : hashes[kind].join(' '))
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${sources('style')}; script-src ${
      sources('script')
    }; connect-src 'self'; frame-src ${frames}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
  return (filling, status = 200) => {
    const filled = Object.entries(filling).reduce(
      (text, [gap, content]) => text.replace(`{${gap}}`, () => content),
      html,
    )
    return new Response(filled, { status, headers })
  }
}

/** Puts a page into the layout. Its heading is the title. */
function inLayout(name: string): string {
  const [main = '', ...scripts] = read(`${name}.html`).split(/(?=<script )/)
  const parts: Filling = {
    title: /^<h1>(.*)<\/h1>/.exec(main)?.[1] ?? '',
    main,
    scripts: scripts.join(''),
  }
  return read('layout.html').replace(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '')
}

function page(name: string, status = 200): (way: NextStep) => Response {
  const filled = document(inLayout(name))
  return ({ appUrl, hasApp }) => filled({ on: escapeHtml(hasApp ? appUrl : '/') }, status)
}

/** The pages that a browser receives in place of a route's JSON. */
const pages: Record<PageName, (way: NextStep) => Response> = {
  verified: page('verified'),
  'link-ended': page('link-ended', 400),
  'signed-in': page('signed-in'),
  'not-signed-in': page('not-signed-in', 400),
}

/**
 * Returns the page or the redirect for a browser. An error that is not about the link, such as 429,
 * remains JSON without an app.
 */
export async function pageOf(
  c: RouteContext,
  response: Response,
  names: NonNullable<Route['page']>,
): Promise<Response> {
  const { redirectTo, services: { config } } = c.var
  if (redirectTo !== undefined)
    return new Response(null, { status: 303, headers: { location: redirectTo } })
  const isOfLink = response.ok || response.status === 400
  if (!config.hasApp)
    return isOfLink
      ? pages[names[response.ok ? 'succeeded' : 'failed']](config)
      : response
  const outcome = response.ok
    ? { success: 'true' }
    : { error: (await response.json() as WireError).error }
  return new Response(null, {
    status: 303,
    headers: {
      location: `${config.appUrl}${names.ofApp}?${new URLSearchParams(outcome).toString()}`,
    },
  })
}

/**
 * The pages with a form, and the query parameter of their mailed link. Opening one changes nothing,
 * because mail scanners open links.
 */
export const pageRoutes: { path: string, parameter: string, page: (way: NextStep) => Response }[] =
  [
    { path: '/reset-password', parameter: 'token', page: page('reset-password') },
    { path: '/disown-account', parameter: 'token', page: page('disown-account') },
    { path: '/confirm-email-change', parameter: 'token', page: page('confirm-email-change') },
    { path: '/stop-email-change', parameter: 'token', page: page('stop-email-change') },
    { path: '/confirm-delete-account', parameter: 'token', page: page('confirm-delete-account') },
    {
      path: '/organization/accept-invitation',
      parameter: 'invitationId',
      page: page('accept-invitation'),
    },
  ]

/** An address in the list at `/`. */
type LinkedSurface = { name: string, url: string, purpose: string }

/** A command in the list at `/`, and its purpose. */
type Command = { command: string, purpose: string }

/** Further entries of `/`, for a developer on this machine. */
export type Additions = { surfaces: LinkedSurface[], commands: Command[] }

/** The addresses that every deployment has. Each client knows them. */
const surfacesOf = (
  { publicUrl, dataUrl, appUrl, hasApp }: NextStep & { publicUrl: string, dataUrl: string },
): LinkedSurface[] => [
  ...hasApp && appUrl !== publicUrl
    ? [{ name: 'app', url: appUrl, purpose: 'The app for users.' }]
    : [],
  {
    name: 'auth',
    url: `${publicUrl}${basePath}`,
    purpose: 'Accounts, sessions, organizations and tokens.',
  },
  { name: 'data', url: dataUrl, purpose: 'Tables and functions, with a token.' },
  {
    name: 'docs',
    url: `${publicUrl}/docs`,
    purpose: 'The API documentation, to read and to try.',
  },
]

const homePage = document(inLayout('home'))

/**
 * Builds the response at `/` if there is no app: a page with all addresses. Programs receive them
 * as JSON.
 */
export function home(
  config: Parameters<typeof surfacesOf>[0],
  { surfaces: more, commands }: Additions,
): (request: Request) => Response {
  const entries = [...surfacesOf(config), ...more]
  const addresses = Object.fromEntries(entries.map(({ name, url }) => [name, url]))
  const lines = [
    ...entries.map(({ name, url, purpose }) => ({
      title: escapeHtml(name),
      where: `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`,
      purpose,
    })),
    ...commands.map(({ command, purpose }) => ({
      title: escapeHtml(purpose),
      where: `<code>${escapeHtml(command)}</code>`,
      purpose: '',
    })),
  ]
  const listed = lines.map(({ title, where, purpose }) =>
    `<dt>${title}</dt><dd>${where}</dd><dd>${escapeHtml(purpose)}</dd>`
  ).join('\n')
  return (request) => {
    const response = acceptsHtml(request)
      ? homePage({ surfaces: listed })
      : Response.json(addresses)
    response.headers.set('vary', 'accept')
    return response
  }
}
