/**
 * The auth surface in OpenAPI 3.1, made of the route rows: what a row does not say is derived from its policy and its schemas,
 * so that a description cannot say something else than the service does. No I/O.
 */
import { z } from 'zod'
import { basePath } from './config.ts'
import { catalogue, type ErrorCode } from './errors.ts'
import { pageRoutes } from './http/pages.ts'
import type { RateLimit } from './policy.ts'
import { operationIdOf } from './routes/names.ts'
import { sessionEffectOf, type Route } from './routes/route.ts'
import { groups } from './routes/table.ts'

type Json = Record<string, unknown>
type Schema = Json & { properties?: Record<string, Json>, required?: string[] }

/** The parts of an OpenAPI document that are the auth surface's. */
export type Description = {
  /** By their path from base_url. */
  paths: Record<string, Json>
  components: { schemas: Json, responses: Json, headers: Json, securitySchemes: Record<string, Json> }
  tags: { name: string, description: string }[]
}

const reference = (kind: keyof Description['components'], name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

/** A schema as JSON Schema, and the named ones that it refers to. @param io what a client may send, or what it is sent */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): { schema: Schema, named: Json } {
  // wrapped, because a named schema is referred to only from within another
  const whole = z.toJSONSchema(z.object({ it: schema }), {
    io,
    override: ({ jsonSchema: one }) => {
      // the format says it in a word
      if (one.format === 'date-time') delete one.pattern
      // an answer may gain a field, and a field that is not known is dropped
      if (one.additionalProperties === false) delete one.additionalProperties
      delete one.propertyNames
    },
  })
  const { it, defs } = JSON.parse(
    JSON.stringify({ it: whole.properties?.['it'], defs: whole.$defs ?? {} }).replaceAll('#/$defs/', '#/components/schemas/'),
  ) as {
    it: Schema
    defs: Json
  }
  return { schema: it, named: defs }
}

const fieldsOf = (row: Route): Record<string, Json> => jsonSchema(row.input, 'input').schema.properties ?? {}

