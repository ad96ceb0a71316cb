/**
 * Graceful shutdown: in order, once, and in bounded time. npm repeats a signal of the terminal, and a process can crash during a
 * stop. Requests in flight still finish.
 */
import { isConfigError } from '../common/errors.ts'
import { describeError, type Log } from './log.ts'

/** Timeout of a stop, in milliseconds. Requests drain for 5 s, and the mail queue has as long. */
const patienceMs = 12_000

/**
 * Ends this process by `stop` at the first SIGTERM, SIGINT or crash. Later signals and crashes are logged. After a crash the exit
 * code is 1. A crash is logged like other errors, because Node would print the rows in a database error.
 * @returns a function that receives `stop` once there are parts to stop. Before that a signal ends the process at once.
 */
export function gracefulShutdown(log: Log): (stop: () => Promise<void>) => void {
  let stop: (() => Promise<void>) | undefined
  let exitCode = 0
  let ending = false
  const end = () => {
    if (ending) return
    ending = true
    setTimeout(() => {
      log.error('the stop took too long')
      process.exit(1)
    }, patienceMs)
    const stopped = stop?.() ?? Promise.resolve()
    stopped.then(() => process.exit(exitCode), (error: unknown) => {
      log.error({ error: describeError(error) }, 'stop failed')
      process.exit(1)
    })
  }
  const onCrash = (error: unknown) => {
    exitCode = 1
    log.fatal({ error: describeError(error) }, 'the process crashed and stops')
    end()
  }
  process.on('uncaughtException', onCrash)
  process.on('unhandledRejection', onCrash)
  return (given) => {
    stop = given
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        log.info({ signal }, 'stopping')
        end()
      })
    }
  }
}

/** Ends a process whose start failed, with one log line. */
export function endFailedStart(error: unknown): never {
  const { name, message } = describeError(error)
  process.stderr.write(`Cannot start: ${isConfigError(error) ? error.message : `${name}: ${message}`}\n`)
  process.exit(1)
}
