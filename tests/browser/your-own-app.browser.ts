/** The page docs/your-own-app.md, followed from its first command to the built app. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { password } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { closePages, sharedBrowser } from './chromium.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/**
 * In place of `npm install`, because this suite runs without a network.
 * tests/typed-client/package.test.ts installs the packed client from the registry.
 */
const installOffline = `
npm() { if [ "$1" = install ]; then install_offline; else command npm "$@"; fi; }
install_offline() {
  mkdir -p node_modules/.bin node_modules/finance-client
  tar xzf finance-client-*.tgz --strip-components 1 -C node_modules/finance-client
  for name in vite @supabase @noble; do ln -s '${root}'/node_modules/$name node_modules/$name; done
  ln -s ../vite/bin/vite.js node_modules/.bin/vite
}
`

/** The code blocks of the page, by their language. */
const page = await readFile(join(root, 'docs/your-own-app.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(/^```(.*)\n([^]*?)^```$/gm)].filter(([, info]) => info === language)
    .map(([, , code = '']) => code)

let stack: Stack
let folder: string
let port: number

beforeAll(async () => {
  port = await freePort()
  stack = await startStack({ data: true, env: { TRUSTED_ORIGINS: `http://localhost:${port}` } })
  folder = await mkdtemp(join(tmpdir(), 'finance-own-app-'))
  await symlink(root, join(folder, 'finance-backend'))
  const [make = ''] = blocks('sh')
  await run('bash', ['-euc', installOffline + make], { cwd: folder })
  const [html = ''] = blocks('html')
  const [program = ''] = blocks('ts')
  await writeFile(join(folder, 'my-app/index.html'), html)
  await writeFile(
    join(folder, 'my-app/main.ts'),
    program.replace('http://localhost:3000', stack.publicUrl),
  )
})
afterAll(async () => {
  await closePages()
  await stack?.close()
  await rm(folder, { recursive: true })
})

test('its program compiles in strict mode', async () => {
  const settings =
    '--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable main.ts'
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), settings.split(' '), {
    cwd: join(folder, 'my-app'),
  })
    .catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

test('Ann signs up in the app, stores a transaction, sees it after a reload and in a second tab, and signs out in both', async () => {
  const [, serve = ''] = blocks('sh')
  // npx starts vite as a child, so the whole group ends
  const server = spawn('bash', ['-c', `${serve.trim()} --port ${port} --strictPort`], {
    cwd: join(folder, 'my-app'),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(async () => {
    process.kill(-(server.pid ?? 0))
    await once(server, 'exit')
  })
  await once(server.stdout, 'data')
  const context = await (await sharedBrowser()).newContext()
  const tab = await context.newPage()
  await expect.poll(() =>
    tab.goto(`http://localhost:${port}`).then((response) => response?.status(), () => 0)
  ).toBe(200)

  await tab.getByLabel('Email').fill('ann@example.com')
  await tab.getByLabel('Password').fill(password)
  await tab.getByRole('button', { name: 'Sign up' }).click()
  await tab.getByLabel('Name').fill('Groceries')
  await tab.getByLabel('Amount').fill('-42.50')
  await tab.getByRole('button', { name: 'Add' }).click()
  const table = 'Groceries-42.50usd'
  await expect.poll(() => tab.locator('tbody').textContent()).toBe(table)
  expect(await tab.locator('output').textContent()).toBe('-42.50')
  await tab.reload()
  await expect.poll(() => tab.locator('tbody').textContent()).toBe(table)

  const other = await context.newPage()
  await other.goto(`http://localhost:${port}`)
  await expect.poll(() => other.locator('tbody').textContent()).toBe(table)
  await tab.getByLabel('Name').fill('Salary')
  await tab.getByLabel('Amount').fill('3000')
  await tab.getByRole('button', { name: 'Add' }).click()
  await expect.poll(() => other.locator('output').textContent()).toBe('2957.50')

  await tab.getByRole('button', { name: 'Sign out' }).click()
  for (const each of [tab, other])
    await expect.poll(() => each.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true)
  await other.getByLabel('Email').fill('ann@example.com')
  await other.getByLabel('Password').fill('a wrong password')
  await other.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(() => other.getByRole('alert').textContent()).toBe(
    'The email address or password is incorrect.',
  )
})

test('its build is a folder that APP_DIR can name', async () => {
  const [, , build = ''] = blocks('sh')
  await run('bash', ['-euc', build], { cwd: join(folder, 'my-app') })
  await access(join(folder, 'my-app/dist/index.html'))
})
