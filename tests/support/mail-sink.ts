/**
 * Mail servers of the tests: one with Resend's API and one with SMTP. Both can simulate failures.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A mail that the provider accepted. `key` is its Idempotency-Key; `arrivedAt` is in milliseconds
 * since the epoch.
 */
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
 * The provider's behaviour:
 * - `ok` accepts the mail.
 * - `down` responds 500, `busy` responds 429.
 * - `reject` responds 422, as Resend does for an invalid mail.
 * - `hang` never responds, `refuse` closes the port.
 * - `encoded` declares a Brotli body.
 */
export type SinkMode = 'ok' | 'down' | 'hang' | 'refuse' | 'reject' | 'busy' | 'encoded'

export type MailSink = {
  /** The value of RESEND_BASE_URL. */
  url: string
  mode: SinkMode
  /** Returns the accepted mails, one per idempotency key, like Resend. */
  mails(): ReceivedMail[]
  /** Returns the number of requests in all modes. */
  requests(): number
  /** Returns the number of open connections. */
  openConnections(): number
  /**
   * Returns the first mail to this address that satisfies the predicate. @throws after `timeoutMs`,
   * with the list of mails that arrived
   */
  waitFor(
    to: string,
    predicate?: (mail: ReceivedMail) => boolean,
    timeoutMs?: number,
  ): Promise<ReceivedMail>
  close(): Promise<void>
}

/** Returns the links of a mail, in order. */
export const linksIn = (mail: { text: string }): string[] =>
  mail.text.match(/https?:\/\/\S+/g) ?? []

/**
 * Returns the main link of a mail. Ignores the second link of a verification mail. @throws if there
 * are other links
 */
export function linkIn(mail: { text: string }): string {
  const links = linksIn(mail)
  const [link] = links
  if (link === undefined || links.slice(1).some((other) => !other.includes('/disown-account?')))
    throw new Error(`expected one link, found ${links.length}`)
  return link
}

async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return (server.address() as AddressInfo).port
}

/** Tracks the open sockets of a server, so that a test can count and destroy them. */
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
    if (mode === 'down')
      return answer(response, 500, {
        name: 'internal_server_error',
        message: 'An unexpected error occurred.',
      })
    if (mode === 'encoded') response.setHeader('content-encoding', 'br')
    if (mode === 'busy')
      return answer(response, 429, { name: 'rate_limit_exceeded', message: 'Too many requests.' })
    if (mode === 'reject')
      return answer(response, 422, {
        name: 'validation_error',
        message: `Invalid \`to\` field: ${body}`,
      })
    if (request.method !== 'POST' || request.url !== '/emails')
      return answer(response, 404, { name: 'not_found', message: 'Not found.' })
    const key = request.headers['idempotency-key']?.toString()
    const earlier = key === undefined ? undefined : bodies.get(key)
    if (earlier !== undefined && earlier !== body)
      return answer(response, 409, {
        name: 'invalid_idempotent_request',
        message: 'Another payload.',
      })
    if (earlier === undefined) {
      if (key !== undefined) bodies.set(key, body)
      const { to, ...mail } = JSON.parse(body) as {
        to: string | string[]
        from: string
        subject: string
        text: string
        html: string
      }
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
      } // Hanging requests stay without a response: a provider forgets them when it recovers.
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
          throw new Error(
            `no such mail to ${to} within ${timeoutMs} ms; there are: ${others || 'none'}`,
          )
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

/** A mail received by SMTP. `data` holds the headers and the encoded bodies. */
type SmtpMail = { from: string, to: string[], data: string }

export type SmtpSink = {
  /** The value of SMTP_URL. */
  url: string
  /**
   * `mute` sends no greeting; `wrong-login` refuses every login, and repeats it after a control of
   * the terminal; `no-such-user` responds 550 to RCPT; `later` responds 451; `hang` does not
   * respond to the end of DATA.
   */
  mode: 'ok' | 'mute' | 'wrong-login' | 'no-such-user' | 'later' | 'hang'
  mails: SmtpMail[]
  openConnections(): number
  close(): Promise<void>
}

/**
 * Starts an SMTP server that accepts one mail per connection. @param host its address, such as one
 * that containers reach
 */
export async function smtpSink(host = '127.0.0.1'): Promise<SmtpSink> {
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
          return say('250-sink\r\n250 AUTH PLAIN')
        case 'AUTH':
          return say(
            sink.mode === 'wrong-login' ? `535 5.7.8 not accepted: \x1b[2J${line}` : '235 accepted',
          )
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
      say('250 \x1bqueued')
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

  sink.url = `smtp://${host}:${await listen(server, 0, host)}`
  return sink
}
