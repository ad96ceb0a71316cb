/** Runs the examples of docs/data.md in order, against any server. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, vi } from 'vitest'
import type { DataStack } from './data.ts'
import {
  expectDocumentedOutcome,
  sectionsOf,
  shell,
  type Example,
  type Outcome,
} from './doc-examples.ts'

const root = join(import.meta.dirname, '../..')
export const page = await readFile(join(root, 'docs/data.md'), 'utf8')

export const sections = sectionsOf(page)

/** Compiles all TypeScript blocks into one generator, which stops after each block. */
async function typeScript(
  directory: string,
  given: Record<
    'origin' | 'dataUrl' | 'authUrl' | 'token' | 'oldToken' | 'teamToken' | 'viewerToken',
    string
  >,
): Promise<() => Promise<Outcome>> {
  const outcome: Outcome = { statuses: [], printed: [] }
  const real = fetch
  vi.stubGlobal('fetch', async (url: string | URL, init?: RequestInit) => {
    // The only call of the page to the auth surface. Tests of the auth surface cover it.
    if (String(url) === `${given.authUrl}/token`) {
      // The client expects this 401 and fetches a new token.
      expect(outcome.statuses.pop()).toBe(401)
      return Response.json({ token: given.token })
    }
    const response = await real(url, init)
    outcome.statuses.push(response.status)
    return response
  })
  const log = (...values: unknown[]) => {
    outcome.printed.push(values.length === 1 ? values[0] : values.join(' '))
  }

  const blocks = sections.flatMap(({ examples }) => examples).filter(({ language }) =>
    language === 'ts'
  )
  const program = blocks.map(({ code }) => code).join('yield\n')
  const imports = /^import .*$/gm
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  await writeFile(
    join(directory, 'page.mts'),
    `
${program.match(imports)?.join('\n')}
type Given = { ${
      Object.keys(given).map((name) => `${name}: string`).join(', ')
    }, console: { log(...values: unknown[]): void } }
export default async function* story({ ${Object.keys(given).join(', ')}, console }: Given) {
${program.replaceAll(imports, '')}
}`,
  )
  const { default: story } = await import(
    /* @vite-ignore */ pathToFileURL(join(directory, 'page.mts')).href
  ) as { default: (given: unknown) => AsyncGenerator }
  const blockResults = story({ ...given, console: { log } })
  return async () => {
    outcome.statuses = []
    outcome.printed = []
    await blockResults.next()
    return { ...outcome }
  }
}

/** A run of the page. Its TypeScript is the module page.mts in `directory`. */
export type DataPage = {
  directory: string
  run: (examples: Example[]) => Promise<void>
  close: () => Promise<void>
}

/**
 * Creates the users of the page. Returns a runner that executes examples and expects their
 * documented output.
 * @param url the data surface; by default PostgREST. Examples that use one origin for both surfaces
 * get an edge in front of both.
 * @param functions bash functions for every block
 */
export async function startDataPage(
  stack: DataStack,
  url = stack.url,
  functions = '',
): Promise<DataPage> {
  const directory = await mkdtemp(join(tmpdir(), 'finance-docs-'))
  const [ann, vic] = [await stack.person('ann'), await stack.person('vic')]
  const organization = await stack.organization({ owner: ann, viewer: vic })
  await stack.owner.query(
    `insert into api.app_subscriptions (user_id, product_id, period_end) values ($1, 'teams', now() + interval '1 year')`,
    [ann.id],
  )
  const tokens = {
    token: await stack.as(ann).token(),
    oldToken: await stack.as(ann).token({ exp: Math.floor(Date.now() / 1000) - 60 }),
    teamToken: await stack.as(ann, organization).token(),
    viewerToken: await stack.as(vic, organization).token(),
  }
  const origin = await stack.startAuth()
  const runShell = shell(directory, {
    PATH: process.env['PATH'],
    ORIGIN: origin,
    AUTH: `${origin}/api/auth`,
    DATA: url,
    TOKEN: tokens.token,
    TEAM_TOKEN: tokens.teamToken,
    VIEWER_TOKEN: tokens.viewerToken,
    ORGANIZATION_ID: organization.id,
  }, functions)
  const runTypeScript = await typeScript(directory, {
    origin,
    dataUrl: url,
    authUrl: 'http://localhost:3000/api/auth',
    ...tokens,
  })
  return {
    directory,
    async run(examples) {
      for (const example of examples)
        expectDocumentedOutcome(
          example,
          example.language === 'sh' ? await runShell(example.code) : await runTypeScript(),
        )
    },
    async close() {
      vi.unstubAllGlobals()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
