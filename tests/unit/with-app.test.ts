/** Which app Caddy serves: infra/docker/with-app, with a program in Caddy's place that says what it is told. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'with-app-'))
  for (const name of ['reference', 'own', 'unbuilt']) await mkdir(join(folder, name))
  for (const name of ['reference', 'own']) await writeFile(join(folder, name, 'index.html'), '')
  await writeFile(join(folder, 'reference/.content-security-policy'), "default-src 'self'\n")
  await writeFile(join(folder, 'none'), '')
})
afterAll(() => rm(folder, { recursive: true }))

/** The folder and the policy that Caddy is told; `~` stands for where the apps are. */
async function told(env: Record<string, string>): Promise<string[]> {
  const there = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('~', folder)]))
  const script = join(import.meta.dirname, '../../infra/docker/with-app')
  const { stdout } = await promisify(execFile)('sh', [script, join(folder, 'reference'), 'sh', '-c', 'echo "$APP_DIR|$APP_CSP"'], { env: there, cwd: folder })
  return stdout.replace(folder, '~').trim().split('|')
}

test.each<[string, Record<string, string>, string, string]>([
  ['the reference app under its own policy, where nobody says anything', {}, '~/reference', "default-src 'self'"],
  ['the same, where a file says nothing of it', { APP_DIR: '', APP_URL: '', APP_CSP: '' }, '~/reference', "default-src 'self'"],
  ['the reference app under the operator’s policy', { APP_CSP: "img-src 'none'" }, '~/reference', "img-src 'none'"],
  ['the folder that APP_DIR names, and not under the other’s policy', { APP_DIR: '~/own' }, '~/own', ''],
  ['that folder also where people’s links lead elsewhere', { APP_DIR: '~/own', APP_URL: 'https://app.example.org' }, '~/own', ''],
  ['none, where the app is elsewhere', { APP_URL: 'https://app.example.org' }, '/nonexistent', ''],
  ['none, where there is to be none', { APP_DIR: 'none' }, '/nonexistent', ''],
  ['none, where compose has mounted a file in the folder’s place', { APP_DIR: '~/none' }, '/nonexistent', ''],
])('%s', async (_, env, directory, policy) => {
  expect(await told(env)).toEqual([directory, policy])
})

test.each(['~/unbuilt', '~/mistyped'])('an app that is not there ends the start with one line: %s', async (directory) => {
  await expect(told({ APP_DIR: directory })).rejects.toMatchObject({
    code: 1,
    stderr: 'Cannot start: APP_DIR must be a folder with an index.html that can be read.\n',
  })
})

test('a symbolic link within the app is fine, and one that leads out of it ends the start with one line', async () => {
  const app = join(folder, 'own')
  await symlink('index.html', join(app, 'home.html'))
  expect(await told({ APP_DIR: '~/own' })).toEqual(['~/own', ''])
  await symlink('../reference/index.html', join(app, 'other.html'))
  await expect(told({ APP_DIR: '~/own' })).rejects.toMatchObject({
    code: 1,
    stderr: `Cannot start: APP_DIR has a symbolic link that leads out of it: ${app}/other.html.\n`,
  })
})
