/** Tracing where it is configured. Its code is not even loaded otherwise. */
import type { Tracing } from './tracing.ts'

/**
 * Starts tracing if there is a collector.
 * @param endpoint OTEL_EXPORTER_OTLP_ENDPOINT
 * @param headers OTEL_EXPORTER_OTLP_HEADERS
 * @param log gets a warning for each batch that the collector did not take
 */
export async function optionalTracing(
  endpoint: string | undefined,
  headers: string | undefined,
  log: { warn: (fields: object, message: string) => void },
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined
  const { startTracing } = await import('./tracing.ts')
  return startTracing(endpoint, headers, (reason) => log.warn({ reason }, 'traces were not taken'))
}
