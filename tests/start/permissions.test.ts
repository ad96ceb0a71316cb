/**
 * npm start in other environments: a checkout that only its owner may enter, an ordinary user,
 * another working directory.
 */
import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copySources, emptyDirectory, remove, root, start, stop } from './support.ts'

const isRoot = process.getuid?.() === 0
let directory: string
/** A path with a space. */
let checkout: string

beforeAll(async () => {
  directory = await emptyDirectory()
  checkout = join(directory, 'check out')
  await copySources(checkout)
  const copy = (...flags: string[]) =>
    execFileSync('cp', [...flags, join(root, 'node_modules'), checkout], { stdio: 'ignore' })
  try {
    copy('-al')
  } catch {
    // Another file system, which does not support hard links.
    await remove(join(checkout, 'node_modules'))
    copy('-a')
  }
})
afterAll(() => remove(directory))

test('npm start runs from a checkout below a directory that other users may not enter', async () => {
  await chmod(directory, 0o700)
  await using run = await start({ command: ['npm', '--prefix', checkout, 'start'], cwd: '/' })
  await run.ready
  expect((await fetch(`${run.url}/readyz`)).status).toBe(200)
  expect(await stop(run, 'SIGTERM')).toMatchObject({ left: [] })
})

test('npm start runs as an ordinary user', async () => {
  await chmod(directory, 0o755)
  const data = join(directory, 'data of nobody')
  await mkdir(data)
  // Root switches to the system user “nobody”. Other users are ordinary already.
  const identity = isRoot
    ? {
      uid: Number(execFileSync('id', ['-u', 'nobody'])),
      gid: Number(execFileSync('id', ['-g', 'nobody'])),
    }
    : undefined
  if (identity !== undefined) await chown(data, identity.uid, identity.gid)
  await using run = await start({
    cwd: checkout,
    env: { DATA_DIR: data, HOME: data },
    ...(identity && { identity }),
  })
  await run.ready
  expect((await fetch(`${run.url}/readyz`)).status).toBe(200)
  expect(await stop(run, 'SIGTERM')).toMatchObject({ code: 0, left: [] })
})
