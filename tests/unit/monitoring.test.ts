/** What is watched: infra/monitoring/check asks Prometheus' own tools the rest. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { alerts, askedIn, board, monitoringFile, queries } from '../support/queries-of-metrics.ts'

describe('each alert', () => {
  test('has a world in which it rings and one in which it does not', async () => {
    const tests = await readFile(new URL('../monitoring/alerts.test.yml', import.meta.url), 'utf8')
    const names = (await alerts()).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(15)
    for (const name of names) {
      expect(tests).toMatch(new RegExp(`alertname: ${name}, exp_alerts: \\[\\]`))
      expect(tests).toMatch(new RegExp(`alertname: ${name}\\n\\s+exp_alerts:\\n`))
    }
  })

  test('is in docs/monitoring.md, which says what to do, and the page names no other', async () => {
    const page = await readFile(new URL('../../docs/monitoring.md', import.meta.url), 'utf8')
    const told = [...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name]) => name)
    expect(told).toEqual((await alerts()).map(({ name }) => name))
  })

  test('has a query that was found', async () => {
    for (const { query } of await alerts()) expect(askedIn(query).length).toBeGreaterThan(0)
  })
})

describe('the board', () => {
  test('asks the data source that is provisioned, in every panel', async () => {
    const [uid] = /(?<=^ {4}uid: ).*$/m.exec(await monitoringFile('grafana/provisioning/datasources/prometheus.yml')) ?? []
    const { panels } = await board()
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      expect([panel.datasource?.uid, panel.description?.endsWith('.')]).toEqual([uid, true])
      expect(panel.targets?.length).toBeGreaterThan(0)
    }
  })

  test('has panels of their own number and place', async () => {
    const { panels } = await board()
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) => Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`))
    expect(new Set(taken).size).toBe(taken.length)
    expect(panels.every(({ gridPos: { x, w } }) => x >= 0 && x + w <= 24)).toBe(true)
  })

  test('has no variable of Grafana’s in a query, so that other tools can read it too', async () => {
    for (const query of await queries()) expect(query).not.toContain('$')
  })
})

test.each(['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_URL_FILE'])('Alertmanager sends alerts to the webhook of %s, and without it to nobody', async (setting) => {
  const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const url = "https://alerts.example.org/hook?token=it's"
  await writeFile(join(folder, 'url'), `${url}\n`)
  const configure = async (value: string) => {
    const env = { PATH: process.env['PATH'], ALERTMANAGER: 'true', [setting]: value }
    const { stderr } = await promisify(execFile)(join(import.meta.dirname, '../../infra/monitoring/start-alertmanager'), [folder], { env })
    return { stderr, configuration: await readFile(join(folder, 'alertmanager.yml'), 'utf8') }
  }
  expect(await configure(setting.endsWith('_FILE') ? join(folder, 'url') : url)).toEqual({
    stderr: '',
    configuration: expect.stringContaining(`  - name: webhook\n    webhook_configs:\n      - url: 'https://alerts.example.org/hook?token=it''s'\n`),
  })
  expect(await configure('')).toMatchObject({ stderr: expect.stringMatching(/sends them nowhere/), configuration: expect.not.stringContaining('webhook') })
})

test('every figure of the service that is asked for by name is told in docs/monitoring.md', async () => {
  const page = await readFile(new URL('../../docs/monitoring.md', import.meta.url), 'utf8')
  const source = await Promise.all(['auth/http/metrics.ts', 'edge/edge.ts'].map((path) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')))
  const names = new Set(source.join('').match(/(?<=')(?:auth|edge|finance)_[a-z_]+(?=')/g))
  expect(names.size).toBeGreaterThan(12)
  expect([...names].filter((name) => !page.includes(`\`${name}`))).toEqual([])
})
