/**
 * The queries of the alerts and of the Grafana dashboard, and a check that a service exports their
 * series.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../infra/monitoring')
export const monitoringFile = (path: string): Promise<string> =>
  readFile(join(folder, path), 'utf8')

type Panel = {
  id: number
  type: string
  title: string
  description?: string
  datasource?: { uid: string }
  targets?: { expr: string }[]
}
export type Board = {
  uid: string
  panels: (Panel & { gridPos: { x: number, y: number, w: number, h: number } })[]
}

export const board = async (): Promise<Board> =>
  JSON.parse(await monitoringFile('grafana/dashboards/finance.json'))

/** The name of each alert and its query. */
export async function alerts(): Promise<{ name: string, query: string }[]> {
  const blocks = (await monitoringFile('alerts.yml')).split(/^ {6}- alert: /m).slice(1)
  return blocks.map((block) => ({
    name: block.split('\n', 1)[0] ?? '',
    // Reads up to the next key of the rule.
    query: (/^ {8}expr: >?([^]*?)(?=^ {8}\w+:)/m.exec(block)?.[1] ?? '').trim(),
  }))
}

/** All queries of the alerts and the dashboard. */
export const queries = async (): Promise<string[]> => [
  ...(await alerts()).map(({ query }) => query),
  ...(await board()).panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
]

/** Labels that Prometheus adds to each series. */
const addedByPrometheus = new Set(['job', 'instance'])

/** A series that a query names, with the labels that the query uses. */
type Series = { metric: string, labels: string[] }

export function seriesIn(query: string): Series[] {
  const grouped = [...query.matchAll(/\bby ?\(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim())
  )
  const named = [
    ...query.matchAll(
      /\b(up|ALERTS|(?:auth|edge|finance|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g,
    ),
  ]
  // A series must have the labels that the query groups by. A query with several series groups each
  // of them by itself.
  return named.map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [
      ...[...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
      ...(named.length === 1 ? grouped : []),
    ]
      .filter((label) => !addedByPrometheus.has(label)),
  }))
}

/**
 * Finds the series that the alerts and the dashboard need but the service does not export.
 * @param kinds matches the names of the series to check
 * @param exposition the service's response to GET /metrics
 */
export async function missingSeries(
  kinds: RegExp,
  exposition: string,
): Promise<{ seriesCount: number, missing: string[] }> {
  const lines = exposition.split('\n')
  const series = (await queries()).flatMap(seriesIn).filter(({ metric }) => kinds.test(metric))
  const has = ({ metric, labels }: Series) =>
    lines.some((line) =>
      (line.startsWith(`${metric}{`) || line.startsWith(`${metric} `)) &&
      labels.every((label) => new RegExp(`[{,]${label}="`).test(line))
    )
  return {
    seriesCount: series.length,
    missing: [
      ...new Set(
        series.filter((one) => !has(one)).map(({ metric, labels }) =>
          `${metric}{${labels.join(',')}}`
        ),
      ),
    ],
  }
}
