/**
 * A single-page app at its own origin that uses the published client. `finance`, `changes` and
 * `shrinkImage` are its globals.
 */
import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Change, Client } from '../../client/index.ts'

declare global {
  var finance: Client
  var changes: Array<Change['event']>
}

const root = join(import.meta.dirname, '../..')

export type AppPage = AsyncDisposable & { origin: string }

/**
 * @param baseUrl read for each page, because the service must trust the page's origin before it
 * starts
 */
export async function appPage(baseUrl: () => string): Promise<AppPage> {
  const directory = await mkdtemp(join(tmpdir(), 'finance-client-'))
  await promisify(execFile)('npx', [
    'tsc',
    '--noEmit',
    'false',
    '--declaration',
    'false',
    '--outDir',
    directory,
  ], { cwd: join(root, 'client') })
  const page = () =>
    `<!doctype html><title>App</title>
    <script type="importmap">{ "imports": { "@supabase/postgrest-js": "/postgrest.js" } }</script>
    <script type="module">
      import { createClient, shrinkImage } from '/client/index.js'
      globalThis.changes = []
      globalThis.shrinkImage = shrinkImage
      globalThis.finance = createClient({ baseUrl: ${JSON.stringify(baseUrl())} })
      finance.onChange(({ event }) => changes.push(event))
    </script>`
  const fileOf = (url: string) =>
    url === '/postgrest.js'
      ? join(root, 'node_modules/@supabase/postgrest-js/dist/index.mjs')
      : join(directory, 'client', basename(url))
  const server = createServer(({ url = '/' }, response) => {
    if (url === '/') response.setHeader('content-type', 'text/html').end(page())
    else createReadStream(fileOf(url)).on('error', () => response.writeHead(404).end()).pipe(
        response.setHeader('content-type', 'text/javascript'),
      )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await rm(directory, { recursive: true })
    },
  }
}
