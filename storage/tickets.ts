/**
 * Tickets: the only credential of a request for a file. The data surface issues them, see
 * db/attachments/files.sql.
 */
import { createHash } from 'node:crypto'
import { rejection, reject } from '../http/errors.ts'
import { perMinute } from '../http/policy.ts'
import type { RouteContext } from '../http/route.ts'
import type { TicketFile } from './byte-store.ts'

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

/**
 * Returns the file of a ticket. @throws Rejection NOT_FOUND if it is unknown, has ended, or is for
 * the other direction
 */
export async function fileOfTicket(
  c: RouteContext,
  ticket: string,
  isUpload: boolean,
): Promise<TicketFile> {
  const { prepared, limits } = c.var.services
  const tokenHash = createHash('sha256').update(ticket).digest()
  const row = await prepared<Row>({
    name: 'file-of-ticket',
    text: 'select * from private.file_of_ticket($1)',
  }, [tokenHash])
  if (row?.is_upload !== isUpload) {
    const { allowed, retryAfterSeconds } = await limits.consumeForAddress(
      wrongTickets.path,
      c.var.client,
      wrongTickets.limit,
    )
    if (!allowed) throw rejection('RATE_LIMIT_EXCEEDED', undefined, retryAfterSeconds)
    reject('NOT_FOUND')
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
