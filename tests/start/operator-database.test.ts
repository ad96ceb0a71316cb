/** The operator's commands print the database that they use, and create none. */
import { execFile } from 'node:child_process'
import { access, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../start/postgres.ts'
import { readSecrets } from '../../start/secrets.ts'
import { execute, freshDatabase } from '../support/database.ts'
import { emptyDirectory, remove, root, withoutFloors } from './support.ts'

type Outcome = { code: number, stdout: string, stderr: string }
const run = (env: Record<string, string>, ...argv: string[]): Promise<Outcome> =>
  promisify(execFile)(process.execPath, argv, {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
  })
    .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }), (error: Outcome) => error)
    .then(({ code, stdout, stderr }) => ({ code, stdout, stderr: withoutFloors(stderr) }))

test.each([['admin/main.ts', 'users'], ['start/check.ts', '']])(
  'without a database in DATA_DIR %s fails with one line, and creates nothing there',
  async (script, word) => {
    const directory = join(await emptyDirectory(), 'data')
    onTestFinished(() => remove(directory))
    const { code, stdout, stderr } = await run({ DATA_DIR: directory }, script, word)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^Cannot [a-z ]+: DATA_DIR: no database found in .*data\. .*DATA_DIR.*\n$/,
    )
    await expect(access(directory)).rejects.toThrow('ENOENT')
  },
)

test('the command names a running server with another DATA_DIR, and works with that one', async () => {
  const directory = await mkdtemp(join(root, '.data-'))
  onTestFinished(() => remove(directory))
  const { ownerPassword } = await readSecrets({ DATA_DIR: directory } as never)
  const server = await startPostgres({
    directory,
    password: ownerPassword,
    settings: { fsync: 'off' },
  })
  onTestFinished(() => server.stop())
  expect(await run({ DATA_DIR: join(directory, 'none') }, 'admin/main.ts', 'users')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/A server runs with DATA_DIR=\.?[\w-]+: set DATA_DIR to that\./),
  })
  expect((await run({ DATA_DIR: directory }, 'admin/main.ts', 'users')).stderr).toMatch(
    /^Database: .*\n(?!No server)/,
  )
  expect(await run({ DATA_DIR: directory }, 'start/migrate.ts')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^${directory}: applied tables\n`)),
    stderr: '',
  })
  const stopped = await mkdtemp(join(root, '.data-'))
  onTestFinished(() => remove(stopped))
  await (await startPostgres({
    directory: stopped,
    password: (await readSecrets({ DATA_DIR: stopped } as never)).ownerPassword,
    settings: { fsync: 'off' },
  }))
    .stop()
  expect((await run({ DATA_DIR: stopped }, 'admin/main.ts', 'users')).stderr)
    .toMatch(
      /^Database: .*\nNo server runs on this database\. One runs with DATA_DIR=\.?[\w-]+\.\n/,
    )
})

test('the command names host, port and database of DATABASE_URL without the password, and shows its help without a database', async () => {
  const { ownerUrl, drop } = await freshDatabase()
  const { hostname, port, pathname, password } = new URL(ownerUrl)
  const named = `${hostname}:${port}/${pathname.slice(1)}`
  const products = await run({ DATABASE_URL: ownerUrl }, 'admin/main.ts', 'products')
  expect(products).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('teams'),
    stderr: `Database: ${named}\n`,
  })
  expect(products.stdout + products.stderr).not.toContain(password)
  await execute(ownerUrl, 'drop schema api cascade')
  expect(await run({ DATABASE_URL: ownerUrl }, 'start/check.ts')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(named),
  })
  expect((await run({ DATABASE_URL: ownerUrl }, 'admin/main.ts', '--help')).stdout).toMatch(
    /^The command uses the database of this deployment\.$/m,
  )
  await drop()
  expect(await run({ DATA_DIR: '/nonexistent/data' }, 'admin/main.ts', '--help')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The command uses DATABASE_URL'),
  })
})

test.each([['products'], ['status'], ['export', 'ann@example.org'], ['--help']])(
  'a full disk or a closed pipe under the output of the command %s is reported in one sentence with an error code',
  async (...argv) => {
    const { ownerUrl, drop } = await freshDatabase()
    onTestFinished(drop)
    await execute(
      ownerUrl,
      `insert into auth.users (id, name, email) values ('ann', 'Ann', 'ann@example.org')`,
    )
    const failing = async (redirection: string) => {
      const script = `"$0" admin/main.ts ${argv.join(' ')} ${redirection}`
      const { code, stderr } = await promisify(execFile)('bash', [
        '--norc',
        '-o',
        'pipefail',
        '-c',
        script,
        process.execPath,
      ], {
        cwd: root,
        env: { PATH: process.env['PATH'], DATABASE_URL: ownerUrl },
      }).then(() => ({ code: 0, stderr: '' }), (error: Outcome) => error)
      return { code, stderr: withoutFloors(stderr).replace(/^Database: .*\n/, '') }
    }
    expect(await failing('> /dev/full')).toEqual({
      code: 1,
      stderr: 'Cannot write the output: ENOSPC: no space left on device, write.\n',
    })
    expect(await failing('| exit 0')).toEqual({
      code: 1,
      stderr: 'Cannot write the output: write EPIPE.\n',
    })
  },
)
