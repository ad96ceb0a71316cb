/** docs/openapi.json: one description of both surfaces, of the two halves that each of them makes. No I/O. */
import { authDescription } from '../auth/openapi.ts'
import type { dataDescription } from '../db/describe-data.ts'
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
function joined<Part>(left: Record<string, Part>, right: Record<string, Part>): Record<string, Part> {
  const twice = Object.keys(left).filter((name) => name in right)
  if (twice.length > 0) throw new Error(`both surfaces describe ${twice.join(', ')}`)
  return { ...left, ...right }
}

/** The text of docs/openapi.json. */
export function openApiPage(title: string, data: ReturnType<typeof dataDescription>): string {
  const auth = authDescription()
  const document = {
    openapi: '3.1.0',
    info: { title, version: about.version, description: introduction, license: { name: about.license, identifier: about.license } },
    servers: [{ url: '/' }],
    tags: [...auth.tags, ...data.tags],
    paths: joined(auth.paths, data.paths),
    components: {
      schemas: joined<unknown>(auth.components.schemas, data.components.schemas),
      responses: joined<unknown>(auth.components.responses, data.components.responses),
      parameters: data.components.parameters,
      headers: joined<unknown>(headers, joined<unknown>(auth.components.headers, data.components.headers)),
      securitySchemes: auth.components.securitySchemes,
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
