/** The edge in the process of the auth service, as `npm start` runs it. */
import type { Observers, Service } from '../common/service.ts'
import type { Listener } from '../common/http-server.ts'
import type { Settings } from '../common/settings.ts'
import { appFiles } from './app-files.ts'
import { callerReader, reportMissingKeys } from './callers.ts'
import { connectionShares } from './connection-shares.ts'
import { edge } from './edge.ts'
import { fixedUpstream } from './upstreams.ts'

type LocalEdge =
  & Pick<
    Settings,
    | 'APP_DIR'
    | 'APP_CSP'
    | 'DATA_BODY_LIMIT'
    | 'PGRST_DB_POOL'
    | 'TRUSTED_PROXIES'
    | 'TRACE_PROXIES'
  >
  & {
    /** The address of PostgREST. */
    postgrestUrl: string
    /** Time to wait for a PostgREST that restarts, in milliseconds. */
    timeoutMs?: number
  }

/** Builds the edge around an auth service. */
export const localEdge = (
  service: Service,
  observers: Observers,
  { postgrestUrl, timeoutMs, ...settings }: LocalEdge,
): Listener =>
  edge({
    auth: {
      serve: ({ incoming, outgoing }) => service.listener(incoming, outgoing),
      isReady: service.isReady,
    },
    data: {
      postgrest: fixedUpstream(postgrestUrl),
      readCaller: callerReader(service.publicKeys, reportMissingKeys(observers.log)),
      shares: connectionShares(settings.PGRST_DB_POOL),
      bodyLimit: settings.DATA_BODY_LIMIT,
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
    trustedProxies: settings.TRUSTED_PROXIES,
    traceProxies: settings.TRACE_PROXIES,
    ...(settings.APP_DIR !== undefined && { app: appFiles(settings.APP_DIR, settings.APP_CSP) }),
    ...observers,
  })
