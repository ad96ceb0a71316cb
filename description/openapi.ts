/** The OpenAPI document of both surfaces: the auth surface by its routes, the data surface by the catalogue of the database. */
import type pg from 'pg'
import { authDescription } from './auth.ts'
import { readExposed } from './catalogue.ts'
import { dataDescription } from './data.ts'
import type { Json } from './json-schema.ts'
import about from '../package.json' with { type: 'json' }

const introduction =
  `The auth surface has sessions, organizations and tokens, and takes the session's cookie. The data surface has tables and functions, and takes the token that \`POST /api/auth/token\` issues.

Paths of the auth surface begin at base_url. Those of the data surface begin at data_url, and name as their server where the edge has it.`

/** The headers that answers of both surfaces have. */
const headers = {
  RequestId: { description: 'What the request is called in the logs.', schema: { type: 'string' } },
  RetryAfter: { description: 'After how many seconds to try again.', schema: { type: 'integer', minimum: 1 } },
}

/** Two halves of one kind of parts. @throws when both have a name, because one would take the other's place. */
function joined(left: Record<string, Json>, right: Record<string, Json>): Record<string, Json> {
  const twice = Object.keys(left).filter((name) => name in right)
  if (twice.length > 0) throw new Error(`both surfaces describe ${twice.join(', ')}`)
  return { ...left, ...right }
}

/** Returns the document with the address of a deployment in its servers, and with the name of its cookie. */
function deployed<Document extends { servers: Server[], paths: Record<string, Json>, components: { securitySchemes: Record<string, Json> } }>(
  document: Document,
  publicUrl: string,
): Document {
  const at = (servers: Server[]) => servers.map((server) => ({ ...server, url: `${publicUrl}${server.url === '/' ? '' : server.url}` }))
  const { session } = document.components.securitySchemes
  if (session !== undefined && publicUrl.startsWith('https:')) session['name'] = `__Secure-${String(session['name'])}`
  const paths = Object.entries(document.paths).map(([path, item]) => [path, 'servers' in item ? { ...item, servers: at(item['servers'] as Server[]) } : item])
  return { ...document, servers: at(document.servers), paths: Object.fromEntries(paths) }
}

type Server = { url: string, description?: string }

/**
 * Returns the OpenAPI document of a deployment.
 * @param client a connection to its database, migrated
 * @param publicUrl base_url
 */
export async function openApiDocument(client: pg.ClientBase, publicUrl: string) {
  const exposed = await readExposed(client)
  const auth = authDescription()
  const data = dataDescription(exposed)
  return deployed({
    openapi: '3.1.0',
    info: { title: exposed.title, version: about.version, description: introduction, license: { name: about.license, identifier: about.license } },
    servers: [{ url: '/' }],
    tags: [...auth.tags, ...data.tags],
    paths: joined(auth.paths, data.paths),
    components: {
      schemas: joined(auth.components.schemas, data.components.schemas),
      responses: joined(auth.components.responses, data.components.responses),
      parameters: joined(auth.components.parameters, data.components.parameters),
      headers: joined(headers, joined(auth.components.headers, data.components.headers)),
      securitySchemes: joined(auth.components.securitySchemes, data.components.securitySchemes),
    },
  }, publicUrl)
}
