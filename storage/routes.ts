/** The routes of files. The ticket in the address is the only credential. */
import { z } from 'zod'
import { filesPath } from '../common/contract.ts'
import { route } from '../http/route.ts'
import { receiveFile } from './upload.ts'
import { sendFile } from './download.ts'

const input = z.object({ ticket: z.string().max(200).meta({ description: 'The ticket.' }) })
const example = { ticket: 'file_5xQ2' }

const stored = z.object({
  id: z.uuid().meta({ description: 'The id of the attachment.' }),
  name: z.string(),
  content_type: z.string().meta({ examples: ['application/pdf'] }),
  size: z.int().meta({ description: 'In bytes.' }),
  sha256: z.string(),
  status: z.literal('ready'),
}).meta({ id: 'StoredFile', description: 'The attachment with its file.' })

export const fileRoutes = [
  route('PUT', `${filesPath}/{ticket}`, {
    summary:
      'Receives the file of a new attachment. The ticket comes from `/rpc/begin_upload` of the data surface.',
    description:
      'The body is the file itself, with its `Content-Length`. Its size and SHA-256 must be those that were announced: otherwise the response is 400 and nothing is stored. ' +
      'The first bytes decide the type: PDF, JPEG, PNG, WebP, HEIC, text, email, and XML without active content. The same file again is 200. ' +
      'The header `X-Change-Id` is that of `/rpc/begin_upload`. A user uploads two files at a time; further ones wait.',
    credentials: [],
    input,
    example,
    isFile: true,
    // stores the file in parts, and then decides about all of them in one statement
    isAtomic: false,
    rejects: ['NOT_FOUND', 'SERVICE_BUSY'],
    output: stored,
    handle: receiveFile,
  }),
  route('GET', `${filesPath}/{ticket}`, {
    summary:
      'Returns the file of an attachment. The ticket comes from `/rpc/open_attachment` of the data surface.',
    description:
      'A browser shows PDF, JPEG, PNG and WebP, and downloads other types. `ETag` is the SHA-256. An unknown or ended ticket is 404. ' +
      'If the operator stores files in an object storage, the response is 302 to an address there that is valid for 60 seconds.',
    credentials: [],
    input,
    example,
    rejects: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_BUSY'],
    requestHeaders: {
      Range:
        'A range such as `bytes=0-1023`. The response is 206, or 416 if the file has no such bytes.',
      'If-Match': 'The response is 412 if the file has another `ETag`.',
      'If-None-Match':
        'The `ETag` of an earlier response. The response is 304 if the client has this file.',
      'If-Range':
        'An `ETag`. The range counts only for this file; otherwise the response is the whole file.',
    },
    mediaType: 'application/octet-stream',
    output: z.string().meta({ description: 'The file.', format: 'binary' }),
    handle: sendFile,
  }),
]
