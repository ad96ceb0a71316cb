import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { proof } from './vitest.proof.config.ts'

/** Files that measure time or take the whole machine, and so run when nothing else does. What they compare is measured side by side, because a shared machine is slow at times. */
export const timed = ['tests/auth/stop.test.ts', 'tests/data/shares.test.ts']

/** tests/description has packages of its own, which come with tests of their own. */
const packages = ['**/node_modules/**']

export default defineConfig({
  // as examples/app/vite.config.ts: unit tests of the app need no build of the client
  resolve: { alias: [{ find: /^finance-client$/, replacement: join(import.meta.dirname, 'client/index.ts') }] },
  test: {
    globalSetup: ['tests/support/global.ts'],
    setupFiles: ['tests/support/seed.ts'],
    // each file brings its own database and its own services, so files share nothing and run side by side
    // more than cores, because much of what a file does is to wait
    maxWorkers: 6,
    // nor do they share anything through a module, so a worker loads the engine once and not for each file
    isolate: false,
    // how long a test may hang, not how long it takes: a shared machine may be ten times slower
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // the provider of tests/support/oidc.ts says at each start that it is one for tests
    onConsoleLog: (line) => !line.includes('oidc-provider'),
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['tests/**/*.test.ts', 'examples/app/src/**/*.test.ts'],
          exclude: [...packages, ...timed, ...proof],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'timed', include: timed, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
