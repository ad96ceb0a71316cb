/** Prism as a proxy that checks requests and responses against the OpenAPI document. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { recorder } from './recorder.ts'
import { tool } from './tools.ts'

/** Returns a port that was just free. Prism does not report the port that it chooses itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Starts Prism in front of a server.
 * @param description the path of the OpenAPI document
 * @returns its address, its warnings and errors, and a function that stops it
 */
export async function prism(
  upstream: string,
  description: string,
): Promise<{ url: string, complaints: () => string[], stop: () => Promise<void> }> {
  const behind = await recorder(upstream)
  const port = await freePort()
  const child = spawn(process.execPath, [
    tool('@stoplight/prism-cli/dist/index.js'),
    'proxy',
    description,
    behind.url,
    '--errors',
    '-h',
    '127.0.0.1',
    '-p',
    `${port}`,
  ], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  const said: string[] = []
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.push(text)
    if (text.includes('Prism is listening')) resolve()
  })
  child.once('exit', (code) => reject(new Error(`Prism ended with ${code}: ${said.join('')}`)))
  await ready
  return {
    url: `http://127.0.0.1:${port}`,
    complaints: () => said.join('').split('\n').filter((line) => /✖|⚠/.test(line)),
    async stop() {
      child.removeAllListeners('exit')
      child.kill()
      await once(child, 'exit')
      behind.close()
    },
  }
}
