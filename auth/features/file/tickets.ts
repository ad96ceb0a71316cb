/** Tickets: the only credential of a request for a file. The data surface issues them, see db/functions/private/files.sql. */
import { createHash } from 'node:crypto'
import { refusal, refuse } from '../../errors.ts'
import { perMinute } from '../../policy.ts'
import type { RouteContext } from '../../route.ts'
import type { TicketFile } from './store.ts'

type Row = {
  attachment_id: string
  is_upload: boolean
  user_id: string
  name: string
  content_type: string | null
  size: string
  sha256: string
  status: 'pending' | 'ready'
  file_id: string | null
  is_external: boolean | null
}

/** Limit of wrong tickets per client address. A ticket has 244 random bits. */
const wrongTickets = { path: '/files with a wrong ticket', limit: perMinute(60) }

/** Returns the file of a ticket. @throws Refusal NOT_FOUND if it is unknown, has ended, or is for the other direction */
export async function fileOfTicket(c: RouteContext, ticket: string, isUpload: boolean): Promise<TicketFile> {
  const { prepared, limits } = c.var.services
  const tokenHash = createHash('sha256').update(ticket).digest()
  const row = await prepared<Row>({ name: 'file-of-ticket', text: 'select * from private.file_of_ticket($1)' }, [tokenHash])
  if (row?.is_upload !== isUpload) {
    const { allowed, retryAfterSeconds } = await limits.consumeForAddress(wrongTickets.path, c.var.client, wrongTickets.limit)
    if (!allowed) throw refusal('RATE_LIMIT_EXCEEDED', undefined, retryAfterSeconds)
    refuse('NOT_FOUND')
  }
  return {
    tokenHash,
    isUpload,
    userId: row.user_id,
    attachmentId: row.attachment_id,
    name: row.name,
    contentType: row.content_type,
    size: Number(row.size),
    sha256: row.sha256,
    status: row.status,
    fileId: row.file_id,
    isExternal: row.is_external,
  }
}
