import { quantile } from './stack.ts'

/** The medians of two things that are done in turn; the first few are of cold caches and do not count. */
export async function medians(one: () => Promise<number>, other: () => Promise<number>, rounds: number): Promise<[number, number]> {
  const times: [number, number][] = []
  for (let round = 0; round < rounds + 10; round++) times.push([await one(), await other()])
  const counted = times.slice(10)
  return [quantile(counted.map(([time]) => time), 0.5), quantile(counted.map(([, time]) => time), 0.5)]
}
