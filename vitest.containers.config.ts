import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { postgrestOfNpm, postgrestTag } from './tests/support/postgrest-tag.ts'

const postgrestInContainer = join(import.meta.dirname, 'tests/containers/postgrest.ts')

/**
 * Files of `npm test` that ask PostgREST, with PostgREST in a container. With the version of `npm test` they would ask the
 * same program again. Its container is tested by the files on deployments.
 */
const suite: TestProjectInlineConfiguration = {
  // only where PostgREST and PostgreSQL come from is another
  resolve: { alias: [{ find: /^\.\.\/\.\.\/infra\/local\/postgrest\.ts$/, replacement: postgrestInContainer }] },
  test: {
    name: 'suite',
    include: ['tests/data/{description,docs,functions,inputs,media-types,owner,tables}.test.ts', 'tests/auth/{data,keys}.test.ts'],
    globalSetup: ['tests/containers/global.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { groupOrder: 0 },
  },
}

/**
 * Files that run when nothing else does: the soak measures memory. The browser of `addresses` drops its requests when a network of the
 * machine appears or disappears, as with each deployment.
 */
const alone = ['tests/containers/{soak,addresses}.containers.ts']
/** Files that bring up deployments, each on a network of its own. */
const deployments = { globalSetup: ['tests/containers/images.ts'], testTimeout: 300_000, hookTimeout: 600_000, expect: { poll: { timeout: 30_000 } } }

/** `npm run test:containers`: the whole of compose.yaml, and what stands in containers beside it; the suite too on a PostgREST that POSTGREST_TAG names. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      ...postgrestTag === postgrestOfNpm ? [] : [suite],
      // two at a time, because much of what a file does is to wait
      { test: { ...deployments, name: 'compose', include: ['tests/containers/**/*.containers.ts'], exclude: alone, sequence: { groupOrder: 1 } } },
      { test: { ...deployments, name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
})