/** Every error that a route can give: what its policy and its input bring with them, and what its row names. */
export function errorsOf(row: Route): ErrorCode[] {
  const { method, session = 'required', namesOrganization, hashesPassword, refuses = [] } = row
  const formats = new Set(Object.values(fieldsOf(row)).map(({ format }) => format))
  const codes = new Set<ErrorCode>([...refuses, 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR'])
  if (formats.size > 0) codes.add('VALIDATION_ERROR')
  if (formats.has('email')) codes.add('INVALID_EMAIL')
  if (formats.has('password')) codes.add('INVALID_PASSWORD')
  if (session === 'required') codes.add('UNAUTHORIZED')
  if (namesOrganization === true) codes.add('NOT_FOUND')
  if (hashesPassword === true) codes.add('SERVICE_BUSY')
  // a body can be unreadable, and a page that is not trusted may not send one
  if (method !== 'GET') { for (const code of ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'FORBIDDEN'] as const) codes.add(code) }
  return (Object.keys(catalogue) as ErrorCode[]).filter((code) => codes.has(code))
}

const pascal = (code: string): string => code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const waits = new Set<ErrorCode>(['RATE_LIMIT_EXCEEDED', 'SERVICE_BUSY', 'OIDC_UNAVAILABLE'])

const requestIdHeader = { 'X-Request-Id': reference('headers', 'RequestId') }

/** The response for codes of one status. */
const errorResponse = (codes: ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${catalogue[code][1]}`).join('\n\n'),
  headers: { ...requestIdHeader, ...(codes.some((code) => waits.has(code)) ? { 'Retry-After': reference('headers', 'RetryAfter') } : {}) },
  content: {
    'application/json': {
      schema: { allOf: [reference('schemas', 'AuthError'), { type: 'object', required: ['error'], properties: { error: { enum: codes } } }] },
      examples: Object.fromEntries(codes.map((code) => [code, { value: { error: code, message: catalogue[code][1] } }])),
    },
  },
})

/** The codes by their status, the smaller one first. */
function byStatus(codes: ErrorCode[]): [string, ErrorCode[]][] {
  const groupsOfCodes = new Map<string, ErrorCode[]>()
  for (const code of codes) {
    const status = String(catalogue[code][0])
    groupsOfCodes.set(status, [...groupsOfCodes.get(status) ?? [], code])
  }
  return [...groupsOfCodes]
}

/** What has no session, no input and no limit is refused by the server alone. */
const withoutInput = { 431: { description: 'The header fields are longer than 16 KiB.' } }

const page = { 'text/html': { schema: { type: 'string' } } }

const perWindow = ({ max, window }: RateLimit): string => `${max} in ${window === 60 ? 'a minute' : window === 3_600 ? 'an hour' : `${window} seconds`}`

function limitsOf({ limits: { address, account } = {} }: Route): string[] {
  const limits = [
    ...(address === undefined ? [] : [`${perWindow(address)} from one address`]),
    ...(account === undefined ? [] : [`${perWindow(account)} ${account.by === 'email' ? 'for one `email`' : 'by one account'}`]),
  ]
  return limits.length === 0 ? [] : [`At most ${limits.join(', ')}.`]
}

/** How a browser is led on from a mailed link where there is an app. */
const onToApp = {
  303: {
    description: 'Where a browser asks and there is an app (`APP_URL`): on to its page of this link, with the outcome in the query.',
    headers: { ...requestIdHeader, Location: { description: 'The page.', schema: { type: 'string', format: 'uri' } } },
  },
}

/** How the input is sent: in the query of a GET, or else as a JSON body. */
function inputOf(row: Route): Json {
  const { schema } = jsonSchema(row.input, 'input')
  const { properties = {}, required = [] } = schema
  const example = row.example as Json | undefined
  if (Object.keys(properties).length === 0) return {}
  if (row.method !== 'GET')
    return { requestBody: { required: true, content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } } }
  return {
    parameters: Object.entries(properties).map(([name, { description, ...property }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: property,
      ...(example?.[name] === undefined ? {} : { example: example[name] }),
    })),
  }
}

function operation(row: Route, tag: string, components: Description['components']): Json {
  const effect = sessionEffectOf(row)
  const { schema, named } = jsonSchema(row.answer, 'output')
  Object.assign(components.schemas, named)
  const refused = byStatus(errorsOf(row)).map(([status, codes]) => {
    const name = codes.map(pascal).join('Or')
    // where a person's browser asks, a page says it
    const response = row.page !== undefined && status === '400' ? `${name}Page` : name
    const described = errorResponse(codes)
    components.responses[response] = response === name ? described : { ...described, content: { ...described['content'] as Json, ...page } }
    return [status, reference('responses', response)]
  })
  const description = [...row.description === undefined ? [] : [row.description], ...limitsOf(row)].join('\n\n')
  return {
    operationId: operationIdOf(row.path),
    tags: [tag],
    summary: row.summary,
    ...(description === '' ? {} : { description }),
    // for what calls by this description and keeps a token, as /docs does
    ...(effect === undefined ? {} : { 'x-session': effect }),
    security: errorsOf(row).includes('UNAUTHORIZED') ? [{ session: [] }, ...(row.shortcut === 'token' ? [{ apiKey: [] }] : [])] : [],
    ...inputOf(row),
    responses: {
      200: {
        description: row.answer.meta()?.description ?? 'It is done.',
        headers: { ...requestIdHeader, ...(row.signsIn === undefined ? {} : { 'Set-Cookie': reference('headers', 'SessionCookie') }) },
        content: { 'application/json': { schema }, ...(row.page === undefined ? {} : page) },
      },
      ...(row.page === undefined ? {} : onToApp),
      ...Object.fromEntries(refused),
    },
  }
}

/** A page that a mailed link opens, which sends its form to the route of the same path. */
function pageOperation({ path, parameter: name }: typeof pageRoutes[number]): Json {
  return {
    operationId: `${operationIdOf(path)}Page`,
    tags: [pagesTag.name],
    summary: 'Shows the page that a mailed link opens. Opening it changes nothing.',
    security: [],
    parameters: [{ name, in: 'query', required: true, description: 'Of the mailed link.', schema: { type: 'string' } }],
    responses: { 200: { description: 'The page.', headers: requestIdHeader, content: page }, ...withoutInput },
  }
}

const pagesTag = { name: 'Pages', description: 'What a browser opens, and this description.' }

/** The auth surface, without the headers that both surfaces have. The name of the session's cookie begins with `__Secure-` where base_url is https. */
export function authDescription(): Description {
  const components: Description['components'] = {
    schemas: {
      AuthError: {
        type: 'object',
        description: 'An error of the auth surface.',
        required: ['error', 'message'],
        properties: {
          error: { type: 'string', enum: Object.keys(catalogue), description: 'What a program branches on.' },
          message: { type: 'string', description: 'A sentence for the person or the log, which may say more than the examples do.' },
        },
      },
    },
    responses: {},
    headers: {
      SessionCookie: { description: 'The cookie of the session.', schema: { type: 'string' } },
    },
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: 'better-auth.session_token', description: 'The cookie that sign-up and sign-in set.' },
      apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'fin_…', description: 'A key that `POST /api/auth/api-key/create` made, of a program.' },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token that `POST /api/auth/token` issues, valid for an hour.' },
    },
  }
  const paths: Record<string, Json> = {}
  const add = (path: string, method: string, described: Json) => {
    paths[`${basePath}${path}`] = { ...paths[`${basePath}${path}`], [method]: described }
  }
  for (const { name, routes: rows } of groups) {
    for (const row of rows) add(row.path, row.method.toLowerCase(), operation(row, name, components))
  }
  for (const one of pageRoutes) add(one.path, 'get', pageOperation(one))
  add('/openapi.json', 'get', {
    operationId: 'openapi',
    tags: [pagesTag.name],
    summary: 'Describes both surfaces: this document.',
    security: [],
    responses: {
      200: { description: 'The description.', headers: requestIdHeader, content: { 'application/json': { schema: { type: 'object' } } } },
      ...withoutInput,
    },
  })
  return { paths, components, tags: [...groups.map(({ name, description }) => ({ name, description })), pagesTag] }
}
