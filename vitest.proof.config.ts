import { defineConfig } from 'vitest/config'

/**
 * What is too much for every change of a line, `npm run test:proof`: the generated proof of isolation, the proof that it
 * would notice, random histories, every report of random books, a thousand damages of a backup, generated inputs of the data surface, the plans of queries
 * with many rows, what the largest requests cost PostgREST, the client and the assistants' server as packages, the scripts of infra/aws, and what waits for
 * long: recoveries, slow clients, a server of one's own, another checkout, and two comparisons of times.
 */
export const proof = [
  'tests/isolation/**/*.test.ts',
  'tests/histories/**/*.test.ts',
  'tests/money/**/*.test.ts',
  'tests/typed-client/{mcp,package}.test.ts',
  'tests/edge/cost.test.ts',
  'tests/data/{inputs,pages,plans,plans-of-others}.test.ts',
  'tests/unit/aws-scripts.test.ts',
  'tests/local/{ground,recovery,external}.test.ts',
  'tests/edge/slow.test.ts',
  'tests/auth/hashing-queue.test.ts',
  'tests/attacks/timing.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global.ts'],
    setupFiles: ['tests/support/seed.ts'],
    // those beside the proof run in the everyday suite too, with fewer requests and damages
    include: [...proof, 'tests/attacks/input.test.ts', 'tests/restore/damages.test.ts'],
    env: { REQUESTS: process.env['REQUESTS'] ?? '25', DAMAGES_EVERY: process.env['DAMAGES_EVERY'] ?? '5' },
    maxWorkers: 1,
    // how long one may hang, not how long it takes: a shared machine may be ten times slower
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
