/** Where mail goes in tests: a provider that speaks Resend's API, and an SMTP server, both able to misbehave. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A mail as the provider took it. `key` is its Idempotency-Key; `arrivedAt` is in milliseconds since the epoch. */
export type ReceivedMail = {
  to: string
  from: string
  subject: string
  text: string
  html: string
  key: string | undefined
  arrivedAt: number
}

/**
 * `ok` accepts; `down` answers 500; `hang` takes the request and never answers; `refuse` closes the port; `reject`
 * answers 422, as Resend does to a mail that it finds wrong; `busy` answers 429; `encoded` says that its answer is Brotli.
 */
export type SinkMode = 'ok' | 'down' | 'hang' | 'refuse' | 'reject' | 'busy' | 'encoded'

export type MailSink = {
  /** What RESEND_BASE_URL has to be. */
  url: string
  mode: SinkMode
  /** Every mail accepted, each idempotency key once, as Resend delivers them. */
  mails(): ReceivedMail[]
  /** Requests so far in any mode. */
  requests(): number
  /** Connections open at this moment. */
  openConnections(): number
  /** The first mail to this address that satisfies the predicate. @throws after `timeoutMs`, naming what did arrive. */
  waitFor(to: string, predicate?: (mail: ReceivedMail) => boolean, timeoutMs?: number): Promise<ReceivedMail>
  close(): Promise<void>
}

/** Every link of a mail, in order. */
export const linksIn = (mail: { text: string }): string[] => mail.text.match(/https?:\/\/\S+/g) ?? []

/** The link of a mail that does what it was sent for: its only one, but for the second of a verification mail. @throws when there are others. */
export function linkIn(mail: { text: string }): string {
  const links = linksIn(mail)
  const [link] = links
  if (link === undefined || links.slice(1).some((other) => !other.includes('/disown-account?'))) throw new Error(`expected one link, found ${links.length}`)
  return link
}

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  return (server.address() as AddressInfo).port
}

/** The open sockets of a server, so that a test can count them and end them. */
function socketsOf(server: Server): Set<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  return sockets
}

/** Starts a provider with Resend's `POST /emails`. */
export async function mailSink(): Promise<MailSink> {
  let mode: SinkMode = 'ok'
  let requests = 0
  const accepted: ReceivedMail[] = []
  const bodies = new Map<string, string>()

  const answer = (response: ServerResponse, statusCode: number, body: Record<string, unknown>) => {
    response.writeHead(statusCode, { 'content-type': 'application/json' })
    response.end(JSON.stringify(statusCode === 200 ? body : { statusCode, ...body }))
  }

  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    requests += 1
    const body = await readText(request)
    if (mode === 'hang') return
    if (mode === 'down') return answer(response, 500, { name: 'internal_server_error', message: 'An unexpected error occurred.' })
    if (mode === 'encoded') response.setHeader('content-encoding', 'br')
    if (mode === 'busy') return answer(response, 429, { name: 'rate_limit_exceeded', message: 'Too many requests.' })
    if (mode === 'reject') return answer(response, 422, { name: 'validation_error', message: `Invalid \`to\` field: ${body}` })
    if (request.method !== 'POST' || request.url !== '/emails') return answer(response, 404, { name: 'not_found', message: 'Not found.' })
    const key = request.headers['idempotency-key']?.toString()
    const earlier = key === undefined ? undefined : bodies.get(key)
    if (earlier !== undefined && earlier !== body) return answer(response, 409, { name: 'invalid_idempotent_request', message: 'Another payload.' })
    if (earlier === undefined) {
      if (key !== undefined) bodies.set(key, body)
      const { to, ...mail } = JSON.parse(body) as { to: string | string[], from: string, subject: string, text: string, html: string }
      accepted.push({ ...mail, to: [to].flat().join(', '), key, arrivedAt: Date.now() })
    }
    answer(response, 200, { id: key ?? String(requests) })
  }

  const server = createHttpServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  })
  const sockets = socketsOf(server)
  const port = await listen(server)

  const endConnections = () => sockets.forEach((socket) => socket.destroy())

  return {
    url: `http://127.0.0.1:${port}`,
    get mode() {
      return mode
    },
    set mode(next) {
      if (next === 'refuse') {
        server.close()
        endConnections()
      } else if (mode === 'refuse') {
        server.listen(port, '127.0.0.1')
      } // what hung keeps hanging: a provider that recovers has forgotten those requests
      mode = next
    },
    mails: () => [...accepted],
    requests: () => requests,
    openConnections: () => sockets.size,
    async waitFor(to, predicate = () => true, timeoutMs = 10_000) {
      const deadline = Date.now() + timeoutMs
      for (;;) {
        const mail = accepted.find((candidate) => candidate.to === to && predicate(candidate))
        if (mail !== undefined) return mail
        if (Date.now() > deadline) {
          const others = accepted.map((other) => `${other.to}: ${other.subject}`).join('; ')
          throw new Error(`no such mail to ${to} within ${timeoutMs} ms; there are: ${others || 'none'}`)
        }
        await sleep(20)
      }
    },
    async close() {
      endConnections()
      if (server.listening)
        await new Promise((resolve) => {
          server.close(resolve)
        })
    },
  }
}

/** A mail as SMTP carries it: `data` holds the headers and the encoded bodies. */
type SmtpMail = { from: string, to: string[], data: string }

export type SmtpSink = {
  /** What SMTP_URL has to be. */
  url: string
  /** `mute` never greets; `no-such-user` answers 550 to the recipient; `later` answers 451; `hang` never answers DATA's end. */
  mode: 'ok' | 'mute' | 'no-such-user' | 'later' | 'hang'
  mails: SmtpMail[]
  openConnections(): number
  close(): Promise<void>
}

/** Starts an SMTP server that knows just enough for one mail a connection. */
export async function smtpSink(): Promise<SmtpSink> {
  const server = createServer()
  const sockets = socketsOf(server)
  const sink: SmtpSink = {
    url: '',
    mode: 'ok',
    mails: [],
    openConnections: () => sockets.size,
    async close() {
      sockets.forEach((socket) => socket.destroy())
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }

  server.on('connection', (socket) => {
    let mail: SmtpMail = { from: '', to: [], data: '' }
    let buffer = ''
    let inData = false
    const say = (line: string) => socket.write(`${line}\r\n`)

    const command = (line: string) => {
      const address = /<(.*?)>/.exec(line)?.[1] ?? ''
      switch (line.slice(0, 4).toUpperCase()) {
        case 'EHLO':
          return say('250 sink')
        case 'MAIL':
          mail = { from: address, to: [], data: '' }
          return say('250 ok')
        case 'RCPT':
          if (sink.mode === 'no-such-user') return say(`550 5.1.1 <${address}>: no such user`)
          if (sink.mode === 'later') return say('451 4.7.1 greylisted, try again later')
          mail.to.push(address)
          return say('250 ok')
        case 'DATA':
          inData = true
          return say('354 go on')
        case 'QUIT':
          say('221 bye')
          return socket.end()
        default:
          return say('502 unknown')
      }
    }

    const dataLine = (line: string) => {
      if (line !== '.') {
        mail.data += `${line.replace(/^\./, '')}\r\n`
        return
      }
      inData = false
      if (sink.mode === 'hang') return
      sink.mails.push(mail)
      say('250 queued')
    }

    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      buffer += chunk
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        if (inData) dataLine(line)
        else command(line)
      }
    })
    if (sink.mode !== 'mute') say('220 sink')
  })

  sink.url = `smtp://127.0.0.1:${await listen(server)}`
  return sink
}
