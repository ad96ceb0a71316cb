import { defineConfig } from 'vitest/config'

/** The pages a mailed link opens, in a real browser: CHROMIUM names it. Apart, because npm test needs no browser. */
export default defineConfig({
  test: { globalSetup: ['tests/support/global.ts'], include: ['tests/browser/**/*.browser.ts'], testTimeout: 30_000, hookTimeout: 60_000 },
})
