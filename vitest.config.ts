/**
 * All tests, as projects: `npx vitest run --project proof`. A project whose files need no name runs
 * by its path: `npx vitest run tests/auth/session.test.ts`.
 */
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { leftOut } from './tests/rotation.ts'
import { postgrestOfNpm, postgrestTag } from './tests/support/postgrest-tag.ts'

type Tests = NonNullable<TestProjectInlineConfiguration['test']>

/** tests/description has its own packages, which contain tests of their own. */
const packages = ['**/node_modules/**']

/** The database server and the seed of most projects. */
const server: Tests = {
  globalSetup: ['tests/support/global.ts'],
  setupFiles: ['tests/support/seed.ts'],
}

/** Files that measure costs or times, so no other file runs at the same time. */
const timed = [
  'tests/edge/{cost,linear}.test.ts',
  'tests/auth/{hashing-queue,stop}.test.ts',
  'tests/attacks/timing.test.ts',
  'tests/database/migrations-under-load.test.ts',
  'tests/move/move.test.ts',
]

/**
 * Files that need the database server for themselves: three change a role, the fourth counts the
 * rows that plans read.
 */
const exclusive = [
  'tests/isolation/values.test.ts',
  'tests/data/{activity-of-many,import-sizes,plans-of-lists}.test.ts',
]

const untimed = [
  'tests/isolation/{files,freed-ids,isolation,live,mutations,routes}.test.ts',
  'tests/stateful/**/*.test.ts',
  'tests/money/**/*.test.ts',
  'tests/typed-client/{export,export-files,live,mcp,older-exports,package}.test.ts',
  'tests/data/{filters,import-formats,import-properties,inputs,pages,plans,plans-of-others,reload,turns}.test.ts',
  'tests/edge/{comparison,files,process,process-upstreams,raw,realtime,slow}.test.ts',
  'tests/attacks/!(timing).test.ts',
  'tests/auth/{credential-events,keys,long-deletions,metrics,new-secret,operations,shutdown,traces,whole-requests}.test.ts',
  // servers of others, streams, files, and the examples of a page
  'tests/auth/{admin-export,calendars,changes,changes-resumed,docs,files-s3,native-apps,oidc,oidc-accounts,oidc-another-provider,webhook-deliveries,webhooks}.test.ts',
  'tests/mail/queue.test.ts',
  'tests/database/{backfills,migrate}.test.ts',
  'tests/restore/damages.test.ts',
  'tests/unit/{aws-scripts,docker-commands,docker-setup,passwords,release}.test.ts',
  'tests/start/{another-deployment,busy-database,check,dev,external,operator-database,permissions,postgres-log,recovery,refusals,secret-files}.test.ts',
]

/** The files of `npm run test:proof`, which take too long to run after every edit. */
export const proof = [...untimed, ...exclusive, ...timed]

/** `npm test` */
const main: Tests = {
  ...server,
  name: 'main',
  include: ['tests/**/*.test.ts', 'app/src/**/*.test.ts'],
  exclude: [...packages, ...proof],
  // each file has its own database and services, so files run in parallel; more workers than cores,
  // because tests often wait, but few, because each loads and compiles all modules
  maxWorkers: 4,
  // files share no state through modules, so a worker loads the engine only once
  isolate: false,
  expect: { poll: { timeout: 90_000 } },
}

/** `npm run test:proof` */
const proofs: Tests[] = [
  { ...server, name: 'proof', include: untimed, exclude: leftOut, sequence: { groupOrder: 1 } },
  {
    ...server,
    name: 'server',
    include: exclusive,
    exclude: leftOut,
    maxWorkers: 1,
    sequence: { groupOrder: 2 },
  },
  {
    ...server,
    name: 'timed',
    include: timed,
    exclude: leftOut,
    maxWorkers: 1,
    sequence: { groupOrder: 3 },
  },
]

/** `npm run lint:texts`: rules about the sources and the pages. They start no program. */
const lints: Tests = {
  name: 'lints',
  include: ['tests/lints/*.lint.ts'],
  isolate: false,
  sequence: { groupOrder: 4 },
}

