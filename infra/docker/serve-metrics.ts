/** Serves the metrics of a container without clients to Prometheus. */
import { createServer } from 'node:http'

/**
 * Answers `GET /metrics`.
 * @param metrics returns Prometheus' text format
 * @param onError called if that fails; the response is then 500
 */
export function serveMetrics(port: number, metrics: () => Promise<string>, onError: (error: NodeJS.ErrnoException) => void = () => undefined): void {
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
