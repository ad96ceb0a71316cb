/**
 * A kill of the auth service at any moment of an upload leaves no ready attachment with other
 * bytes, and nothing that housekeeping keeps.
 */
import { randomBytes } from 'node:crypto'
import { createConnection } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkFiles, filesDatabase } from '../../db/stored-files.ts'
import { signedIn } from '../support/person.ts'
import { newPdf, receiptsOf } from '../support/receipts.ts'
import { serviceProcess, type ServiceProcess } from '../support/service-process.ts'
import { startStack, type Stack } from '../support/stack.ts'

const kills = 16
const fileBytes = 1_000_000

let stack: Stack
let service: ServiceProcess
beforeAll(async () => {
  stack = await startStack({ data: true })
  service = await serviceProcess('auth/main.ts', stack, { RATE_LIMIT_ENABLED: 'false' })
})
afterAll(async () => {
  await service.kill()
  await stack.close()
})

/**
 * Sends a part of an upload, kills the service when the bytes have left, and resolves when the
 * connection is closed.
 */
async function cutUpload(ticket: string, file: Buffer, sent: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(service.url).port) })
  socket.on('error', () => undefined).once('close', () => resolve())
  socket.write(
    `PUT /api/auth/files/${ticket} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${file.length}\r\n\r\n`,
  )
  await new Promise((written) => socket.write(file.subarray(0, sent), written))
  await service.kill()
  await promise
}

test(
  '16 kills during uploads leave only ready attachments with their bytes, and an hour later no other file',
  async () => {
    const mine = receiptsOf(
      { url: service.url, dataUrl: stack.dataUrl },
      await signedIn(stack, 'Ann'),
    )
    const uploads: { id: string, ticket: string, file: Buffer }[] = []
    for (let kill = 0; kill < kills; kill++) {
      await service.start()
      const file = Buffer.concat([newPdf(fileBytes - 16), randomBytes(16)])
      const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), file)
      uploads.push({ id, ticket, file })
      // the last kills meet the end of the upload
      await cutUpload(
        ticket,
        file,
        Math.min(fileBytes, Math.floor(fileBytes * kill / (kills * 0.7))),
      )
      expect((await checkFiles(filesDatabase(stack.sql))).wrong).toEqual([])
    }
    await service.start()
    // a user repeats half of them
    for (const { ticket, file } of uploads.slice(0, kills / 2))
      expect((await mine.put(ticket, file)).status).toBe(200)
    await stack.sql.query(
      `update private.files set begun_at = begun_at - interval '2 hours'; update api.attachments set created_at = created_at - interval '2 hours';
     update private.file_tickets set expires_at = expires_at - interval '2 hours'`,
    )
    await stack.sql.query('select private.forget_files(400, 100)')
    const { wrong, files } = await checkFiles(filesDatabase(stack.sql))
    expect(wrong).toEqual([])
    expect(files).toBeGreaterThanOrEqual(kills / 2)
    const { rows } = await stack.sql.query(`select
    (select count(*)::integer from private.files) as files, (select count(distinct file_id)::integer from private.file_chunks) as with_chunks,
    (select count(*)::integer from api.attachments where status = 'pending') as pending`)
    expect(rows).toEqual([{ files, with_chunks: files, pending: 0 }])
    for (const { id, file } of uploads.slice(0, kills / 2))
      expect((await mine.read(id)).equals(file)).toBe(true)
  },
  300_000,
)
