/**
 * How the process ends: in order, once, and in bounded time, whatever asks for it. npm passes a signal on that the terminal
 * has sent already, and a crash can happen during a stop; neither must cut off the requests in flight.
 */
import { isConfigError } from '../infra/shared/errors.ts'
import { describeError, type Log } from './log.ts'

/** A stop that takes longer is not going to end; in milliseconds. It drains for 5 s and leaves the mail queue as much. */
const patienceMs = 12_000

/**
 * Ends this process by `stop` at the first SIGTERM, SIGINT or crash. Whatever comes after that is logged and changes
 * nothing but the exit code, which is 1 after a crash. A crash is described as in every other log line, because what Node
 * prints of a database error holds the row.
 * @returns the function that takes `stop` as soon as there is something to stop; before that, a signal ends the process as if
 *   nobody listened, and a crash as soon as it is logged
 */
export function endInOrder(log: Log): (stop: () => Promise<void>) => void {
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

/** Ends a process that could not start, with one line that says why. */
export function endFailedStart(error: unknown): never {
  const { name, message } = describeError(error)
  process.stderr.write(`Cannot start: ${isConfigError(error) ? error.message : `${name}: ${message}`}\n`)
  process.exit(1)
}
