/** The monitoring configuration. infra/monitoring/check runs the tools of Prometheus on it. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { alerts, seriesIn, board, monitoringFile, queries } from '../support/metric-queries.ts'

test('each alert has a test in which it fires and one in which it does not', async () => {
  const tests = await readFile(new URL('../monitoring/alerts.test.yml', import.meta.url), 'utf8')
  const names = (await alerts()).map(({ name }) => name)
  expect(names.length).toBeGreaterThan(15)
  for (const name of names) {
    // always fires
    if (name !== 'Watchdog')
      expect(tests).toMatch(new RegExp(`alertname: ${name}, exp_alerts: \\[\\]`))
    expect(tests).toMatch(new RegExp(`alertname: ${name}\\n\\s+exp_alerts:\\n`))
  }
})

test('each alert is in docs/monitoring.md with instructions, and the page lists no other', async () => {
  const page = await readFile(new URL('../../docs/monitoring.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name]) => name)
  expect(documented).toEqual((await alerts()).map(({ name }) => name))
})

test('each alert has a query with known series', async () => {
  for (const { name, query } of await alerts())
    expect(seriesIn(query).length, name).toBeGreaterThan(name === 'Watchdog' ? -1 : 0)
})

test('each alert names a symptom of the runbook', async () => {
  const page = await readFile(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
  const symptoms = [...page.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
    `docs/runbook.md#${title.toLowerCase().replaceAll(' ', '-')}`
  )
  const named = [...(await monitoringFile('alerts.yml')).matchAll(/^ {10}runbook_url: (.*)$/gm)]
    .map(([, url]) => url)
  expect(named).toHaveLength((await alerts()).length)
  expect(named.filter((url = '') => !symptoms.includes(url))).toEqual([])
})

test('the dashboard uses the provisioned data source in every panel', async () => {
  const [uid] = /(?<=^ {4}uid: ).*$/m.exec(
    await monitoringFile('grafana/provisioning/datasources/prometheus.yml'),
  ) ?? []
  const { panels } = await board()
  for (const panel of panels.filter(({ type }) => type !== 'row')) {
    expect([panel.datasource?.uid, panel.description?.endsWith('.')]).toEqual([uid, true])
    expect(panel.targets?.length).toBeGreaterThan(0)
  }
})

test('the dashboard has panels with unique ids and positions', async () => {
  const { panels } = await board()
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`)
  )
  expect(new Set(taken).size).toBe(taken.length)
  expect(panels.every(({ gridPos: { x, w } }) => x >= 0 && x + w <= 24)).toBe(true)
})

test('the dashboard has no Grafana variable in its queries, so that other tools can read them', async () => {
  for (const query of await queries()) expect(query).not.toContain('$')
})

test.each(['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_URL_FILE'])(
  'Alertmanager sends alerts to the webhook in %s, and nowhere without it',
  async (setting) => {
    const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const url = "https://alerts.example.org/hook?token=it's"
    await writeFile(join(folder, 'url'), `${url}\n`)
    const configure = async (value: string) => {
      const env = { PATH: process.env['PATH'], ALERTMANAGER: 'true', [setting]: value }
      const { stderr } = await promisify(execFile)(
        join(import.meta.dirname, '../../infra/monitoring/start-alertmanager'),
        [folder],
        { env },
      )
      return { stderr, configuration: await readFile(join(folder, 'alertmanager.yml'), 'utf8') }
    }
    expect(await configure(setting.endsWith('_FILE') ? join(folder, 'url') : url)).toEqual({
      stderr: '',
      configuration: expect.stringContaining(
        `  - name: nobody\n  - name: webhook\n    webhook_configs:\n      - url: 'https://alerts.example.org/hook?token=it''s'\n`,
      ),
    })
    expect(await configure('')).toMatchObject({
      stderr: expect.stringMatching(/sends them nowhere/),
      configuration: expect.not.stringContaining('webhook'),
    })
  },
)

test.each(['WATCHDOG_URL', 'WATCHDOG_URL_FILE'])(
  'Alertmanager calls the URL in %s every minute, with nothing but Watchdog',
  async (setting) => {
    const folder = await mkdtemp(join(tmpdir(), 'alertmanager-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const url = 'https://switch.example.org/1'
    await writeFile(join(folder, 'url'), `${url}\n`)
    const env = {
      PATH: process.env['PATH'],
      ALERTMANAGER: 'true',
      ALERT_WEBHOOK_URL: 'https://alerts.example.org',
      [setting]: setting.endsWith('_FILE') ? join(folder, 'url') : url,
    }
    await promisify(execFile)(
      join(import.meta.dirname, '../../infra/monitoring/start-alertmanager'),
      [folder],
      { env },
    )
    const configuration = await readFile(join(folder, 'alertmanager.yml'), 'utf8')
    expect(configuration).toContain(
      `    - matchers: [alertname="Watchdog"]\n      receiver: watchdog\n      group_wait: 0s\n      group_interval: 1m\n      repeat_interval: 1m\n`,
    )
    expect(configuration.match(/receiver: watchdog/g)).toHaveLength(1)
    expect(configuration).toContain(
      `  - name: watchdog\n    webhook_configs:\n      - url: '${url}'\n        send_resolved: false\n`,
    )
  },
)

test('docs/monitoring.md describes every metric', async () => {
  const page = await readFile(new URL('../../docs/monitoring.md', import.meta.url), 'utf8')
  const source = await Promise.all(
    [
      'auth/metrics.ts',
      'edge/edge.ts',
      'http/metrics.ts',
      'infra/docker/machine.ts',
      'rates/index.ts',
      'realtime/metrics.ts',
    ].map((path) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')),
  )
  const names = new Set(source.join('').match(/(?<=')(?:auth|edge|finance)_[a-z_]+(?=')/g))
  expect(names.size).toBeGreaterThan(12)
  expect([...names].filter((name) => !page.includes(`\`${name}`))).toEqual([])
})
