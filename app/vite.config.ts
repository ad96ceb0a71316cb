import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'
import { firstViewBudget, firstViewBytes } from './first-view.ts'

const beside = (file: string) => join(import.meta.dirname, '..', file)

/**
 * Inserts the names of the build's files into the service worker. Their version also covers the
 * document, whose name has no hash.
 */
async function insertFiles(dir: string, names: readonly string[]): Promise<void> {
  const worker = join(dir, 'sw.js')
  const files = [
    '/',
    ...names.filter((name) => name.startsWith('assets/')).map((name) => `/${name}`).toSorted(),
  ]
  const version = createHash('sha256').update(files.join()).update(
    await readFile(join(dir, 'index.html')),
  ).digest('hex').slice(0, 16)
  const source = await readFile(worker, 'utf8')
  await writeFile(
    worker,
    source.replaceAll('BUILD_FILES', JSON.stringify(files)).replaceAll(
      'BUILD_VERSION',
      JSON.stringify(version),
    ),
  )
}

/**
 * Writes a brotli file beside each text, which the edge serves instead, and prints the size of the
 * first view.
 */
const compressed = (): Plugin => ({
  name: 'compressed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    await insertFiles(dir, Object.keys(bundle))
    const texts = Object.keys(bundle).filter((path) => /\.(?:js|css|html|svg)$/.test(path))
    await Promise.all(
      texts.map(async (path) =>
        writeFile(
          join(dir, `${path}.br`),
          await promisify(brotliCompress)(await readFile(join(dir, path))),
        )
      ),
    )
    console.log(
      `the first view loads ${((await firstViewBytes(dir)) / 1000).toFixed(1)} kB of script (${
        firstViewBudget / 1000
      } at most)`,
    )
  },
})

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compressed()],
  resolve: {
    alias: [
      { find: /^finance-client\/import$/, replacement: beside('bank-files/index.ts') },
      { find: /^finance-client\/export$/, replacement: beside('client/export/index.ts') },
      { find: /^finance-client$/, replacement: beside('client/index.ts') },
    ],
  },
  build: {
    target: 'es2023',
    // browsers with light-dark()
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // the content security policy allows no data: URL
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, 'index.html'),
        sw: join(import.meta.dirname, 'src/service-worker.ts'),
      },
      // the browser finds the worker by its name
      output: { entryFileNames: ({ name }) => name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js' },
      checks: { moduleLevelDirective: false, pluginTimings: false },
    },
  },
  // an IIFE cannot load the code for archives later
  worker: { format: 'es' },
  server: { proxy: { '/api': 'http://localhost:3000', '/data': 'http://localhost:3000' } },
})
