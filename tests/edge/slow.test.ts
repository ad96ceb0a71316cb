/** Clients that send slowly: the connection ends in a stated time, and others notice nothing. */
import { createConnection } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

/** Sends a beginning, and then a byte a second. @returns the seconds until the connection was closed, and what was answered */
function slow(beginning: string): Promise<{ seconds: number, answer: string }> {
  return new Promise((resolve) => {
    const begun = performance.now()
    const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(stack.url).port) })
    let answer = ''
    const drip = setInterval(() => socket.write('a'), 1_000)
    onTestFinished(() => {
      socket.destroy()
    })
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
    }).on('error', () => undefined).once('close', () => {
      clearInterval(drip)
      resolve({ seconds: (performance.now() - begun) / 1_000, answer })
    })
    socket.write(beginning)
  })
}

test('a header has 15 s, a whole request 30 s, both looked at every 5 s', async () => {
  const headers = Array.from({ length: 20 }, () => slow('GET /data/transactions HTTP/1.1\r\nHost: localhost\r\nX-Slow: '))
  const bodies = ['/data/transactions', '/api/auth/sign-in/email'].flatMap((path) =>
    Array.from({ length: 10 }, () => slow(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`))
  )
  expect((await fetch(`${stack.url}/data/transactions`)).status).toBe(200)
  for (const { seconds } of await Promise.all(headers)) expect(seconds).toBeLessThan(22)
  expect((await fetch(`${stack.url}/data/transactions`)).status).toBe(200)
  for (const { seconds } of await Promise.all(bodies)) expect(seconds).toBeLessThan(37)
}, 60_000)
