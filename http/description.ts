/** The auth surface in OpenAPI 3.1, generated from the route rows. No I/O. */
import { z } from 'zod'
import { basePath } from '../common/contract.ts'
import { errorCodes, type ErrorCode } from '../common/error-codes.ts'
import { policyOf, type RateLimit } from './policy.ts'
import type { RouteGroup } from './room.ts'
import { sessionEffectOf, type Route } from './route.ts'
import { reference, type Description, type Json, type Schema } from './openapi/json-schema.ts'
import { surfaceComponents } from './surface-components.ts'

/** Converts a schema to JSON Schema, and returns the named schemas that it refers to. */
function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): { schema: Schema, named: Record<string, Json> } {
  // wrapped, because only a nested schema becomes a reference
  const whole = z.toJSONSchema(z.object({ it: schema }), {
    io,
    override: ({ jsonSchema: one }) => {
      // the format is enough
      if (one.format === 'date-time') delete one.pattern
      // Responses may gain fields, and unknown input fields are dropped.
      if (one.additionalProperties === false) delete one.additionalProperties
      delete one.propertyNames
    },
  })
  const { it, defs } = JSON.parse(
    JSON.stringify({ it: whole.properties?.['it'], defs: whole.$defs ?? {} }).replaceAll(
      '#/$defs/',
      '#/components/schemas/',
    ),
  ) as { it: Schema, defs: Record<string, Json> }
  return { schema: it, named: defs }
}

const fieldsOf = (row: Route): Record<string, Schema> =>
  jsonSchema(row.input, 'input').schema.properties ?? {}

/**
 * Returns all errors of a route: those of its policy and its input, and those that its row names.
 */
export function errorsOf(row: Route): ErrorCode[] {
  const { method, isFile, rejects = [] } = row
  const { credentials, namesOrganization } = policyOf(row)
  const formats = new Set(Object.values(fieldsOf(row)).map(({ format }) => format))
  const codes = new Set<ErrorCode>([
    ...rejects,
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
    'SERVICE_BUSY',
  ])
  if (formats.size > 0) codes.add('VALIDATION_ERROR')
  if (formats.has('email')) codes.add('INVALID_EMAIL')
  if (formats.has('password')) codes.add('INVALID_PASSWORD')
  // FORBIDDEN is for a web page with the token of a native app.
  if (credentials.length > 0) {
    for (const code of ['UNAUTHORIZED', 'FORBIDDEN'] as const) codes.add(code)
  }
  if (namesOrganization) codes.add('NOT_FOUND')
  // A body can be unreadable, and an untrusted page may not send one.
  if (method !== 'GET') {
    for (const code of ['VALIDATION_ERROR', 'FORBIDDEN', 'IDEMPOTENCY_KEY_NOT_SUPPORTED'] as const)
      codes.add(code)
  }
  if (method !== 'GET' && isFile !== true) {
    for (const code of ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)
      codes.add(code)
  }
  return (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code))
}

const camelCase = (segment: string): string =>
  segment.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Returns the name of a route's method in the client, without the segment that stands for email:
 * `/organization/set-active` is `organization.setActive`, `/sign-in/email` is `signIn`, and
 * `/sign-in/oidc` is `signInOidc`.
 */
export const methodOf = (path: string, ofParameter = 'read'): string[] =>
  path.replace(/\{(\w+)\}.*$/, ofParameter).replace(/\/email$/, '').replace(
    /^\/sign-in\//,
    '/sign-in-',
  ).split('/').slice(1).map(camelCase)

