/** A service as the listener around it sees it. */
import type { JSONWebKeySet } from 'jose'
import type { Registry } from 'prom-client'
import type { Listener } from './http-server.ts'
import type { Log } from './log.ts'
import type { Tracing } from './tracing.ts'

/**
 * The auth surface. `isReady` returns the same as `/readyz`, and `publicKeys` the same as `/jwks`.
 */
export type Service = {
  listener: Listener
  isReady: () => Promise<boolean>
  publicKeys: () => Promise<JSONWebKeySet>
}

/** The service's log, metrics and traces, for the listener around it. */
export type Observers = { log: Log, registry: Registry, tracing: Tracing | undefined }
