/**
 * Versions with known flaws are reported wherever they run, and publishing an image with an
 * exploitable one is refused.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import floors from '../../common/floors.json' with { type: 'json' }
import { belowFloors, floorOf, type Program } from '../../common/floors.ts'
import { serviceNode } from '../../start/floors.ts'
import { root } from '../start/support.ts'

test.each<[Program, string, boolean]>([
  ['node', '24.22.1', false],
  ['node', 'v24.21.0', true],
  ['node', '24.100.0', false],
  ['node', '27.0.0', false],
  // Has no minimum of its own, because it gets no fixes.
  ['node', '23.11.0', true],
  ['node', '20.20.2', true],
  ['postgresql', '18.7 (Debian 18.7-1.pgdg13+1)', false],
  ['postgresql', '18.6', true],
  ['postgresql', '15.20 (Debian 15.20-0+deb12u1)', false],
  ['postgresql', '15.19', true],
  ['postgresql', 'pg_dump (PostgreSQL) 18.4', true],
  ['postgresql', '15.9', true],
  ['postgresql', '19beta1', false],
  ['postgresql', 'unknown', false],
  ['postgrest', '12.0.2', false],
  ['postgrest', '14.17', true],
  ['postgrest', '16.5', false],
  ['caddy', 'v2.11.3 h1:abc=', true],
])('%s %s is below its supported minimum: %s', (program, version, isBelow) => {
  expect(belowFloors({ [program]: version })).toHaveLength(isBelow ? 1 : 0)
})

test('a finding is one line with version, minimum and reason; it is an error if the flaw is exploitable', () => {
  expect(belowFloors({ node: '24.21.0', postgresql: null, postgrest: undefined })).toEqual([
    {
      program: 'node',
      isError: true,
      line: expect.stringMatching(
        /^Error: Node 24\.21\.0 is below 24\.22\.1: .*exploitable.*CVE-2026-111497.*\. It still runs\. To update it: docs\/operations\.md, Floors\.$/,
      ),
    },
  ])
  for (const { why, exploitable } of Object.values(floors))
    expect(why.includes('exploitable')).toBe(exploitable)
  expect(floorOf('node', '24.1.0')).toBe('24.22.1')
})

test('docs/operations.md lists each minimum with its reason', async () => {
  const page = await readFile(join(root, 'docs/operations.md'), 'utf8')
  const rows = page.split('\n').map((line) =>
    line.split('|').map((cell) => cell.trim().replaceAll('**', ''))
  )
  for (const { name, versions, why } of Object.values(floors)) {
    const [, , documented, reason] = rows.find(([, program]) => program === name) ?? []
    expect([name, documented]).toEqual([name, versions.join(', ')])
    expect(why).toContain(reason)
  }
})

describe('building an image with an exploitable flaw', () => {
  const build = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(root, 'infra/docker/floors.ts'), ...args])
      .then(
        ({ stderr }) => ({ code: 0, stderr }),
        ({ code, stderr }: { code: number, stderr: string }) => ({ code, stderr }),
      )

  test('building an image with an exploitable flaw succeeds with a line for own use, and fails for publishing', async () => {
    expect(await build('warn', 'node', 'v24.21.0')).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Error: Node .*\n$/),
    })
    expect(await build('refuse', 'node', 'v24.21.0')).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Error: Node .*\n$/),
    })
    expect(await build('refuse', 'node', 'v24.22.1')).toEqual({ code: 0, stderr: '' })
    expect(await build('refuse', 'postgresql', 'pg_dump (PostgreSQL) 18.4')).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Warning: PostgreSQL .*\n$/),
    })
    const [bake, dockerfile] = await Promise.all(
      ['docker-bake.hcl', 'Dockerfile'].map((name) =>
        readFile(join(root, 'infra/docker', name), 'utf8')
      ),
    )
    expect(bake).toContain('FLOORS = "refuse"')
    for (const check of ['node "$(node --version)"', 'postgresql "$(pg_dump --version)"'])
      expect(dockerfile).toContain(
        `ARG FLOORS=warn\nRUN node infra/docker/floors.ts "$FLOORS" ${check}\n`,
      )
  })
})

test('an upgrade with a Caddy below its minimum prints a line and succeeds', async () => {
  const [command] = /^docker compose run .* infra\/docker\/floors\.ts .*$/m.exec(
    await readFile(join(root, 'infra/docker/upgrade'), 'utf8'),
  ) ?? []
  // A fake Docker: Caddy's container prints its version, and the migration's image runs Node.
  const docker = (caddy: string) =>
    `docker() { case "$*" in
    "compose exec -T caddy caddy version") ${caddy} ;;
    "compose run --rm --no-deps -T migrate "*) shift 6; "$@" ;;
  esac; }`
  const upgrade = (caddy: string) =>
    promisify(execFile)('bash', ['--norc', '-euc', `${docker(caddy)}\n${command}`], { cwd: root })
  expect(await upgrade('echo v2.11.3 h1:abc=')).toEqual({
    stdout: '',
    stderr: belowFloors({ caddy: '2.11.3' })[0]?.line + '\n',
  })
  expect(await upgrade('echo v2.11.4 h1:abc=')).toEqual({ stdout: '', stderr: '' })
  expect(await upgrade('false')).toEqual({ stdout: '', stderr: '' })
})

describe('the minimum of PostgREST 16', () => {
  const [floor = ''] = floors.postgrest.versions.filter((version) => version.startsWith('16.'))
  const minor = Number(floor.split('.')[1])
  const versions: [string, boolean][] = [
    ...Array.from({ length: minor }, (_, below): [string, boolean] => [`v16.${below}`, false]),
    [`v${floor}`, true],
    [`v16.${minor + 1}`, true],
    ['v16.10', true],
    ['v16.10.1', true],
    ['v14.18', false],
  ]

  test('the minimum of PostgREST 16 is required by the chart and by Terraform', async () => {
    const schema = JSON.parse(
      await readFile(join(root, 'infra/kubernetes/finance/values.schema.json'), 'utf8'),
    )
    const chart: string =
      schema.properties.images.properties.postgrest.allOf[1].properties.tag.pattern
    const variables = await readFile(join(root, 'infra/aws/variables.tf'), 'utf8')
    const [, pattern] = /can\(regex\(("[^"]*"), var\.postgrest_image\)\)/.exec(variables) ?? []
    const terraform = new RegExp(JSON.parse(pattern ?? ''))
    for (const [tag, isAccepted] of versions) {
      expect([tag, new RegExp(chart).test(tag)]).toEqual([tag, isAccepted])
      expect([tag, terraform.test(`postgrest/postgrest:${tag}`)]).toEqual([tag, isAccepted])
    }
    expect(variables).toContain(`"PostgREST 16, from ${floor} on."`)
    expect(variables).toContain(`postgrest_image must be ${floor} or a newer 16`)
  })
})

describe('npm start runs the auth service', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nodes-'))
    for (
      const [name, version] of [['old', 'v20.20.2'], ['broken', 'no version'], [
        'newer',
        'v24.22.1',
      ]]
    ) {
      await mkdir(join(folder, name ?? ''))
      await writeFile(join(folder, name ?? '', 'node'), `#!/bin/sh\necho ${version}\n`)
      await chmod(join(folder, name ?? '', 'node'), 0o755)
    }
  })
  afterAll(() => rm(folder, { recursive: true }))
  const path = (...names: string[]) => names.map((name) => join(folder, name)).join(':')

  test('npm start runs the auth service with the first node in the PATH that has the fixes which its own lacks', async () => {
    expect(await serviceNode(path('nothing', 'old', 'broken', 'newer'), '24.21.0')).toEqual({
      command: join(folder, 'newer/node'),
      version: '24.22.1',
    })
  })

  test('npm start runs the auth service with its own node, if that has the fixes or there is no other', async () => {
    expect(await serviceNode(path('newer'), '24.22.2')).toEqual({
      command: process.execPath,
      version: '24.22.2',
    })
    expect(await serviceNode(path('old', 'broken'), '24.21.0')).toEqual({
      command: process.execPath,
      version: '24.21.0',
    })
  })
})
