/**
 * The output of `infra/docker/admin status` about a deployment: infra/docker/status.sh with a fake
 * Docker.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watched-'))
  for (const name of ['infra', 'compose.yaml'])
    await symlink(join(import.meta.dirname, '../..', name), join(folder, name))
  for (const name of ['bin', 'backups']) await mkdir(join(folder, name))
  await writeFile(join(folder, '.env'), 'COMPOSE_PROFILES=backup\n')
  await answer('exit 1')
})
afterEach(() => rm(folder, { recursive: true }))

/** Docker as a script. Its arguments are `$*`. */
async function answer(script: string): Promise<void> {
  await writeFile(join(folder, 'bin/docker'), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, 'bin/docker'), 0o755)
}
async function state(): Promise<string[]> {
  const script =
    'set -euo pipefail; . infra/docker/deployment.sh; . infra/docker/status.sh; show_state'
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
  })
  return stdout.split('\n')
}
const backup = async (ageHours: number) => {
  const name = `backups/finance-${
    new Date(Date.now() - ageHours * 3_600_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  }Z.dump`
  await writeFile(join(folder, name), '')
  return name
}

test('services that do not run or are unhealthy have their names in the status, and so do volumes that cannot be measured', async () => {
  await answer(`case "$*" in
"compose ps --services"*) echo backup; echo caddy ;;
"compose ps --format"*) echo "backup unhealthy"; echo "caddy healthy" ;;
"compose config"*) echo db; echo backup; echo caddy; echo migrate ;;
*) exit 1 ;;
esac`)
  const said = await state()
  expect(said).toContain(
    'database     not measured: its service does not run, or the folder is missing',
  )
  expect(said).toContain('There is no backup.')
  expect(said.filter((line) => line.startsWith('The service '))).toEqual([
    'The service backup is unhealthy: docker compose logs backup',
    'The service db does not run: docker compose logs db',
  ])
})

test('a service of realtime that does not run has its name in the status only if it is on', async () => {
  await answer(`case "$*" in
"compose ps"*) echo auth ;;
"compose config"*) echo auth; echo realtime ;;
*) exit 1 ;;
esac`)
  const named = async () => (await state()).filter((line) => line.startsWith('The service '))
  expect(await named()).toEqual([])
  await writeFile(join(folder, '.env'), 'REALTIME_REPLICAS=1\n')
  expect(await named()).toEqual([
    'The service realtime does not run: docker compose logs realtime',
  ])
})

test.each([[14, ', 14 %: make room, docs/runbook.md, The disk is full'], [15, ', 15 %']])(
  'a volume with %s %% of room is judged as by the alert',
  async (free, end) => {
    await answer(
      `case "$*" in *" db df "*"/var/lib/postgresql") printf 'Filesystem 1048576-blocks Used Available Capacity Mounted\\nx 1000 1 ${free}0 1%% /x\\n' ;; *) exit 1 ;; esac`,
    )
    expect(await state()).toContain(`database     ${free}0 MiB of 1000 MiB free${end}`)
  },
)

test('the newest backup has its age, 36 hours are too old, and a file of a wrong clock does not count', async () => {
  const newest = async () => (await state()).find((line) => line.startsWith('The newest backup'))
  const old = await backup(37)
  await backup(-24)
  expect(await newest()).toBe(
    `The newest backup is ${old}, 37 hours old: docs/runbook.md, The backup is old.`,
  )
  const young = await backup(3)
  expect(await newest()).toBe(`The newest backup is ${young}, 3 hours old.`)
})
