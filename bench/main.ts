/**
 * `npm run bench`: every figure of docs/performance.md as one table. It takes some fifteen minutes, most of them for the ten million
 * rows, and 12 GB of disk; `BENCH_ROWS=300000` is a first look at the rest in three. `BENCH_ONLY` names one part:
 * `growth`, what ten times of the rows cost, or `edge`.
 */
import { datasetCallers, insertLargeDataset, insertTransactionParts } from '../tests/support/large-dataset.ts'
import { authFigures } from './auth.ts'
import { edgeFigures } from './edge.ts'
import { print, type Figure } from './figures.ts'
import { listFigures } from './lists.ts'
import { growthFigures, readFigures } from './reads.ts'
import { benchStack } from './stack.ts'
import { throughputFigures } from './throughput.ts'
import { writeFigures } from './writes.ts'

const rows = Number(process.env['BENCH_ROWS'] ?? 1_000_000)
const filled = (count: number) =>
  benchStack(async (owner) => {
    await insertLargeDataset(owner, count)
    await owner.query('set session_replication_role = replica')
    for (const who of [datasetCallers.many, datasetCallers.team]) await insertTransactionParts(owner, who)
    await owner.query('reset session_replication_role')
    await owner.query('vacuum analyze')
  })

const figures: Figure[] = []
await using small = await filled(rows)
const only = process.env['BENCH_ONLY']
const parts = { reads: readFigures, lists: listFigures, throughput: throughputFigures, edge: edgeFigures, writes: writeFigures, auth: authFigures }
for (const [name, measured] of Object.entries(parts)) if (only === undefined || only === name) figures.push(...await measured(small))
if (only === 'growth' || only === undefined && process.env['BENCH_ROWS'] === undefined) {
  await using large = await filled(10 * rows)
  figures.push(...await growthFigures(small, large))
}
print(figures)