/** `npm run test:browser`: real browsers. CHROMIUM and FIREFOX are their paths. */
const browser: Tests = {
  name: 'browser',
  globalSetup: ['tests/support/global.ts', 'tests/browser/build-app.ts'],
  include: ['tests/browser/**/*.browser.ts'],
  exclude: leftOut,
  // each file starts its own services, and a worker starts one browser for all of its files
  isolate: false,
  sequence: { groupOrder: 5 },
}

/**
 * `npm run test:description`: third-party tools check the OpenAPI document. They need their own
 * packages: npm ci --prefix tests/description.
 */
const description: Tests = {
  name: 'description',
  globalSetup: ['tests/support/global.ts'],
  include: ['tests/description/*.description.ts'],
  sequence: { groupOrder: 6 },
}

/**
 * `npm run test:kubernetes`: the chart, rendered by Helm. If Docker runs, also its pods as
 * containers on this machine.
 */
const kubernetes: Tests = {
  name: 'kubernetes',
  globalSetup: ['tests/kubernetes/global.ts'],
  include: ['tests/kubernetes/*.kubernetes.ts'],
  exclude: leftOut,
  sequence: { groupOrder: 7 },
}

/**
 * Files of `npm test` that test PostgREST, here with PostgREST in a container. They run only with
 * another version than that of `npm test`: the same version is already tested there, and its
 * container by the files on deployments.
 */
const otherPostgrest: TestProjectInlineConfiguration = {
  extends: true,
  resolve: {
    alias: [{
      find: /^\.\.\/\.\.\/start\/postgrest\.ts$/,
      replacement: join(import.meta.dirname, 'tests/containers/postgrest.ts'),
    }],
  },
  test: {
    name: 'containers-postgrest',
    globalSetup: ['tests/containers/global.ts'],
    include: [
      'tests/data/{description,docs,functions,inputs,media-types,owner,report-functions,table-requests,tables}.test.ts',
      'tests/auth/{data,keys}.test.ts',
    ],
    sequence: { groupOrder: 8 },
  },
}

/**
 * The file that runs alone, because its browser drops its requests whenever a network of the
 * machine appears or disappears, and each deployment creates networks.
 */
const alone = ['tests/containers/addresses.containers.ts']

/**
 * `npm run test:containers`: compose.yaml and the other containers, two files at a time, because
 * they mostly wait.
 */
const containers: Tests[] = [
  {
    name: 'containers',
    globalSetup: ['tests/containers/images.ts'],
    include: ['tests/containers/**/*.containers.ts'],
    exclude: [...alone, ...leftOut],
    sequence: { groupOrder: 9 },
  },
  {
    name: 'containers-alone',
    globalSetup: ['tests/containers/images.ts'],
    include: alone,
    exclude: leftOut,
    maxWorkers: 1,
    sequence: { groupOrder: 10 },
  },
]

/**
 * `npm run test:cluster`: failovers and backups of PostgreSQL under Patroni, with Debian's packages.
 * It takes some minutes, most of them Patroni's timeouts.
 */
const cluster: Tests = {
  name: 'cluster',
  include: ['tests/cluster/*.cluster.ts'],
  maxWorkers: 1,
  sequence: { groupOrder: 11 },
}

export default defineConfig({
  // as app/vite.config.ts: tests of the app need no build of the client
  resolve: {
    alias: [{
      find: /^finance-client$/,
      replacement: join(import.meta.dirname, 'client/index.ts'),
    }],
  },
  test: {
    maxWorkers: 2,
    // these detect a test that hangs; generous, because a shared machine may be ten times slower
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    // oidc-provider (tests/support/oidc.ts) prints a warning at each start
    onConsoleLog: (line) => !line.includes('oidc-provider'),
    projects: [
      ...[main, ...proofs, lints, browser, description, kubernetes, ...containers, cluster]
        .map((test): TestProjectInlineConfiguration => ({ extends: true, test })),
      ...postgrestTag === postgrestOfNpm ? [] : [otherPostgrest],
    ],
  },
})
