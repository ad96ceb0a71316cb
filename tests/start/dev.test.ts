/** `npm run dev` applies edits of files in a copy of the checkout. */
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copySources, emptyDirectory, remove, root, start, stop, type Run } from './support.ts'

let directory: string
let run: Run
beforeAll(async () => {
  directory = await emptyDirectory()
  await copySources(directory)
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  run = await start({
    command: ['npm', '--prefix', directory, 'run', 'dev'],
    cwd: directory,
    env: { DATA_DIR: join(directory, '.data') },
  })
  await run.ready
})
afterAll(() => remove(directory))

const write = (sql: string) => writeFile(join(directory, 'db/accounts/greeting.sql'), sql)
const writeFunction = (word: string) =>
  write(`
    create or replace function api.${word}() returns text language plpgsql stable set search_path = ''
      as $$ begin return '${word}'; end $$;
    comment on function api.${word}() is 'Says so.';`)
/** Returns 404 if the function does not exist. Otherwise it refuses anonymous callers. */
const ask = async (word: string) => (await fetch(`${run.dataUrl}/rpc/${word}`)).status

test('after an edit of the auth service, the new code runs and the service becomes ready again', async () => {
  const file = join(directory, 'http/app.ts')
  const source = await readFile(file, 'utf8')
  await writeFile(
    file,
    source.replace(
      'export function createApp(',
      "console.log('edited')\nexport function createApp(",
    ),
  )
  await expect.poll(run.output, { timeout: 30_000 }).toMatch(/^edited$/m)
  await expect.poll(() => fetch(`${run.url}/readyz`).then(({ status }) => status, () => 0), {
    timeout: 30_000,
  }).toBe(200)
})

test('a new function responds, a broken one is an error that names its file, and the corrected one responds', async () => {
  expect(await ask('hello')).toBe(404)
  await writeFunction('hello')
  await expect.poll(() => ask('hello'), { timeout: 30_000 }).toBe(401)
  await write('create function api.greeting() returns nonsense')
  await expect.poll(run.output, { timeout: 30_000 }).toMatch(/db\/accounts\/greeting\.sql failed/)
  expect(await ask('hello')).toBe(401)
  await writeFunction('hello_again')
  await expect.poll(() => ask('hello_again'), { timeout: 30_000 }).toBe(401)
})

test('it stops like npm start, without remaining processes', async () => {
  expect(await stop(run, 'SIGTERM')).toMatchObject({ left: [] })
})
