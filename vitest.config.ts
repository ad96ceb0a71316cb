import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/global.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // each file brings its own database and its own services, so files share nothing and run side by side
    fileParallelism: true,
    maxWorkers: 4,
  },
})
