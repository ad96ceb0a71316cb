/** A receiver of webhooks in tests.. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type ReceivedMessage = { id: string, headers: Record<string, string>, text: string, body: any }

export type WebhookSink = AsyncDisposable & {
  url: string
  /** The status of the next responses, or a handler of them. */
  answer: (
    message: ReceivedMessage,
  ) => { status: number, headers?: Record<string, string>, body?: string } | 'hang'
  messages: ReceivedMessage[]
  /** The most requests that waited for a response at the same time. */
  mostOpen: () => number
  /** The changes of all messages. */
  changes: () => {
    table: string
    organization_id: string | null
    actions: string[]
    ids: string[] | null
    change_id: string | null
  }[]
}

export async function webhookSink(): Promise<WebhookSink> {
  let [open, mostOpen] = [0, 0]
  const server = createServer((request, response) => {
    open += 1
    mostOpen = Math.max(mostOpen, open)
    response.once('close', () => {
      open -= 1
    })
    const receive = async () => {
      const content = await text(request)
      const message = {
        id: String(request.headers['webhook-id']),
        headers: request.headers as Record<string, string>,
        text: content,
        body: JSON.parse(content),
      }
      sink.messages.push(message)
      const answer = sink.answer(message)
      if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end(answer.body)
    }
    void receive()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sink: WebhookSink = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=s3cret-query`,
    answer: () => ({ status: 204 }),
    messages: [],
    mostOpen: () => mostOpen,
    changes: () => sink.messages.flatMap(({ body }) => body.data.changes ?? []),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
  return sink
}
