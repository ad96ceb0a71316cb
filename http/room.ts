/**
 * The surface of a room, in one shape for all. A program composes rooms by it, and reads nothing
 * else of them.
 */
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Kept, Sweep } from '../common/jobs/sweep.ts'
import type { Log } from '../common/log.ts'
import type { ObjectStorage } from '../common/object-storage.ts'
import type { Route, Services } from './route.ts'

/** Routes of one subject, with its name in the description. */
export type RouteGroup = { name: string, description: string, routes: Route[] }

/** What a program gives to each of its rooms. */
export type Program = {
  pool: pg.Pool
  secret: string
  log: Log
  objects: ObjectStorage | undefined
}

/** Ends work of a room. */
type Stop = () => Promise<void>

export type Room<Options, Metrics, Parts extends Partial<Services>> = {
  routes: RouteGroup[]
  /** Registers the metrics, each series at zero. */
  metrics: (registry: Registry, pool: pg.Pool) => Metrics
  /** Makes the parts that the handlers use. */
  services: (program: Program, metrics: Metrics, options: Options) => Parts | Promise<Parts>
  /** Starts the jobs. */
  jobs: (program: Program, metrics: Metrics, options: Options) => Stop | Promise<Stop>
  /** The tables whose expired rows housekeeping deletes. */
  sweeps: (program: Pick<Program, 'pool' | 'objects'>, kept: Kept) => Sweep[]
}
