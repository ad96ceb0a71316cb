/** Runs at `npm start` in place of `auth/main.ts`: the same service, with the edge around it and the mailbox in front. */
import { main } from '../../auth/main.ts'
import { localEdge } from '../../edge/local.ts'
import { additions, front } from './front.ts'
import { mailbox } from './mailbox.ts'
import { localUrl } from './ready.ts'

main((settings) => {
  const mails = mailbox(settings)
  const postgrestUrl = localUrl(settings.HOST, settings.DATA_PORT)
  return {
    around: (service, witnesses) => front(localEdge(service, witnesses, { ...settings, postgrestUrl }), mails),
    additions: additions(settings, mails),
    ...(mails !== undefined && { onUnsentMail: mails.keep }),
  }
})
