/** The routes of webhooks. */
import { perMinute } from '../../http/policy.ts'
import { respondWith, route } from '../../http/route.ts'
import { done, exampleId, needsConfirmation, nothing, unconfirmed } from '../../http/fields.ts'
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  input,
  listWebhooks,
  output,
  rotateWebhookSecret,
  testWebhook,
} from './handlers.ts'

export const webhookRoutes = [
  route('POST', '/webhook/create', {
    summary:
      'Creates a webhook: an address that receives a signed message when rows change. Its secret is returned only once.',
    description:
      'It receives the changes of one context: of the personal rows, or of the given team, of which the user must be owner or admin. A message names tables and ids and holds no values. ' +
      'It ends by `/webhook/delete`, when the user leaves the team or is no longer owner or admin, by a password reset, and by a stopped change of the address.',
    input: input.create,
    example: {
      name: 'Spreadsheet',
      url: 'https://example.com/hooks',
      tables: ['transactions'],
      password: 'correct horse',
    },
    rejects: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'FORBIDDEN', 'WEBHOOK_LIMIT_REACHED'],
    namesOrganization: true,
    ...needsConfirmation,
    // looks the host up
    isAtomic: false,
    output: output.created,
    handle: createWebhook,
  }),
  route('GET', '/webhook/list', {
    summary:
      'Lists the webhooks of the signed-in user, of all contexts, with the outcome of their last messages.',
    input: nothing,
    output: output.list,
    handle: listWebhooks,
  }),
  route('POST', '/webhook/test', {
    summary: 'Sends a message of the type `ping` to a webhook, and returns the outcome.',
    input: input.one,
    example: { webhookId: exampleId },
    rejects: ['NOT_FOUND'],
    limits: { address: perMinute(20), accounts: [{ by: 'caller', ...perMinute(10) }] },
    // waits for the receiver
    isAtomic: false,
    output: output.tested,
    handle: testWebhook,
  }),
  route('POST', '/webhook/enable', {
    summary:
      'Turns a webhook on again. Its next message is `rows.reset`. A webhook that is on stays as it is.',
    input: input.one,
    example: { webhookId: exampleId },
    rejects: ['NOT_FOUND'],
    limits: { address: perMinute(20), accounts: [{ by: 'caller', ...perMinute(10) }] },
    output: output.one,
    handle: enableWebhook,
  }),
  route('POST', '/webhook/rotate-secret', {
    summary:
      'Replaces the secret of a webhook. For a day its messages also have a signature of the former one.',
    input: input.confirmed,
    example: { webhookId: exampleId, password: 'correct horse' },
    rejects: [...unconfirmed, 'NOT_FOUND'],
    ...needsConfirmation,
    output: output.rotated,
    handle: rotateWebhookSecret,
  }),
  route('POST', '/webhook/delete', {
    summary: 'Deletes a webhook, and its messages that are not delivered yet.',
    input: input.one,
    example: { webhookId: exampleId },
    rejects: ['NOT_FOUND'],
    output: done,
    handle: respondWith({ success: true }, deleteWebhook),
  }),
]
