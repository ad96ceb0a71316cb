/** What the embedded PostgreSQL is started with. */
export type PostgresOptions = {
  /** DATA_DIR; the database lives in `postgres` below it, its log in `postgres.log` and `postgres.log.1`. It must exist. */
  directory: string
  /** The password of the owner, `postgres`. */
  password: string
  /** Server settings beyond the defaults, such as `fsync: 'off'` for tests. */
  settings?: Record<string, string>
  /** Gives up, leaving nothing behind. */
  signal?: AbortSignal
}
