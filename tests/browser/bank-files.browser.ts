/**
 * Bank files in a browser: an app reads each file of tests/bank-files with the same result as Node.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type PresetName,
  PRESETS,
  type ReadOptions,
  readStatement,
  unpack,
} from '../../bank-files/index.ts'
import { zipOf } from '../bank-files/files.ts'
import { closePages, sharedBrowser } from './chromium.ts'

declare global {
  var readBankFile: typeof readStatement
  var unpackBankFile: typeof unpack
}

const root = join(import.meta.dirname, '../..')
const files = join(root, 'tests/bank-files/files')

let compiled: string
let server: Server
let browser: Browser
let page: Page

const html = `<!doctype html><title>App</title>
  <script type="importmap">{ "imports": { "papaparse": "/papaparse.js", "@rgrove/parse-xml": "/parse-xml.js", "@zip.js/zip.js/": "/zip.js/" } }</script>
  <script type="module">
    import { readStatement, unpack } from '/index.js'
    globalThis.readBankFile = readStatement
    globalThis.unpackBankFile = unpack
  </script>`

/** papaparse is not an ES module. A bundler would generate this wrapper. */
const asModule = (code: string) =>
  `const module = { exports: {} }; const exports = module.exports;\n${code}\nexport default module.exports`

const packages = join(root, 'node_modules')
const answers: Record<string, () => Promise<string>> = {
  '/papaparse.js': async () =>
    asModule(await readFile(join(packages, 'papaparse/papaparse.min.js'), 'utf8')),
  '/parse-xml.js': () => readFile(join(packages, '@rgrove/parse-xml/dist/browser.js'), 'utf8'),
}

beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), 'finance-import-'))
  await promisify(execFile)('npx', [
    'tsc',
    '--noEmit',
    'false',
    '--declaration',
    'false',
    '--outDir',
    compiled,
  ], { cwd: join(root, 'bank-files') })
  server = createServer(({ url = '/' }, response) => {
    const answer = url === '/'
      ? async () => html
      : answers[url] ??
        (() =>
          readFile(
            url.startsWith('/zip.js/') ? join(packages, '@zip.js', url) : join(compiled, url),
            'utf8',
          ))
    const type = url === '/' ? 'text/html' : 'text/javascript'
    void answer().then(
      (text) => response.setHeader('content-type', type).end(text),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  browser = await sharedBrowser()
  page = await browser.newPage()
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction(() => 'readBankFile' in globalThis)
})
afterAll(async () => {
  await closePages()
  server?.close()
  await rm(compiled, { recursive: true })
})

test('an app in a browser gets the same rows, problems and accounts of each file as Node', async () => {
  const names = await readdir(files)
  expect(names.length).toBeGreaterThan(15)
  for (const name of names) {
    const bytes = await readFile(join(files, name))
    const preset = basename(name, '.csv') as PresetName
    const options: ReadOptions = PRESETS[preset]?.header.length === 0 ? { preset } : {}
    const there = await page.evaluate(
      ([numbers, said]) => readBankFile(Uint8Array.from(numbers), said),
      [[...bytes], options] as const,
    )
    expect(there, name).toEqual(readStatement(bytes, options))
    expect(there.rows, name).not.toEqual([])
  }
})

test('an app in a browser reads an archive like Node', async () => {
  const archive = await zipOf({
    '1.xml': await readFile(join(files, 'camt052.xml')),
    '2.xml': await readFile(join(files, 'camt053.xml')),
  })
  const there = await page.evaluate(
    async (numbers) => readBankFile(await unpackBankFile(Uint8Array.from(numbers))),
    [...archive],
  )
  expect(there).toEqual(readStatement(await unpack(archive)))
  expect(there.rows).toHaveLength(5)
})
