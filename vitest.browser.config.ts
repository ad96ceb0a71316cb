import { defineConfig } from 'vitest/config'

/** The pages a mailed link opens, and apps of other origins, in a real browser: CHROMIUM names it. Apart, because npm test needs no browser. */
export default defineConfig({
  test: {
    globalSetup: ['tests/support/global.ts', 'tests/browser/build-app.ts'],
    include: ['tests/browser/**/*.browser.ts'],
    // each file brings its own browser and its own services
    maxWorkers: 2,
    // how long one may hang, not how long it takes: a shared machine may be ten times slower
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
