/**
 * OpenTelemetry traces: collects spans and exports them as OTLP/JSON over HTTP. The SDK is not a
 * dependency, because one message format is all that the export needs.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { outboundFetch } from './outbound.ts'

/** Attributes of a span. They must never contain a value that a user sent. */
type Attributes = Record<string, string | number>

/** OTLP's span kinds. */
const kinds = { internal: 1, server: 2, client: 3 } as const

type SpanOptions = {
  service: 'finance-edge' | 'finance-auth' | 'finance-realtime'
  kind: keyof typeof kinds
  attributes?: Attributes
  /** The traceparent header, only if a trusted proxy sent it. */
  parent?: string | undefined
}

/** Adds attributes to a span, or marks it as failed. */
type Span = { set: (attributes: Attributes) => void, fail: () => void }

export type Tracing = {
  /** Runs the work in a child span of the current span. The span fails if the work throws. */
  span: <Result>(
    name: string,
    options: SpanOptions,
    work: (span: Span) => Promise<Result>,
  ) => Promise<Result>
  /** Returns the traceparent header of the current span. Undefined outside a span. */
  traceparent: () => string | undefined
  /** Sends the remaining spans. */
  stop: () => Promise<void>
}

type Context = { traceId: string, spanId: string, isSampled: boolean }
type Finished = { service: string, span: Record<string, unknown> }

/** Maximum spans per export. */
const batchSpans = 512
/** Interval between exports, in milliseconds. */
const batchMs = 1_000
/** Maximum spans in memory. While the collector is down, further spans are dropped. */
const maxQueuedSpans = 2_048
/** Timeout of an export, in milliseconds. */
const exportTimeoutMs = 5_000

const current = new AsyncLocalStorage<Context>()

/** @see https://www.w3.org/TR/trace-context/ */
function parse(traceparent: string | undefined): Context | undefined {
  const [, version, traceId, spanId, flags] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(traceparent ?? '') ??
      []
  if (
    version === undefined || version === 'ff' || traceId === undefined || spanId === undefined ||
    flags === undefined
  ) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number'
      ? { intValue: String(Math.round(value)) }
      : { stringValue: value },
  }))

const now = () =>
  String(BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n)

/** Returns the spans as an OTLP/JSON export request. */
function message(finished: Finished[]): string {
  const services = new Map<string, Record<string, unknown>[]>()
  for (const { service, span } of finished)
    services.set(service, [...services.get(service) ?? [], span])
  return JSON.stringify({
    resourceSpans: [...services].map(([service, spans]) => ({
      resource: {
        attributes: keyValues({ 'service.name': service, 'service.namespace': 'finance' }),
      },
      scopeSpans: [{ scope: { name: 'finance-backend' }, spans }],
    })),
  })
}

/** Parses `name=value,name=value`. The values are percent-encoded. */
const headersOf = (list: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (list ?? '').split(',').map((pair) => pair.split(/=(.*)/s)).filter(([name]) => name?.trim())
      .map(([name = '', value = '']) => [name.trim(), decodeURIComponent(value.trim())]),
  )

type TracingLog = { warn: (fields: object, message: string) => void }

/** Collects finished spans, and exports them each second. */
function createExporter(endpoint: string, headers: string | undefined, log: TracingLog) {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const fields = { ...headersOf(headers), 'content-type': 'application/json' }
  const onFailure = (reason: string) => log.warn({ reason }, 'traces were not taken')
  const queue: Finished[] = []
  let sending = Promise.resolve()

  const send = async (batch: Finished[]) => {
    try {
      const response = await outboundFetch(url, {
        method: 'POST',
        headers: fields,
        body: message(batch),
        signal: AbortSignal.timeout(exportTimeoutMs),
      })
      if (!response.ok) onFailure(`the collector answered ${response.status}`)
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException
      onFailure(typeof code === 'string' ? code : name)
    }
  }
  const flush = () => {
    const batch = queue.splice(0, batchSpans)
    if (batch.length > 0) sending = sending.then(() => send(batch))
    return sending
  }
  const timer = setInterval(() => void flush(), batchMs)
  timer.unref()
  return {
    isFull: () => queue.length >= maxQueuedSpans,
    add: (finished: Finished) => void queue.push(finished),
    stop: async () => {
      clearInterval(timer)
      while (queue.length > 0) await flush()
      await sending
    },
  }
}

/** Returns the function that runs work in a span and gives the finished span to the exporter. */
const spansFor =
  ({ isFull, add }: ReturnType<typeof createExporter>): Tracing['span'] =>
  async (name, { service, kind, attributes = {}, parent }, work) => {
    const parentContext = current.getStore() ?? parse(parent)
    const context: Context = {
      traceId: parentContext?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      isSampled: parentContext?.isSampled ?? true,
    }
    // the caller's sampling decision applies to the whole trace
    if (!context.isSampled)
      return current.run(context, () => work({ set: () => undefined, fail: () => undefined }))
    const allAttributes = { ...attributes }
    let hasFailed = false
    const startTimeUnixNano = now()
    const span: Span = {
      set: (more) => void Object.assign(allAttributes, more),
      fail: () => {
        hasFailed = true
      },
    }
    try {
      return await current.run(context, () => work(span))
    } catch (error) {
      span.fail()
      throw error
    } finally {
      if (!isFull()) {
        const { traceId, spanId } = context
        add({
          service,
          span: {
            traceId,
            spanId,
            ...(parentContext !== undefined && { parentSpanId: parentContext.spanId }),
            name,
            kind: kinds[kind],
            startTimeUnixNano,
            endTimeUnixNano: now(),
            attributes: keyValues(allAttributes),
            status: hasFailed ? { code: 2 } : {},
          },
        })
      }
    }
  }

/**
 * Starts tracing. Returns undefined without an endpoint.
 * @param endpoint OTEL_EXPORTER_OTLP_ENDPOINT
 * @param headers OTEL_EXPORTER_OTLP_HEADERS
 * @param log receives a warning for each failed export. Its spans are lost: there is no retry
 */
export function startTracing(
  endpoint: string | undefined,
  headers: string | undefined,
  log: TracingLog,
): Tracing | undefined {
  if (endpoint === undefined) return undefined
  const exporter = createExporter(endpoint, headers, log)
  return {
    span: spansFor(exporter),
    traceparent: () => {
      const context = current.getStore()
      return context === undefined
        ? undefined
        : `00-${context.traceId}-${context.spanId}-${context.isSampled ? '01' : '00'}`
    },
    stop: exporter.stop,
  }
}
