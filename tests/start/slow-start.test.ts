/** A start on a busy machine. */
import { expect, test } from 'vitest'
import { startChild } from '../../start/child-process.ts'
import { freePort } from '../../start/ports.ts'
import { waitForServer } from '../../start/wait-for-server.ts'

/** A service that is ready at its fourth request. */
const slowService = `
  let requests = 0
  require('node:http').createServer((_, response) => {
    requests += 1
    response.writeHead(requests < 4 ? 503 : 200).end()
  }).listen(process.env.PORT, '127.0.0.1', () => console.error('reads its files'))`

test('npm start waits for a slow service as long as its process runs, and says so', async () => {
  const port = await freePort()
  const child = startChild({
    name: 'auth',
    command: process.execPath,
    args: ['--eval', slowService],
    env: { PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    signals: [['SIGKILL', 1_000]],
  })
  const lines: string[] = []
  await waitForServer(child, {
    url: `http://127.0.0.1:${port}/readyz`,
    reportMs: 0,
    log: (line) => lines.push(line),
  })
  await child.stop()
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^auth is not ready after \d+ s \(status 503\)\. Still waiting\. reads its files$/,
    ),
  )
})
