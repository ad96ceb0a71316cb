/** What `npm start` runs in place of `auth/main.ts`: the same service, with the edge around it, and what only this machine has. */
import { main } from '../../auth/main.ts'
import { appFiles } from '../../edge/app-files.ts'
import { edge } from '../../edge/edge.ts'
import { additions, front } from './front.ts'
import { mailbox } from './mailbox.ts'
import { localUrl } from './ready.ts'

main((settings) => {
  const mails = mailbox(settings)
  const data = {
    url: localUrl(settings.HOST, settings.DATA_PORT),
    bodyLimit: settings.DATA_BODY_LIMIT,
    trustedProxies: settings.TRUSTED_PROXIES,
  }
  const app = settings.APP_DIR === undefined ? undefined : appFiles(settings.APP_DIR, settings.APP_CSP)
  return {
    around: (auth, witnesses) => front(edge(auth, data, witnesses, app), mails),
    additions: additions(settings, mails),
    ...(mails !== undefined && { onUnsentMail: mails.keep }),
  }
})
