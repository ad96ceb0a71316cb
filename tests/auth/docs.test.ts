/** Runs the examples of docs/auth.md in order. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../auth/rooms.ts'
import { startStack, type Stack } from '../support/stack.ts'
import {
  expectDocumentedOutcome,
  sectionsOf,
  shell,
  type Outcome,
} from '../support/doc-examples.ts'

const root = join(import.meta.dirname, '../..')
const page = await readFile(join(root, 'docs/auth.md'), 'utf8')

let stack: Stack
let directory: string
let run: (code: string) => Promise<Outcome>
let keep: NodeJS.Timeout
beforeAll(async () => {
  // The server of the page's webhook is a closed port of this machine.
  stack = await startStack({
    receivers: {
      network: {
        allows: () => true,
        resolve: () => Promise.resolve(['127.0.0.1']),
      },
      allowsHttp: false,
    },
  })
  directory = await mkdtemp(join(tmpdir(), 'finance-docs-'))
  const mails = join(directory, 'mails')
  await writeFile(mails, '')
  // Without a provider, mails are in the log.
  keep = setInterval(() => {
    writeFileSync(`${mails}.new`, stack.mail.mails().map(({ text }) => text).join('\n'))
    renameSync(`${mails}.new`, mails)
  }, 50)
  run = shell(
    directory,
    {
      PATH: process.env['PATH'],
      AUTH: `${stack.publicUrl}/api/auth`,
      DATABASE_URL: stack.ownerUrl,
      NODE: process.execPath,
    },
    `emails() { cat ${mails}; }
    npm() { "$NODE" ${root}/admin/main.ts "\${@:4}"; }
    oathtool() { "$NODE" -e 'import("${root}/tests/support/authenticator-app.ts").then((it) => console.log(it.authenticator("otpauth://totp/x?secret=" + process.argv[1]).code()))' "$3"; }`,
  )
})
afterAll(async () => {
  clearInterval(keep)
  await rm(directory, { recursive: true, force: true })
  await stack.close()
})

test.each(sectionsOf(page))(
  'the examples of “$title” succeed and return what the page shows',
  async ({ examples }) => {
    for (const example of examples) expectDocumentedOutcome(example, await run(example.code))
  },
)

test('docs/auth.md names every route', () => {
  const documented = new Set(page.match(/(?<=\$AUTH|[A-Z] )\/[a-z/-]+(?:\{\w+\}(?:\.ics)?)?/g))
  // Users open mailed links without an example.
  const mailed = new Set(page.match(/\/[a-z-]+(?=\?token=)/g))
  expect(
    routes.map(({ path }) => path).filter((path) => !documented.has(path) && !mailed.has(path)),
  ).toEqual([])
})

test('the table of limits in docs/auth.md lists exactly the limits of the routes', () => {
  const nameOf = (path: string) => path.replace(/\/email$|^\/organization/g, '').slice(1)
  const windowNames: Record<number, string> = {
    60: 'a minute',
    900: 'in a quarter of an hour',
    3_600: 'an hour',
  }
  const kept = routes.flatMap(({ path, limits: { address, accounts = [] } = {} }) =>
    [address, ...accounts].flatMap((limit) =>
      limit === undefined ? [] : [`${nameOf(path)}: ${limit.max} ${windowNames[limit.window]}`]
    )
  )
  const table = [...page.matchAll(/^\| ([a-z, /-]+) \| (.*) \|$/gm)].filter(([, , limits = '']) =>
    /from one|for one|to one/.test(limits)
  )
  const said = table.flatMap(([, names = '', limits = '']) =>
    names.split(', ').filter((name) => name !== 'anything else').flatMap((name) =>
      limits.split(', ').map((limit) =>
        `${name}: ${limit.replace(/^five \w+/, '5').replace(/ (from|for|by|to) one .*$/, '')}`
      )
    )
  )
  expect(said.toSorted()).toEqual(
    kept.map((limit) => limit.replace(/ to one person$/, '')).toSorted(),
  )
})
