/** What the alerts and the board ask of Prometheus, and whether a service has it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../infra/monitoring')
export const monitoringFile = (path: string): Promise<string> => readFile(join(folder, path), 'utf8')

type Panel = {
  id: number
  type: string
  title: string
  description?: string
  datasource?: { uid: string }
  targets?: { expr: string }[]
}
export type Board = { uid: string, panels: (Panel & { gridPos: { x: number, y: number, w: number, h: number } })[] }

export const board = async (): Promise<Board> => JSON.parse(await monitoringFile('grafana/dashboards/finance.json'))

/** The name of each alert and its query. */
export async function alerts(): Promise<{ name: string, query: string }[]> {
  const blocks = (await monitoringFile('alerts.yml')).split(/^ {6}- alert: /m).slice(1)
  return blocks.map((block) => ({
    name: block.split('\n', 1)[0] ?? '',
    // up to the next key of the rule
    query: (/^ {8}expr: >?([^]*?)(?=^ {8}\w+:)/m.exec(block)?.[1] ?? '').trim(),
  }))
}

/** Every query of both. */
export const queries = async (): Promise<string[]> => [
  ...(await alerts()).map(({ query }) => query),
  ...(await board()).panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
]

/** What Prometheus itself adds to what it is told. */
const addedByPrometheus = new Set(['job', 'instance'])

/** A series that a query names, and the labels that it is asked by. */
type Asked = { metric: string, labels: string[] }

export function askedIn(query: string): Asked[] {
  const grouped = [...query.matchAll(/\bby ?\(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
  const named = [...query.matchAll(/\b(up|ALERTS|(?:auth|edge|finance|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)]
  // what is grouped by has to be a label of everything that is grouped; where a query adds two things up, each has a grouping
  return named.map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...[...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label), ...(named.length === 1 ? grouped : [])]
      .filter((label) => !addedByPrometheus.has(label)),
  }))
}

/**
 * What the alerts and the board ask of this kind of series, and the service does not have.
 * @param kinds the beginning of the series' names
 * @param exposition what the service answers to /metrics
 */
export async function missing(kinds: RegExp, exposition: string): Promise<{ asked: number, missing: string[] }> {
  const lines = exposition.split('\n')
  const asked = (await queries()).flatMap(askedIn).filter(({ metric }) => kinds.test(metric))
  const has = ({ metric, labels }: Asked) =>
    lines.some((line) => (line.startsWith(`${metric}{`) || line.startsWith(`${metric} `)) && labels.every((label) => new RegExp(`[{,]${label}="`).test(line)))
  return { asked: asked.length, missing: [...new Set(asked.filter((one) => !has(one)).map(({ metric, labels }) => `${metric}{${labels.join(',')}}`))] }
}
