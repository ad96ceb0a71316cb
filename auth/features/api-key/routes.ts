/** The routes of API keys. A user's programs get tokens with them. */
import { respondWith, route } from '../../route.ts'
import { done, exampleId, needsConfirmation, nothing, unconfirmed } from '../fields.ts'
import { createApiKey, input, listApiKeys, output, revokeApiKey } from './api-keys.ts'

export const apiKeyRoutes = [
  route('POST', '/api-key/create', {
    summary: 'Makes a key with which a program of who is signed in gets tokens, and shows it this once.',
    description:
      'Its tokens reach the rows of one context: the personal ones, or those of the team that is named. The role is no higher than one’s own; with `viewer` nothing can be changed. ' +
      'It ends by its date, by `/api-key/revoke`, when its person leaves the team or is less in it than the key, with a reset of the password and with a stopped change of the address.',
    input: input.create,
    example: { name: 'Monthly report', expiresInDays: 90, password: 'correct horse' },
    refuses: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'FORBIDDEN', 'API_KEY_LIMIT_REACHED'],
    namesOrganization: true,
    ...needsConfirmation,
    output: output.created,
    handle: createApiKey,
  }),
  route('GET', '/api-key/list', {
    summary: 'Lists the keys of who is signed in, those of all contexts.',
    input: nothing,
    output: output.list,
    handle: listApiKeys,
  }),
  route('POST', '/api-key/revoke', {
    summary: 'Ends a key of who is signed in, and its tokens with it.',
    input: input.revoke,
    example: { keyId: exampleId },
    refuses: ['NOT_FOUND'],
    output: done,
    handle: respondWith({ success: true }, revokeApiKey),
  }),
]
