import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const postgrestInContainer = join(import.meta.dirname, 'tests/containers/postgrest.ts')

/**
 * `npm run test:containers`: the suite on PostgREST and PostgreSQL in containers, then the whole of compose.yaml. PostgREST's is not the
 * version that is shipped unless POSTGREST_TAG says so (tests/support/postgrest-tag.ts).
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        // files of `npm test` that ask PostgREST; only where it and PostgreSQL come from is another
        resolve: { alias: [{ find: /^\.\.\/\.\.\/infra\/local\/postgrest\.ts$/, replacement: postgrestInContainer }] },
        test: {
          name: 'suite',
          // what PostgREST answers and what it holds; what the database decides by itself is the same there
          include: ['tests/data/{description,docs,functions,inputs,media-types,owner,tables}.test.ts', 'tests/auth/{data,keys}.test.ts'],
          globalSetup: ['tests/containers/global.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'compose',
          include: ['tests/containers/**/*.containers.ts'],
          testTimeout: 300_000,
          hookTimeout: 600_000,
          // each brings up a deployment, on the same network
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
