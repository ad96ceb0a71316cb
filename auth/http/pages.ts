/**
 * The pages that a mailed link opens when no front end is there: an address verified, a new password, an invitation. Each is
 * one static document that talks to the routes next to it; nothing of the request is written into it.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PageName } from '../routes/route.ts'

const read = (file: string): string => readFileSync(join(import.meta.dirname, 'pages', file), 'utf8')

/**
 * Reads a document once and puts the style and the script that it refers to into it. A browser then needs one request, and
 * the policy names by their hashes the only style and script that may run.
 */
function page(name: string, status = 200): () => Response {
  const hashes = { style: [] as string[], script: [] as string[] }
  const inline = (kind: keyof typeof hashes, file: string): string => {
    const text = read(file)
    hashes[kind].push(`'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    return `<${kind}>${text}</${kind}>`
  }
  const html = read(`${name}.html`)
    .replace(/<link rel="stylesheet" href="([^"]+)">/g, (_, file: string) => inline('style', file))
    .replace(/<script src="([^"]+)"><\/script>/g, (_, file: string) => inline('script', file))
  const sources = (kind: keyof typeof hashes): string => (hashes[kind].length === 0 ? `'none'` : hashes[kind].join(' '))
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${sources('style')}; script-src ${
      sources('script')
    }; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
  return () => new Response(html, { status, headers })
}

/** Whether a person's browser is asking, rather than a program. */
export const wantsPage = (request: Request): boolean => /(^|,)\s*text\/html\b/.test(request.headers.get('accept') ?? '')

/** What a browser is shown in place of a route's JSON. */
export const pages: Record<PageName, () => Response> = { verified: page('verified'), 'link-ended': page('link-ended', 400) }

/** The pages that ask for something first. Opening one changes nothing, because mail scanners and browsers open links unasked. */
export const pageRoutes: { path: string, page: () => Response }[] = [
  { path: '/reset-password', page: page('reset-password') },
  { path: '/disown-account', page: page('disown-account') },
  { path: '/organization/accept-invitation', page: page('accept-invitation') },
]
