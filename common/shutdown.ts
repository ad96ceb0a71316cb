/**
 * Graceful shutdown: runs once and within a timeout, although npm repeats the signals of the
 * terminal and a process can crash during a stop. Requests in progress finish.
 */
import { isConfigError } from './errors.ts'
import { describeError, type Log } from './log.ts'

/**
 * Timeout of a stop, in milliseconds. Requests and the mail queue have 5 s each to finish.
 * Containers get more time before they are killed.
 */
export const stopTimeoutMs = 12_000

/**
 * Calls `stop` and exits at the first SIGTERM, SIGINT or crash. Later signals and crashes are only
 * logged. After a crash the exit code is 1. A crash is logged like other errors, because Node would
 * print the rows in a database error.
 * @returns a function that registers `stop`. Before it is called, a signal ends the process at
 * once.
 */
export function gracefulShutdown(log: Log): (stop: () => Promise<void>) => void {
  let stop: (() => Promise<void>) | undefined
  let exitCode = 0
  let isStopping = false
  const stopOnce = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => {
      log.error('the stop took too long')
      process.exit(1)
    }, stopTimeoutMs)
    const stopped = stop?.() ?? Promise.resolve()
    stopped.then(() => process.exit(exitCode), (error: unknown) => {
      log.error({ error: describeError(error) }, 'stop failed')
      process.exit(1)
    })
  }
  const onCrash = (error: unknown) => {
    exitCode = 1
    log.fatal({ error: describeError(error) }, 'the process crashed and stops')
    stopOnce()
  }
  process.on('uncaughtException', onCrash)
  process.on('unhandledRejection', onCrash)
  return (stopProcess) => {
    stop = stopProcess
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        log.info({ signal }, 'stopping')
        stopOnce()
      })
    }
  }
}

/** Ends a process after a failed start, with one log line. */
export function endFailedStart(error: unknown): never {
  const { name, message } = describeError(error)
  process.stderr.write(
    `Cannot start: ${isConfigError(error) ? error.message : `${name}: ${message}`}\n`,
  )
  process.exit(1)
}
