import { defineConfig } from 'vitest/config'

/** `npm run test:description`: third-party tools check the OpenAPI document. They need their own packages: npm ci --prefix tests/description. */
export default defineConfig({
  test: {
    name: 'description',
    include: ['tests/description/*.description.ts'],
    globalSetup: ['tests/support/global.ts'],
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
