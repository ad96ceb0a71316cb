/**
 * The process that `npm start` runs instead of `auth/main.ts`: the auth service, the edge and the
 * mailbox on one port.
 */
import { main } from '../auth/main.ts'
import { localEdge } from '../edge/local.ts'
import { additions, receiversOf, withMailbox } from './dev-server.ts'
import { mailbox } from './mailbox.ts'
import { localUrl } from './wait-for-server.ts'

main((settings) => {
  const mails = mailbox(settings)
  const postgrestUrl = localUrl(settings.HOST, settings.DATA_PORT)
  return {
    wrapListener: (service, observers) =>
      withMailbox(localEdge(service, observers, { ...settings, postgrestUrl }), mails),
    additions: additions(settings, mails),
    receivers: receiversOf(settings),
    ...(mails !== undefined && { onUnsentMail: mails.add }),
  }
})
