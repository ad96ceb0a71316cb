/**
 * The container `machine`: the free space of volumes and the certificate, as Prometheus reads them.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { certificateGauges, certificateOf, disksOf } from '../../infra/docker/machine.ts'
import { expositionOf } from '../../infra/docker/serve-metrics.ts'
import { missingSeries } from '../support/metric-queries.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'volumes-'))
  for (const name of ['database', 'backups']) await mkdir(join(folder, name))
})
afterEach(() => rm(folder, { recursive: true }))

test('each volume and the disk of Docker have a free space below their size', async () => {
  const text = expositionOf(await disksOf(folder, '/'))
  const value = (series: string) =>
    Number(text.split('\n').find((line) => line.startsWith(`${series} `))?.split(' ')[1])
  for (const volume of ['backups', 'database', 'docker']) {
    const [free, size] = [
      value(`finance_disk_free_bytes{volume="${volume}"}`),
      value(`finance_disk_size_bytes{volume="${volume}"}`),
    ]
    expect(size).toBeGreaterThan(0)
    expect(free).toBeLessThanOrEqual(size)
  }
  expect(text.match(/^# TYPE finance_disk_free_bytes gauge$/gm)).toHaveLength(1)
})

test('the reserve has its size, or zero after it was given up', async () => {
  const reserve = async () =>
    (await disksOf(folder, '/')).find(({ name }) => name === 'finance_disk_reserve_bytes')?.value
  expect(await reserve()).toBe(0)
  await writeFile(join(folder, 'database/reserve'), '12345')
  expect(await reserve()).toBe(5)
})

test('the certificate has the share of its lifetime that is left, and 0 when it has expired or there is none', () => {
  const share = (now: number) => certificateGauges({ from: 1_000, to: 2_000 }, now)[0]?.value
  expect([share(1_000), share(1_900), share(3_000)]).toEqual([1, 0.1, 0])
  expect(certificateGauges(undefined, 0).map(({ value }) => value)).toEqual([0, 0])
})

test('the certificate of a server that speaks no TLS does not exist', async () => {
  const server = createServer((socket) => socket.end('no TLS here')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  expect(await certificateOf({ host: '127.0.0.1', port }, 'money.example.org')).toBeUndefined()
  server.close()
})

test('the alerts and the dashboard find all series', async () => {
  const text = expositionOf([...await disksOf(folder, '/'), ...certificateGauges(undefined, 0)])
  expect(await missingSeries(/^finance_(disk|certificate)_/, text)).toEqual({
    seriesCount: expect.any(Number),
    missing: [],
  })
})
