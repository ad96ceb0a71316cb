/** The components of the auth surface in OpenAPI, before those of its routes are added. No I/O. */
import { errorCodes } from '../common/error-codes.ts'
import type { Description, Json } from './openapi/json-schema.ts'

/**
 * Returns the credentials. They are new objects, because a deployment with https renames the cookie
 * in its document.
 */
const securitySchemes = (): Record<string, Json> => ({
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'better-auth.session_token',
    description: 'The cookie that sign-up and sign-in set.',
  },
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'For native apps: the token of the header `set-auth-token`, instead of the cookie.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'fin_…',
    description: 'A key of a program, from `POST /api/auth/api-key/create`.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token that `POST /api/auth/token` issues, valid for an hour.',
  },
})

/** Returns new components: the error, the headers and the credentials. */
export const surfaceComponents = (): Description['components'] => ({
  schemas: {
    AuthError: {
      type: 'object',
      description: 'An error of the auth surface.',
      required: ['error', 'message'],
      properties: {
        error: {
          type: 'string',
          enum: Object.keys(errorCodes),
          description: 'The code on which a program branches.',
        },
        message: {
          type: 'string',
          description:
            'A sentence for the user or the log. It may be more specific than the examples.',
        },
      },
    },
  },
  responses: {},
  parameters: {
    SessionTransport: {
      name: 'X-Session-Transport',
      in: 'header',
      required: false,
      description:
        'For native apps: `token` returns the token of the session in the header `set-auth-token`, and sets no cookie. A web page is refused.',
      schema: { type: 'string', enum: ['token'] },
    },
  },
  headers: {
    SessionCookie: { description: 'The cookie of the session.', schema: { type: 'string' } },
    SessionToken: {
      description:
        'The token of the session, instead of the cookie, if the request has `X-Session-Transport: token`.',
      schema: { type: 'string' },
    },
  },
  securitySchemes: securitySchemes(),
})
