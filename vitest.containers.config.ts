import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { timed } from './vitest.config.ts'

const postgrestInContainer = join(import.meta.dirname, 'tests/containers/postgrest.ts')

/** `npm run test:containers`: the suite on the containers that are shipped, then the whole of compose.yaml. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        // the same files as in `npm test`; only where PostgreSQL and PostgREST come from is another
        resolve: { alias: [{ find: /^\.\.\/\.\.\/infra\/local\/postgrest\.ts$/, replacement: postgrestInContainer }] },
        test: {
          name: 'suite',
          include: ['tests/auth/**/*.test.ts', 'tests/data/**/*.test.ts'],
          // what they measure is the service, which is the same one here
          exclude: timed,
          globalSetup: ['tests/containers/global.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
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
