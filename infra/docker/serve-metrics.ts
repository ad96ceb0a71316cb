/** Writes the metrics of a container without clients, and serves them to Prometheus. */
import { createServer } from 'node:http'

export type Gauge = { name: string, help: string, labels?: string, value: number }

/** Writes gauges in Prometheus' text format. */
export const expositionOf = (gauges: Gauge[]): string =>
  [...Map.groupBy(gauges, ({ name }) => name)].map(([name, [first, ...others]]) =>
    `# HELP ${name} ${first?.help}\n# TYPE ${name} gauge\n${
      [first, ...others].map((one) => `${name}${one?.labels ?? ''} ${one?.value}\n`).join('')
    }`
  ).join('')

/**
 * Answers `GET /metrics`.
 * @param metrics returns Prometheus' text format
 * @param onError called if that fails; the response is then 500
 */
export function serveMetrics(
  port: number,
  metrics: () => Promise<string>,
  onError: (error: NodeJS.ErrnoException) => void = () => undefined,
): void {
  createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      (error: NodeJS.ErrnoException) => {
        onError(error)
        response.writeHead(500).end()
      },
    )
  }).listen(port)
}
