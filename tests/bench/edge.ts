/**
 * Measures a list of 20 rows through the edge, through a bare proxy and directly from PostgREST, in
 * turn.
 */
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { freePort } from '../../start/ports.ts'
import type { Figure } from './figures.ts'
import { isUp, person, quantile, type BenchStack } from './stack.ts'

const rounds = 15
const roundMs = 700
const path = '/transactions?limit=20'

type Round = { responses: number, p99: number }

/**
 * Opens a connection that sends one request after the other. Node's own client would use as much
 * CPU time as the edge.
 */
function client(
  port: number,
  request: string,
  times: number[],
): { run: (until: number) => Promise<void>, end: () => void } {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  let received = ''
  let onResponse: (() => void) | undefined
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
    const head = received.indexOf('\r\n\r\n')
    if (head === -1) return
    if (!received.startsWith('HTTP/1.1 200')) throw new Error(received.slice(0, 200))
    const length = /content-length: (\d+)/i.exec(received.slice(0, head))?.[1]
    if (
      length === undefined
        ? !received.endsWith('0\r\n\r\n')
        : received.length < head + 4 + Number(length)
    ) return
    received = ''
    onResponse?.()
  })
  return {
    run: async (until) => {
      while (performance.now() < until) {
        const started = performance.now()
        await new Promise<void>((resolve) => {
          onResponse = resolve
          socket.write(request)
        })
        times.push(performance.now() - started)
      }
    },
    end: () => socket.destroy(),
  }
}

/** @param stack a stack with the data of `insertLargeDataset` */
export async function edgeFigures(stack: BenchStack): Promise<Figure[]> {
  const { port: postgrest, readyPort, tokenOf } = await stack.dataSurface()
  await using running = new AsyncDisposableStack()
  const barePort = await freePort()
  const child = spawn(process.execPath, [
    'tests/bench/bare-proxy.ts',
    String(barePort),
    `http://127.0.0.1:${postgrest}`,
  ], { stdio: ['ignore', 'ignore', 'inherit'] })
  running.defer(() => void child.kill())
  await isUp(barePort)
  const edgePort = await stack.edge({ port: postgrest, readyPort })
  const sides = [{ port: postgrest, prefix: '' }, { port: barePort, prefix: '/data' }, {
    port: edgePort,
    prefix: '/data',
  }]
  const figures: Figure[] = []
  for (const [callers, aim] of [[8, 0.75], [50, 0.85]] as const) {
    const round = async ({ port, prefix }: typeof sides[number]): Promise<Round> => {
      const times: number[] = []
      const tokens = await Promise.all(
        Array.from({ length: callers }, (_, at) => tokenOf(person(100 + at))),
      )
      const all = tokens.map((token) =>
        client(
          port,
          `GET ${prefix}${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`,
          times,
        )
      )
      const until = performance.now() + roundMs
      await Promise.all(all.map(({ run }) => run(until)))
      for (const { end } of all) end()
      return { responses: times.length, p99: quantile(times, 0.99) }
    }
    for (const side of sides) await round(side)
    const seen: Round[][] = []
    // the order changes each round, so that no side profits from its position
    for (let at = 0; at < rounds; at++) {
      const order = sides.map((_, index) => (index + at) % sides.length)
      const measured = new Map<number, Round>()
      for (const index of order) measured.set(index, await round(sides[index]!))
      seen.push(sides.map((_, index) => measured.get(index)!))
    }
    const ratio = (of: (one: Round[]) => number) => quantile(seen.map(of), 0.5)
    const work = `list of 20 through the edge, ${callers} callers`
    figures.push(
      {
        work,
        against: 'PostgREST itself',
        ratio: ratio(([itself, , edge]) => edge!.responses / itself!.responses),
        aim,
        unit: 'throughputs',
      },
      {
        work,
        against: 'a bare undici proxy',
        ratio: ratio(([, bare, edge]) => edge!.responses / bare!.responses),
        aim: 0.9,
        unit: 'throughputs',
      },
      {
        work: `${work}: 99 of a hundred`,
        against: 'PostgREST itself',
        ratio: ratio(([itself, , edge]) => edge!.p99 / itself!.p99),
        aim: 1.5,
        unit: 'times',
      },
    )
  }
  return figures
}
