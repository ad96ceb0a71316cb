/**
 * Traces for OpenTelemetry: spans are gathered here and sent as OTLP's JSON over HTTP. It has no dependency, because it needs only
 * the form of one message of the SDK.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { outboundFetch } from './outbound.ts'

/** What is noted of a span: never a value that a person sent. */
type Attributes = Record<string, string | number>

/** What serves, what asks, and what is neither, as OTLP counts them. */
const kinds = { internal: 1, server: 2, client: 3 } as const

type SpanOptions = {
  /** Which part of the product it belongs to. */
  service: 'finance-edge' | 'finance-auth'
  kind: keyof typeof kinds
  attributes?: Attributes
  /** The traceparent of whoever asks, where that may be believed. */
  parent?: string | undefined
}

/** What the work of a span may add to it. */
type Span = { set: (attributes: Attributes) => void, fail: () => void }

export type Tracing = {
  /** Runs work as a span, the child of the one that it is called in; one that throws has failed. */
  span: <Result>(name: string, options: SpanOptions, work: (span: Span) => Promise<Result>) => Promise<Result>
  /** The field that hands the present span on to another service; undefined outside a span. */
  traceparent: () => string | undefined
  /** Sends what is left. */
  stop: () => Promise<void>
}

type Context = { traceId: string, spanId: string, isSampled: boolean }
type Finished = { service: string, span: Record<string, unknown> }

/** Sent together: so many at the most, so often, in milliseconds. */
const batchSpans = 512
const batchMs = 1_000
/** What a collector that is away makes wait; what is more is dropped. */
const waitingSpans = 2_048
/** How long a collector may take, in milliseconds. */
const sendMs = 5_000

const present = new AsyncLocalStorage<Context>()

/** @see https://www.w3.org/TR/trace-context/ */
function parse(traceparent: string | undefined): Context | undefined {
  const [, version, traceId, spanId, flags] = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/.exec(traceparent ?? '') ?? []
  if (version === undefined || version === 'ff' || traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }))

const now = () => String(BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n)

/** OTLP's message of some spans. */
function message(finished: Finished[]): string {
  const services = new Map<string, Record<string, unknown>[]>()
  for (const { service, span } of finished) services.set(service, [...services.get(service) ?? [], span])
  return JSON.stringify({
    resourceSpans: [...services].map(([service, spans]) => ({
      resource: { attributes: keyValues({ 'service.name': service, 'service.namespace': 'finance' }) },
      scopeSpans: [{ scope: { name: 'finance-backend' }, spans }],
    })),
  })
}

/** `name=value,name=value`, the values percent-encoded, as the variable has it. */
const headersOf = (list: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (list ?? '').split(',').map((pair) => pair.split(/=(.*)/s)).filter(([name]) => name?.trim()).map((
      [name = '', value = ''],
    ) => [name.trim(), decodeURIComponent(value.trim())]),
  )

/**
 * Starts to gather spans. Returns undefined without a collector.
 * @param endpoint OTEL_EXPORTER_OTLP_ENDPOINT
 * @param headers OTEL_EXPORTER_OTLP_HEADERS
 * @param log gets a warning for each batch that the collector did not take. It is lost: a trace is worth no second attempt
 */
export function startTracing(
  endpoint: string | undefined,
  headers: string | undefined,
  log: { warn: (fields: object, message: string) => void },
): Tracing | undefined {
  if (endpoint === undefined) return undefined
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const fields = { ...headersOf(headers), 'content-type': 'application/json' }
  const onFailure = (reason: string) => log.warn({ reason }, 'traces were not taken')
  let waiting: Finished[] = []
  let sending = Promise.resolve()

  const send = async (batch: Finished[]) => {
    try {
      const response = await outboundFetch(url, { method: 'POST', headers: fields, body: message(batch), signal: AbortSignal.timeout(sendMs) })
      if (!response.ok) onFailure(`the collector answered ${response.status}`)
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException
      onFailure(typeof code === 'string' ? code : name)
    }
  }
  const flush = () => {
    const batch = waiting.splice(0, batchSpans)
    if (batch.length > 0) sending = sending.then(() => send(batch))
    return sending
  }
  const timer = setInterval(() => void flush(), batchMs)
  timer.unref()

  return {
    span: async (name, { service, kind, attributes = {}, parent }, work) => {
      const above = present.getStore() ?? parse(parent)
      const context: Context = {
        traceId: above?.traceId ?? randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        isSampled: above?.isSampled ?? true,
      }
      // whoever asked decided that nobody wants to see it
      if (!context.isSampled) return present.run(context, () => work({ set: () => undefined, fail: () => undefined }))
      const noted = { ...attributes }
      let hasFailed = false
      const startTimeUnixNano = now()
      const span: Span = {
        set: (more) => void Object.assign(noted, more),
        fail: () => {
          hasFailed = true
        },
      }
      try {
        return await present.run(context, () => work(span))
      } catch (error) {
        span.fail()
        throw error
      } finally {
        if (waiting.length < waitingSpans) {
          const { traceId, spanId } = context
          waiting.push({
            service,
            span: {
              traceId,
              spanId,
              ...(above !== undefined && { parentSpanId: above.spanId }),
              name,
              kind: kinds[kind],
              startTimeUnixNano,
              endTimeUnixNano: now(),
              attributes: keyValues(noted),
              status: hasFailed ? { code: 2 } : {},
            },
          })
        }
      }
    },
    traceparent: () => {
      const context = present.getStore()
      return context === undefined ? undefined : `00-${context.traceId}-${context.spanId}-${context.isSampled ? '01' : '00'}`
    },
    stop: async () => {
      clearInterval(timer)
      while (waiting.length > 0) await flush()
      await sending
    },
  }
}
