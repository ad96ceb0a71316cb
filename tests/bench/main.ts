/**
 * `npm run bench`: measures every figure of docs/performance.md and prints one table. It takes
 * about fifteen minutes and 12 GB of disk, most of it for ten million rows. `BENCH_ROWS=300000`
 * skips these and takes three minutes. `BENCH_ONLY` selects one part: a key of `parts`, or
 * `growth`, which compares ten times as many rows.
 */
import {
  datasetCallers,
  insertLargeDataset,
  insertTransactionParts,
} from '../support/large-dataset.ts'
import { authFigures } from './auth.ts'
import { edgeFigures } from './edge.ts'
import { print, type Figure } from './figures.ts'
import { listFigures } from './embedded-lists.ts'
import { fileFigures } from './files.ts'
import { liveFigures } from './live.ts'
import { manyStreamsFigures } from './many-streams.ts'
import { insertLargePerson, personFigures } from './one-person.ts'
import { growthFigures, readFigures } from './reads.ts'
import { benchStack } from './stack.ts'
import { throughputFigures } from './throughput.ts'
import { writeFigures } from './writes.ts'

const rows = Number(process.env['BENCH_ROWS'] ?? 1_000_000)
const filled = (count: number) =>
  benchStack(async (owner) => {
    await insertLargeDataset(owner, count)
    await owner.query('set session_replication_role = replica')
    for (const who of [datasetCallers.many, datasetCallers.team])
      await insertTransactionParts(owner, who)
    await insertLargePerson(owner)
    await owner.query('reset session_replication_role')
    await owner.query('vacuum analyze')
  })

const figures: Figure[] = []
await using small = await filled(rows)
const only = process.env['BENCH_ONLY']
const parts = {
  reads: readFigures,
  lists: listFigures,
  person: personFigures,
  throughput: throughputFigures,
  edge: edgeFigures,
  writes: writeFigures,
  auth: authFigures,
  live: liveFigures,
  streams: manyStreamsFigures,
  files: fileFigures,
}
for (const [name, measure] of Object.entries(parts))
  if (only === undefined || only === name) figures.push(...await measure(small))
if (only === 'growth' || only === undefined && process.env['BENCH_ROWS'] === undefined) {
  await using large = await filled(10 * rows)
  figures.push(...await growthFigures(small, large))
}
print(figures)
