/** Serves the metrics of the backup scripts to Prometheus: all `.prom` files of backups/ and of /state. */
import { glob, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'

async function metrics(): Promise<string> {
  const texts: string[] = []
  // a file that a script is replacing at this moment may be missing
  for await (const path of glob(['backups/*.prom', '/state/*.prom'])) texts.push(await readFile(path, 'utf8').catch(() => ''))
  return texts.join('')
}

createServer((request, response) => {
  if (request.url !== '/metrics') {
    response.writeHead(404).end()
    return
  }
  metrics().then(
    (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
    () => response.writeHead(500).end(),
  )
}).listen(9101)
