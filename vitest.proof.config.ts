import { defineConfig } from 'vitest/config'

/**
 * What is too much for every change of a line, `npm run test:proof`: the generated proof of isolation, the proof that it
 * would notice, random histories, a thousand damages of a backup, generated inputs of the data surface, the plans of queries
 * with many rows, what the largest requests cost PostgREST, and the scripts of infra/aws.
 */
export const proof = [
  'tests/isolation/**/*.test.ts',
  'tests/histories/**/*.test.ts',
  'tests/edge/cost.test.ts',
  'tests/data/{inputs,plans}.test.ts',
  'tests/unit/aws-scripts.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global.ts'],
    // those beside the proof run in the everyday suite too, with fewer requests and damages
    include: [...proof, 'tests/attacks/input.test.ts', 'tests/restore/damages.test.ts'],
    env: { REQUESTS: process.env['REQUESTS'] ?? '25', DAMAGES_EVERY: process.env['DAMAGES_EVERY'] ?? '3' },
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
