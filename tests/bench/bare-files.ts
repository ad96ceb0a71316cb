/**
 * The baseline for files.ts: a bare Node server that streams bodies into rows of 256 KiB, and rows
 * back, without tickets, hashes and checks. The environment sets DATABASE_URL and PORT.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import pg from 'pg'

const chunkBytes = 262_144
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const store = (id: string, number: number, bytes: Buffer) =>
  pool.query({
    name: 'store',
    text: 'insert into bare_chunks (file_id, number, bytes) values ($1, $2, $3)',
    values: [id, number, bytes],
  })

createServer((request, response) => {
  const serve = async () => {
    if (request.method === 'PUT') {
      const id = randomUUID()
      let parts: Buffer[] = []
      let size = 0
      let number = 0
      for await (const part of request as AsyncIterable<Buffer>) {
        parts.push(part)
        size += part.length
        if (size < chunkBytes) continue
        const whole = Buffer.concat(parts)
        await store(id, number++, whole.subarray(0, chunkBytes))
        parts = [whole.subarray(chunkBytes)]
        size = parts[0]!.length
      }
      await store(id, number, Buffer.concat(parts))
      response.end(id)
      return
    }
    const id = request.url?.slice(1)
    for (let number = 0;; number++) {
      const { rows } = await pool.query<{ bytes: Buffer }>({
        name: 'read',
        text: 'select bytes from bare_chunks where file_id = $1 and number = $2',
        values: [id, number],
      })
      if (rows[0] === undefined) break
      if (!response.write(rows[0].bytes))
        await new Promise((resolve) => response.once('drain', resolve))
    }
    response.end()
  }
  serve().catch((error: unknown) => response.destroy(error as Error))
}).listen(Number(process.env['PORT']), '127.0.0.1')
