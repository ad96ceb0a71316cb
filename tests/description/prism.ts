/** Prism as a proxy that checks each request and each answer against the OpenAPI document. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { recorder } from './recorder.ts'
import { tool } from './tools.ts'

/** A port that was free a moment ago; Prism does not say which one it would take. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Starts Prism in front of something.
 * @param description the file of the document
 * @returns where it listens, what it has warned of and refused, and a function that ends it
 */
export async function prism(upstream: string, description: string): Promise<{ url: string, complaints: () => string[], stop: () => Promise<void> }> {
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
