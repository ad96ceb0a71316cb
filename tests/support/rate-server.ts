/** A server that publishes exchange rates in the format of the European Central Bank. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Rates = Record<string, Record<string, string | number>>

/** Returns the file of the bank with these rates of one euro, by day and currency. */
export const rateFile = (rates: Rates): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
${
    Object.entries(rates).map(([day, of]) =>
      `\t\t<Cube time='${day}'>\n${
        Object.entries(of).map(([currency, rate]) =>
          `\t\t\t<Cube currency='${currency}' rate='${rate}'/>`
        ).join('\n')
      }\n\t\t</Cube>`
    ).join('\n')
  }
\t</Cube>
</gesmes:Envelope>
`

export type RateServer = AsyncDisposable & {
  /** The value of EXCHANGE_RATES_URL. */
  url: string
  /** The next responses: a file, or a function that writes the response. */
  content: string | ((response: ServerResponse) => void)
  requests: () => number
}

/** Starts the server. It publishes `content`. */
export async function rateServer(content: RateServer['content']): Promise<RateServer> {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    if (typeof started.content === 'string')
      response.setHeader('content-type', 'text/xml').end(started.content)
    else started.content(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const started: RateServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/eurofxref-hist-90d.xml`,
    content,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
  return started
}