/** Returns the same name as one word: `organizationSetActive`. */
const operationIdOf = (path: string, method = 'GET'): string =>
  methodOf(path, method === 'GET' ? 'read' : 'write').map((
    word,
    at,
  ) => (at === 0 ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`)).join('')

const pascal = (code: string): string =>
  code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const waits = new Set<ErrorCode>(['RATE_LIMIT_EXCEEDED', 'SERVICE_BUSY', 'OIDC_UNAVAILABLE'])

const requestIdHeader = { 'X-Request-Id': reference('headers', 'RequestId') }

/** The response for codes of one status. */
const errorResponse = (codes: ErrorCode[]): Json => ({
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}`).join('\n\n'),
  headers: {
    ...requestIdHeader,
    ...(codes.some((code) => waits.has(code))
      ? { 'Retry-After': reference('headers', 'RetryAfter') }
      : {}),
  },
  content: {
    'application/json': {
      schema: {
        allOf: [reference('schemas', 'AuthError'), {
          type: 'object',
          required: ['error'],
          properties: { error: { enum: codes } },
        }],
      },
      examples: Object.fromEntries(
        codes.map((code) => [code, { value: { error: code, message: errorCodes[code][1] } }]),
      ),
    },
  },
})

/** Groups codes by status, in ascending order. */
function byStatus(codes: ErrorCode[]): [string, ErrorCode[]][] {
  const groupsOfCodes = new Map<string, ErrorCode[]>()
  for (const code of codes) {
    const status = String(errorCodes[code][0])
    groupsOfCodes.set(status, [...groupsOfCodes.get(status) ?? [], code])
  }
  return [...groupsOfCodes]
}

/** The one error of a path without session, input and limit. Node's HTTP server sends it. */
const withoutInput = { 431: { description: 'The header fields are longer than 16 KiB.' } }

const page = { 'text/html': { schema: { type: 'string' } } }

export const perWindow = ({ max, window }: RateLimit): string =>
  `${max} in ${window === 60 ? 'a minute' : window === 3_600 ? 'an hour' : `${window} seconds`}`

/** The subject of a limit per account. */
export const limitedBy = {
  caller: 'by one account',
  email: 'for one `email`',
  'caller and email': 'by one account to one `email`',
} as const

function limitsOf({ limits: { address, accounts = [] } = {} }: Route): string[] {
  const limits = [
    ...(address === undefined ? [] : [`${perWindow(address)} from one address`]),
    ...accounts.map((rule) => `${perWindow(rule)} ${limitedBy[rule.by]}`),
  ]
  return limits.length === 0 ? [] : [`At most ${limits.join(', ')}.`]
}

/** The redirect of a browser to the app's page. */
const onToApp = {
  303: {
    description:
      'For a browser, if there is an app (`APP_URL`): redirects to the page of this link in the app, with the outcome in the query.',
    headers: {
      ...requestIdHeader,
      Location: { description: 'The page.', schema: { type: 'string', format: 'uri' } },
    },
  },
}

/** Describes the input: the query, the path and the headers of a GET, or a JSON body. */
function inputOf(row: Route): Json {
  const { schema } = jsonSchema(row.input, 'input')
  const { properties = {}, required = [] } = schema
  const example = row.example as Json | undefined
  const headers = Object.entries(row.requestHeaders ?? {})
  if (Object.keys(properties).length === 0) return {}
  if (row.method !== 'GET' && row.isFile !== true) {
    return {
      ...(row.startsSession === undefined
        ? {}
        : { parameters: [reference('parameters', 'SessionTransport')] }),
      requestBody: {
        required: true,
        content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
      },
    }
  }
  return {
    ...(row.isFile === true &&
      {
        requestBody: {
          required: true,
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
      }),
    parameters: [
      ...Object.entries(properties).map(([name, { description, ...property }]) => ({
        name,
        in: row.path.includes(`{${name}}`) ? 'path' : 'query',
        required: required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema: property,
        ...(example?.[name] === undefined ? {} : { example: example[name] }),
      })),
      ...headers.map(([name, description]) => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string' },
      })),
    ],
  }
}

/** Returns a reference for each status of an error, and adds its response to the components. */
const rejectionsOf = (row: Route, components: Description['components']): [string, Json][] =>
  byStatus(errorsOf(row)).map(([status, codes]) => {
    const name = codes.map(pascal).join('Or')
    // a browser receives a page instead
    const response = row.page !== undefined && status === '400' ? `${name}Page` : name
    const described = errorResponse(codes)
    components.responses[response] = response === name
      ? described
      : { ...described, content: { ...described['content'] as Json, ...page } }
    return [status, reference('responses', response)]
  })

