import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { leftOut } from './tests/rotation.ts'
import { postgrestOfNpm, postgrestTag } from './tests/support/postgrest-tag.ts'

const postgrestInContainer = join(import.meta.dirname, 'tests/containers/postgrest.ts')

/**
 * Files of `npm test` that test PostgREST, here with PostgREST in a container. They run only with another version than that of `npm test`:
 * the same version is already tested there, and its container by the files on deployments.
 */
const suite: TestProjectInlineConfiguration = {
  // starts PostgREST as a container
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
 * The file that runs alone, because its browser drops its requests whenever a network of the machine appears or disappears, and each
 * deployment creates networks.
 */
const alone = ['tests/containers/addresses.containers.ts']
/** Files that start deployments, each with its own networks. */
const deployments = { globalSetup: ['tests/containers/images.ts'], testTimeout: 300_000, hookTimeout: 600_000, expect: { poll: { timeout: 30_000 } } }

/** `npm run test:containers`: compose.yaml and the other containers. With another POSTGREST_TAG also a part of the suite on that PostgREST. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      ...postgrestTag === postgrestOfNpm ? [] : [suite],
      // two files at a time, because they mostly wait
      {
        test: {
          ...deployments,
          name: 'compose',
          include: ['tests/containers/**/*.containers.ts'],
          exclude: [...alone, ...leftOut],
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...deployments, name: 'alone', include: alone, exclude: leftOut, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
  },
})
