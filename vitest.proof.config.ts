import { defineConfig } from 'vitest/config'

/** Measurements, which run only when nothing else does: the largest requests' cost, slow clients, and comparisons of times. */
const timed = ['tests/edge/{cost,slow}.test.ts', 'tests/auth/hashing-queue.test.ts', 'tests/attacks/timing.test.ts', 'tests/data/activity-of-many.test.ts']

/** Files that share the server with no other: one changes a role, the other counts rows that plans of a busy server read. */
const ofServer = ['tests/isolation/values.test.ts', 'tests/data/plans-of-lists.test.ts']

const untimed = [
  'tests/isolation/{isolation,mutations}.test.ts',
  'tests/stateful/**/*.test.ts',
  'tests/money/**/*.test.ts',
  'tests/typed-client/{mcp,package}.test.ts',
  'tests/data/{inputs,pages,plans,plans-of-others}.test.ts',
  'tests/edge/{process,raw}.test.ts',
  'tests/attacks/{guards,input}.test.ts',
  'tests/auth/new-secret.test.ts',
  'tests/database/migrate.test.ts',
  'tests/restore/damages.test.ts',
  'tests/unit/aws-scripts.test.ts',
  'tests/local/{permissions,recovery,refusals,external}.test.ts',
]

/**
 * The files of `npm run test:proof`, which take too long for every change of a line: the generated proof of isolation and its mutations, random
 * histories, reports of random books, damages of a backup, the edge as a process and raw requests, generated requests, query plans, migrations of what is stored, packages, scripts of
 * infra/aws, starts that cannot work, and recoveries.
 */
export const proof = [...untimed, ...ofServer, ...timed]

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global.ts'],
    setupFiles: ['tests/support/seed.ts'],
    maxWorkers: 2,
    // how long one may hang, not how long it takes: a shared machine may be ten times slower
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'proof', include: untimed, sequence: { groupOrder: 0 } } },
      { extends: true, test: { name: 'server', include: ofServer, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'timed', include: timed, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
})
