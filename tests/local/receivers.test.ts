/** The servers that may receive webhooks with `npm start`: others than those of the internet if only this machine reaches the service. */
import { expect, test } from 'vitest'
import { localReceivers, publicReceivers } from '../../auth/webhooks/sender.ts'
import { readSettings } from '../../common/settings.ts'
import { receiversOf } from '../../infra/local/dev-server.ts'

test('a developer on localhost can send webhooks to a program of the same machine', () => {
  expect(receiversOf(readSettings({}))).toBe(localReceivers)
})

test.each([
  ['in production', { NODE_ENV: 'production' }],
  ['at a public address', { PUBLIC_URL: 'https://money.example.org' }],
  ['if other machines reach the port', { HOST: '0.0.0.0' }],
])('%s webhooks reach only the public internet', (_, settings) => {
  expect(receiversOf(readSettings(settings))).toBe(publicReceivers)
})
