import { defineConfig } from 'vitest/config'

/** `npm run test:description`: what other people's tools make of the OpenAPI document. Apart, because they need packages of their own: npm ci --prefix tests/description. */
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
