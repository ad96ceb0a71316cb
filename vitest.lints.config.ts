import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** `npm run lint:texts`: rules about the sources and the pages. They start no program. */
export default defineConfig({
  // as examples/app/vite.config.ts: the app's modules need no build of the client
  resolve: { alias: [{ find: /^finance-client$/, replacement: join(import.meta.dirname, 'client/index.ts') }] },
  test: { include: ['tests/lints/*.lint.ts'], isolate: false, maxWorkers: 2, testTimeout: 60_000 },
})
