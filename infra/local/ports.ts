/** Ports of this machine: whether one is free, and one that is. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { configError } from '../../common/errors.ts'

/** Opens the port for a moment. @throws Error with the system's code */
function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => resolve())
    })
  })
}

/** Below the ports that Linux and macOS give to outgoing connections: such a connection could take a port before its server opens it. */
const range = { first: 20_000, end: 30_000 }

/** Binds the UDP port of this number until the process ends. Two processes that ask for free ports then never get the same one. */
function reserve(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4').unref()
    socket.once('error', reject)
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, resolve)
  })
}

/** Finds a port of the loopback address that nobody uses at this moment, and that this function has given to no process that still runs. */
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
  EADDRINUSE: (variable, _host, port) => `${variable}: port ${port} is taken by another program. Stop it, or set ${variable} to a free port.`,
  EACCES: (variable, _host, port) => `${variable}: this user may not open port ${port}. Set ${variable} to a port above 1023.`,
  EADDRNOTAVAIL: (_variable, host) => `HOST: this machine does not have the address ${host}.`,
}

/**
 * Sees to it that a port can be opened. It asks for two seconds, because after a `kill -9` the programs of the run before
 * are still on their way out.
 * @throws ConfigError naming the variable.
 */
export async function needFreePort(variable: 'PORT' | 'DATA_PORT', host: string, port: number): Promise<void> {
  const deadline = Date.now() + 2000
  for (;;) {
    try {
      await tryPort(host, port)
      return
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? ''
      if (code !== 'EADDRINUSE' || Date.now() > deadline) {
        throw configError(reasons[code]?.(variable, host, port) ?? `${variable}: port ${port} cannot be opened (${code}).`)
      }
      await sleep(100)
    }
  }
}