function operation(row: Route, tag: string, components: Description['components']): Json {
  const effect = sessionEffectOf(row)
  const { credentials } = policyOf(row)
  const { schema, named } = jsonSchema(row.output, 'output')
  Object.assign(components.schemas, named)
  const rejected = rejectionsOf(row, components)
  const description = [...row.description === undefined ? [] : [row.description], ...limitsOf(row)]
    .join('\n\n')
  return {
    operationId: operationIdOf(row.path, row.method),
    tags: [tag],
    summary: row.summary,
    ...(description === '' ? {} : { description }),
    // for clients that generate requests from this description and keep a token, such as /docs
    ...(effect === undefined ? {} : { 'x-session': effect }),
    security: errorsOf(row).includes('UNAUTHORIZED') ?
      [
        { session: [] },
        { sessionToken: [] },
        ...(credentials.includes('token') ? [{ bearer: [] }] : []),
        ...(credentials.includes('apiKey') ? [{ apiKey: [] }] : []),
      ] :
      [],
    ...inputOf(row),
    responses: {
      200: {
        description: row.output.meta()?.description ?? 'It is done.',
        headers: {
          ...requestIdHeader,
          ...(row.startsSession === undefined
            ? {}
            : {
              'Set-Cookie': reference('headers', 'SessionCookie'),
              'Set-Auth-Token': reference('headers', 'SessionToken'),
            }),
        },
        content: {
          [row.mediaType ?? 'application/json']: { schema },
          ...(row.page === undefined ? {} : page),
        },
      },
      ...(row.mediaType !== 'text/calendar'
        ? {}
        : {
          304: {
            description: 'The client has this version, by `If-None-Match`.',
            headers: requestIdHeader,
          },
        }),
      ...(row.page === undefined ? {} : onToApp),
      ...Object.fromEntries(rejected),
    },
  }
}

/** The page of a mailed link, and the parameter of its query. */
export type PageRoute = { path: string, parameter: string }

/** Describes the page of a mailed link. Its form sends to the route of the same path. */
function pageOperation({ path, parameter: name }: PageRoute): Json {
  return {
    operationId: `${operationIdOf(path)}Page`,
    tags: [pagesTag.name],
    summary: 'Shows the page that a mailed link opens. Opening it changes nothing.',
    security: [],
    parameters: [{
      name,
      in: 'query',
      required: true,
      description: 'The token or the id of the mailed link.',
      schema: { type: 'string' },
    }],
    responses: {
      200: { description: 'The page.', headers: requestIdHeader, content: page },
      ...withoutInput,
    },
  }
}

/** Describes a path that returns a description of the surfaces. */
const documentOperation = (operationId: string, summary: string): Json => ({
  operationId,
  tags: [pagesTag.name],
  summary,
  security: [],
  responses: {
    200: {
      description: 'The description.',
      headers: requestIdHeader,
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    ...withoutInput,
  },
})

const pagesTag = { name: 'Pages', description: 'Pages for browsers, and this document.' }

/**
 * Describes the auth surface, without the headers of both surfaces. With https the cookie's name
 * starts with `__Secure-`.
 */
export function surfaceDescription(groups: RouteGroup[], pages: PageRoute[]): Description {
  const components = surfaceComponents()
  const paths: Record<string, Json> = {}
  const add = (path: string, method: string, described: Json) => {
    paths[`${basePath}${path}`] = { ...paths[`${basePath}${path}`], [method]: described }
  }
  for (const { name, routes: rows } of groups) {
    for (const row of rows)
      add(row.path, row.method.toLowerCase(), operation(row, name, components))
  }
  for (const one of pages) add(one.path, 'get', pageOperation(one))
  add('/openapi.json', 'get', documentOperation('openapi', 'Describes both surfaces.'))
  add(
    '/openapi-whole-rows.json',
    'get',
    documentOperation(
      'openapiWholeRows',
      'Describes requests for JSON with whole rows, for generators of typed clients.',
    ),
  )
  return {
    paths,
    components,
    tags: [...groups.map(({ name, description }) => ({ name, description })), pagesTag],
  }
}
