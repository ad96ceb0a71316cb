/** The routes of API keys. A user's programs get tokens with them. */
import { respondWith, route } from '../../../http/route.ts'
import { done, exampleId, needsConfirmation, nothing, unconfirmed } from '../../../http/fields.ts'
import { createApiKey, input, listApiKeys, output, revokeApiKey } from './api-keys.ts'

export const apiKeyRoutes = [
  route('POST', '/api-key/create', {
    summary:
      'Creates a key with which a program of the signed-in user gets tokens. The key is returned only once.',
    description:
      'Its tokens reach the rows of one context: the personal rows, or those of the given team. The role is at most that of the user; `viewer` is read-only. ' +
      'It ends at its date, by `/api-key/revoke`, when the user leaves the team or has a lower role than the key, by a password reset, and by a stopped change of the address.',
    input: input.create,
    example: { name: 'Monthly report', expiresInDays: 90, password: 'correct horse' },
    rejects: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'FORBIDDEN', 'API_KEY_LIMIT_REACHED'],
    namesOrganization: true,
    ...needsConfirmation,
    output: output.created,
    handle: createApiKey,
  }),
  route('GET', '/api-key/list', {
    summary: 'Lists the keys of the signed-in user, of all contexts.',
    input: nothing,
    output: output.list,
    handle: listApiKeys,
  }),
  route('POST', '/api-key/revoke', {
    summary: 'Revokes a key of the signed-in user, and its tokens.',
    input: input.revoke,
    example: { keyId: exampleId },
    rejects: ['NOT_FOUND'],
    output: done,
    handle: respondWith({ success: true }, revokeApiKey),
  }),
]
