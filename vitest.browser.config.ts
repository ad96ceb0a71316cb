import { defineConfig } from 'vitest/config'
import { leftOut } from './tests/rotation.ts'

/** Tests in real browsers. CHROMIUM and FIREFOX are their paths. They are separate, because `npm test` needs no browser. */
export default defineConfig({
  test: {
    globalSetup: ['tests/support/global.ts', 'tests/browser/build-app.ts'],
    include: ['tests/browser/**/*.browser.ts'],
    exclude: leftOut,
    // each file starts its own services, and a worker starts one browser for all of its files
    maxWorkers: 2,
    isolate: false,
    // detects a test that hangs; generous, because a shared machine may be ten times slower
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
