import { defineConfig } from 'vitest/config'

/** The generated proof of isolation, the proof that it would notice, and random histories: `npm run test:proof`. */
export const proof = ['tests/isolation/**/*.test.ts', 'tests/histories/**/*.test.ts']

export default defineConfig({
  test: { globalSetup: ['tests/support/global.ts'], include: proof, maxWorkers: 1, testTimeout: 600_000, hookTimeout: 300_000 },
})
