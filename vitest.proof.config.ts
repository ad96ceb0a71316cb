import { defineConfig } from 'vitest/config'
import { leftOut } from './tests/rotation.ts'

/** Files that measure costs or times, so no other file runs at the same time. */
const timed = [
  'tests/edge/{cost,linear}.test.ts',
  'tests/auth/{hashing-queue,stop}.test.ts',
  'tests/attacks/timing.test.ts',
]

/** Files that need the database server for themselves: three change a role, the fourth counts the rows that plans read. */
const exclusive = ['tests/isolation/values.test.ts', 'tests/data/{activity-of-many,import-sizes,plans-of-lists}.test.ts']

const untimed = [
  'tests/isolation/{files,freed-ids,isolation,live,mutations,routes}.test.ts',
  'tests/stateful/**/*.test.ts',
  'tests/money/**/*.test.ts',
  'tests/typed-client/{export,export-files,live,mcp,older-exports,package}.test.ts',
  'tests/data/{filters,import-properties,inputs,pages,plans,plans-of-others,turns}.test.ts',
  'tests/edge/{comparison,files,process,raw,realtime,slow}.test.ts',
  'tests/attacks/!(timing).test.ts',
  'tests/auth/{keys,long-deletions,metrics,new-secret,operations,shutdown,whole-requests}.test.ts',
  // servers of others, streams, files, and the examples of a page
  'tests/auth/{admin-export,calendars,changes,docs,files-s3,native-apps,oidc,oidc-another-provider,webhooks}.test.ts',
  'tests/mail/queue.test.ts',
  'tests/database/migrate.test.ts',
  'tests/restore/damages.test.ts',
  'tests/unit/{aws-scripts,docker-setup,passwords}.test.ts',
  'tests/local/{another-deployment,busy-database,check,dev,external,operator-database,permissions,postgres-log,recovery,refusals,secret-files}.test.ts',
]

/** The files of `npm run test:proof`, which take too long to run after every edit. */
export const proof = [...untimed, ...exclusive, ...timed]

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global.ts'],
    setupFiles: ['tests/support/seed.ts'],
    maxWorkers: 2,
    // detects a test that hangs; generous, because a shared machine may be ten times slower
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'proof', include: untimed, exclude: leftOut, sequence: { groupOrder: 0 } } },
      { extends: true, test: { name: 'server', include: exclusive, exclude: leftOut, maxWorkers: 1, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'timed', include: timed, exclude: leftOut, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
})
