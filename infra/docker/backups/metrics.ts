/**
 * Serves the metrics of the backup scripts to Prometheus: all `.prom` files of backups/ and of
 * /state.
 */
import { glob, readFile } from 'node:fs/promises'
import { serveMetrics } from '../serve-metrics.ts'

async function metrics(): Promise<string> {
  const texts: string[] = []
  // a file that a script is replacing at this moment may be missing
  for await (const path of glob(['backups/*.prom', '/state/*.prom']))
    texts.push(await readFile(path, 'utf8').catch(() => ''))
  return texts.join('')
}

serveMetrics(9101, metrics)
