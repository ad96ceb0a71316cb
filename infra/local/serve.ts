/** What `npm start` runs in place of `auth/main.ts`: the same service, with the edge around it. */
import { main } from '../../auth/main.ts'
import { edge } from './edge.ts'
import { localUrl } from './ready.ts'

main((auth, settings, witnesses) =>
  edge(auth, {
    url: localUrl(settings.HOST, settings.DATA_PORT),
    bodyLimit: settings.DATA_BODY_LIMIT,
    trustedProxies: settings.TRUSTED_PROXIES,
  }, witnesses)
)
