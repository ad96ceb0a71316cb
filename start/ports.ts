/** Finds free ports on this machine. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { configError } from '../common/errors.ts'

/** Opens the port and closes it again. @throws Error with the system's code */
function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => resolve())
    })
  })
}

/**
 * Below the ephemeral ports of Linux and macOS. An outgoing connection could otherwise take the
 * port before the server opens it.
 */
const range = { first: 20_000, end: 30_000 }

/**
 * Binds the UDP port of this number until the process ends, so that two processes never get the
 * same free port.
 */
function reserve(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4').unref()
    socket.once('error', reject)
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, resolve)
  })
}

/**
 * Returns a loopback port that is free and that no other running process got from this function.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.first, range.end)
    try {
      await reserve(port)
      await tryPort('127.0.0.1', port)
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

const reasons: Record<string, (variable: string, host: string, port: number) => string> = {
  EADDRINUSE: (variable, _host, port) =>
    `${variable}: port ${port} is taken by another program. Stop it, or set ${variable} to a free port.`,
  EACCES: (variable, _host, port) =>
    `${variable}: this user may not open port ${port}. Set ${variable} to a port above 1023.`,
  EADDRNOTAVAIL: (_variable, host) => `HOST: this machine does not have the address ${host}.`,
}

/**
 * Checks that a port can be opened. Retries for two seconds, because after a `kill -9` the programs
 * of the previous run still need time to exit.
 * @throws ConfigError that names the variable
 */
export async function needFreePort(
  variable: 'PORT' | 'DATA_PORT',
  host: string,
  port: number,
): Promise<void> {
  const deadline = Date.now() + 2000
  for (;;) {
    try {
      await tryPort(host, port)
      return
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? ''
      if (code !== 'EADDRINUSE' || Date.now() > deadline) {
        throw configError(
          reasons[code]?.(variable, host, port) ??
            `${variable}: port ${port} cannot be opened (${code}).`,
        )
      }
      await sleep(100)
    }
  }
}
