import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { proof } from './vitest.proof.config.ts'

/** tests/description has its own packages, which contain tests of their own. */
const packages = ['**/node_modules/**']

export default defineConfig({
  // as examples/app/vite.config.ts: unit tests of the app need no build of the client
  resolve: { alias: [{ find: /^finance-client$/, replacement: join(import.meta.dirname, 'client/index.ts') }] },
  test: {
    globalSetup: ['tests/support/global.ts'],
    setupFiles: ['tests/support/seed.ts'],
    // each file has its own database and services, so files run in parallel; more workers than cores, because tests often wait,
    // but few, because each loads and compiles all modules
    maxWorkers: 4,
    // files share no state through modules, so a worker loads the engine only once
    isolate: false,
    // detects a test that hangs; generous, because a shared machine may be ten times slower
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 90_000 } },
    // oidc-provider (tests/support/oidc.ts) prints a warning at each start
    onConsoleLog: (line) => !line.includes('oidc-provider'),
    include: ['tests/**/*.test.ts', 'examples/app/src/**/*.test.ts'],
    exclude: [...packages, ...proof],
  },
})
