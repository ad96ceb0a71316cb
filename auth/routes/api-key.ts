/** Keys for a person's programs. Source: design "Where the interface is silent". */
import { confirmed, unconfirmed } from './confirmed.ts'
import { engineReplies } from './engine-replies.ts'
import { apiKey, newApiKey } from './presenters.ts'
import { route } from './route.ts'
import { exampleId, schemas } from './schemas.ts'
import { wire } from './wire.ts'

export const apiKeyRoutes = [
  route({
    method: 'POST',
    path: '/api-key/create',
    summary: 'Makes a key with which a program of who is signed in gets tokens, and shows it this once.',
    description:
      'Its tokens reach the rows of one context: the personal ones, or those of the team that is named. The role is no higher than one’s own; with `viewer` nothing can be changed. ' +
      'It ends by its date, by `/api-key/revoke`, when its person leaves the team or is less in it than the key, with a reset of the password and with a stopped change of the address.',
    input: schemas.createApiKey,
    example: { name: 'Monthly report', expiresInDays: 90, password: 'correct horse' },
    refuses: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'FORBIDDEN', 'API_KEY_LIMIT_REACHED'],
    reply: engineReplies.newApiKey,
    engine: { method: 'POST', path: '/api-key/create' },
    namesOrganization: true,
    ...confirmed,
    answer: wire.newApiKey,
    present: newApiKey,
  }),
  route({
    method: 'GET',
    path: '/api-key/list',
    summary: 'Lists the keys of who is signed in, those of all contexts.',
    input: schemas.nothing,
    reply: engineReplies.apiKeys,
    engine: { method: 'GET', path: '/api-key/list' },
    answer: wire.apiKeys,
    present: (reply) => reply.map(apiKey),
  }),
  route({
    method: 'POST',
    path: '/api-key/revoke',
    summary: 'Ends a key of who is signed in, and its tokens with it.',
    input: schemas.apiKey,
    example: { keyId: exampleId },
    refuses: ['NOT_FOUND'],
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/api-key/revoke' },
    answer: wire.done,
    present: () => ({ success: true }),
  }),
]
