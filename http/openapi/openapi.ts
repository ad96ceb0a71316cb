/**
 * Builds the OpenAPI document: the auth surface from its routes, the data surface from the database
 * catalogue.
 */
import type pg from 'pg'
import { readExposed } from './catalogue.ts'
import { dataDescription } from './data-openapi.ts'
import type { Description, Json } from './json-schema.ts'
import about from '../../package.json' with { type: 'json' }

const introduction =
  `The auth surface has sessions, organizations and tokens. It authenticates by the session cookie, and for native apps by the token of the session. The data surface has tables and functions. It authenticates by the token of \`POST /api/auth/token\`.

Paths of the auth surface begin at base_url. Paths of the data surface begin at data_url; their server is its address at the edge.`

/** Response headers of both surfaces. */
const headers = {
  RequestId: { description: 'The id of the request in the logs.', schema: { type: 'string' } },
  RetryAfter: {
    description: 'Number of seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 1 },
  },
}

/** Merges the components of both surfaces. @throws if both have the same name */
function merged(left: Record<string, Json>, right: Record<string, Json>): Record<string, Json> {
  const duplicates = Object.keys(left).filter((name) => name in right)
  if (duplicates.length > 0) throw new Error(`both surfaces describe ${duplicates.join(', ')}`)
  return { ...left, ...right }
}

/** Sets the address of a deployment as the server, and the name of its cookie. */
function deployed<
  Document extends {
    servers: Server[]
    paths: Record<string, Json>
    components: { securitySchemes: Record<string, Json> }
  },
>(
  document: Document,
  publicUrl: string,
): Document {
  const at = (servers: Server[]) =>
    servers.map((server) => ({
      ...server,
      url: `${publicUrl}${server.url === '/' ? '' : server.url}`,
    }))
  const { session } = document.components.securitySchemes
  if (session !== undefined && publicUrl.startsWith('https:'))
    session['name'] = `__Secure-${String(session['name'])}`
  const paths = Object.entries(document.paths).map((
    [path, item],
  ) => [path, 'servers' in item ? { ...item, servers: at(item['servers'] as Server[]) } : item])
  return { ...document, servers: at(document.servers), paths: Object.fromEntries(paths) }
}

type Server = { url: string, description?: string }

/**
 * Returns the OpenAPI document of a deployment.
 * @param client a connection to its migrated database
 * @param publicUrl base_url
 * @param auth the auth surface
 */
export async function openApiDocument(client: pg.ClientBase, publicUrl: string, auth: Description) {
  const exposed = await readExposed(client)
  const data = dataDescription(exposed)
  return deployed({
    openapi: '3.1.0',
    info: {
      title: exposed.title,
      version: about.version,
      description: introduction,
      license: { name: about.license, identifier: about.license },
    },
    servers: [{ url: '/' }],
    tags: [...auth.tags, ...data.tags],
    paths: merged(auth.paths, data.paths),
    components: {
      schemas: merged(auth.components.schemas, data.components.schemas),
      responses: merged(auth.components.responses, data.components.responses),
      parameters: merged(auth.components.parameters, data.components.parameters),
      headers: merged(headers, merged(auth.components.headers, data.components.headers)),
      securitySchemes: merged(auth.components.securitySchemes, data.components.securitySchemes),
    },
  }, publicUrl)
}
