/** docs/data.md as one story that a test can follow, wherever its requests are sent. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, vi } from 'vitest'
import { startEdge } from '../edge/support.ts'
import type { DataStack } from './data.ts'
import { expectAsShown, sectionsOf, shell, type Example, type Outcome } from './story.ts'

const root = join(import.meta.dirname, '../..')
export const page = await readFile(join(root, 'docs/data.md'), 'utf8')

export const sections = sectionsOf(page)

/** All blocks are one program, which stops after each of them. */
async function typeScript(
  directory: string,
  given: Record<'origin' | 'dataUrl' | 'authUrl' | 'token' | 'oldToken' | 'teamToken' | 'viewerToken', string>,
): Promise<() => Promise<Outcome>> {
  const outcome: Outcome = { statuses: [], printed: [] }
  const real = fetch
  vi.stubGlobal('fetch', async (url: string | URL, init?: RequestInit) => {
    // the one call of the page that is not the data surface's; that it works is tested where the auth surface is
    if (String(url) === `${given.authUrl}/token`) {
      // a refusal that is answered with a new token is no failure
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

  const blocks = sections.flatMap(({ examples }) => examples).filter(({ language }) => language === 'ts')
  const program = blocks.map(({ code }) => code).join('yield\n')
  const imports = /^import .*$/gm
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  await writeFile(
    join(directory, 'page.mts'),
    `
${program.match(imports)?.join('\n')}
type Given = { ${Object.keys(given).map((name) => `${name}: string`).join(', ')}, console: { log(...values: unknown[]): void } }
export default async function* story({ ${Object.keys(given).join(', ')}, console }: Given) {
${program.replaceAll(imports, '')}
}`,
  )
  const { default: story } = await import(/* @vite-ignore */ pathToFileURL(join(directory, 'page.mts')).href) as { default: (given: unknown) => AsyncGenerator }
  const told = story({ ...given, console: { log } })
  return async () => {
    outcome.statuses = []
    outcome.printed = []
    await told.next()
    return { ...outcome }
  }
}

/** The TypeScript of the whole page is the module page.mts of `directory`. */
export type Story = { directory: string, follow: (examples: Example[]) => Promise<void>, close: () => Promise<void> }

/**
 * The people of the page, and a way to do what it says and expect what it shows.
 * @param url where the requests are sent; PostgREST itself unless told. What the page does at one origin goes to an edge before it.
 * @param functions of bash, which every block has
 */
export async function tellStory(stack: DataStack, url = stack.url, functions = ''): Promise<Story> {
  const directory = await mkdtemp(join(tmpdir(), 'finance-docs-'))
  const [ann, vic] = [await stack.person('ann'), await stack.person('vic')]
  const organization = await stack.organization({ owner: ann, viewer: vic })
  await stack.owner.query(`insert into api.app_subscriptions (user_id, product_id, period_end) values ($1, 'teams', now() + interval '1 year')`, [ann.id])
  const tokens = {
    token: await stack.as(ann).token(),
    oldToken: await stack.as(ann).token({ exp: Math.floor(Date.now() / 1000) - 60 }),
    teamToken: await stack.as(ann, organization).token(),
    viewerToken: await stack.as(vic, organization).token(),
  }
  const edge = await startEdge(stack.url)
  const runShell = shell(directory, {
    PATH: process.env['PATH'],
    ORIGIN: edge.url,
    DATA: url,
    TOKEN: tokens.token,
    TEAM_TOKEN: tokens.teamToken,
    VIEWER_TOKEN: tokens.viewerToken,
    ORGANIZATION_ID: organization.id,
  }, functions)
  const runTypeScript = await typeScript(directory, { origin: edge.url, dataUrl: url, authUrl: 'http://localhost:3000/api/auth', ...tokens })
  return {
    directory,
    async follow(examples) {
      for (const example of examples) expectAsShown(example, example.language === 'sh' ? await runShell(example.code) : await runTypeScript())
    },
    async close() {
      vi.unstubAllGlobals()
      await rm(directory, { recursive: true, force: true })
      edge.close()
    },
  }
}
