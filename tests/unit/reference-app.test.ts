/**
 * The build of the reference app by `npm start`. tests/browser/app-start.browser.ts tests the
 * result.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../../common/settings.ts'
import { referenceApp } from '../../start/reference-app.ts'

let checkout: string
let said: string[] = []
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'reference-app-'))
  onTestFinished(() => rm(checkout, { recursive: true }))
})

const write = async (path: string, text: string) => {
  await mkdir(dirname(join(checkout, path)), { recursive: true })
  await writeFile(join(checkout, path), text)
}

/** A checkout with a fake builder that runs `does`, with the output folder in `out`. */
const prepare = async (does: string) => {
  await write(
    'node_modules/vite/bin/vite.js',
    `const fs = require('node:fs'); const out = process.argv[process.argv.indexOf('--outDir') + 1]; ${does}`,
  )
  await write('app/index.html', '<title>App</title>')
  await write('app/src/main.tsx', '1')
}

const wellBuilt =
  `fs.mkdirSync(out); fs.cpSync(process.argv[3] + '/src/main.tsx', out + '/index.html')`

const app = async (): Promise<string | undefined> => {
  said = []
  const directory = await referenceApp(
    checkout,
    (line) => said.push(line),
    new AbortController().signal,
  )
  return directory === undefined ? undefined : readFile(join(directory, 'index.html'), 'utf8')
}

test('the app is built once, and again after a source has changed', async () => {
  await prepare(wellBuilt)
  expect([await app(), said]).toEqual(['1', ['app   is built, once']])
  expect([await app(), said]).toEqual(['1', []])
  await write('app/src/main.tsx', '2')
  expect([await app(), said]).toEqual(['2', ['app   is built, once']])
  await write('client/index.ts', 'changed')
  await app()
  expect(said).toEqual(['app   is built, once'])
  // Each build had a draft folder that became the build.
  expect((await readdir(join(checkout, 'app'))).toSorted()).toEqual(['dist', 'index.html', 'src'])
})

test('a failed build is reported, and the start continues without an app', async () => {
  await prepare(`throw new Error('of the builder')`)
  expect(await app()).toBeUndefined()
  expect(said.at(-1)).toMatch(/^app {3}could not be built, so \/ has no app: /)
})

test('a checkout without the app or its build tools starts without one, and reports nothing', async () => {
  expect([await app(), said]).toEqual([undefined, []])
  await write('app/index.html', '<title>App</title>')
  expect([await app(), said]).toEqual([undefined, []])
})

test('the app is built unless the environment names another app or disables it', () => {
  const wanted = (env: Record<string, string>) => readSettings(env).wantsReferenceApp
  expect(wanted({})).toBe(true)
  expect(wanted({ APP_DIR: '' })).toBe(true)
  expect(wanted({ APP_DIR: 'none' })).toBe(false)
  expect(wanted({ APP_DIR: '../app/dist' })).toBe(false)
  expect(wanted({ APP_URL: 'https://app.example.org' })).toBe(false)
  expect(readSettings({ APP_DIR: 'none' })).toMatchObject({ APP_DIR: undefined, hasApp: false })
})
