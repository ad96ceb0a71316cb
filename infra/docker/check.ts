/**
 * A part of `infra/docker/check`, in a container with the network. Reads the facts of the machine
 * from standard input and checks them. Then tries the mail login, and looks up the name of the
 * address. Prints one sentence for each problem and exits with 1, or with 2 if there are only
 * doubts.
 */
import { lookup } from 'node:dns/promises'
import { buffer } from 'node:stream/consumers'
import ipaddr from 'ipaddr.js'
import { isDeliveryFailure } from '../../auth/mail/failures.ts'
import { checkSmtpLogin } from '../../auth/mail/transports.ts'
import { checkDeployment, type Config, type Facts, type Verdict } from './deployment-checks.ts'
import { readLines } from './env-checks.ts'

/** Reads pairs of a name and a text, each ended by a zero byte. */
function parts(input: string): Map<string, string> {
  const fields = input.split('\0')
  return new Map(
    Array.from(
      { length: Math.floor(fields.length / 2) },
      (_, index) => [fields[2 * index] ?? '', fields[2 * index + 1] ?? ''],
    ),
  )
}

const rows = (text = ''): string[][] =>
  text.split('\n').filter((line) => line !== '').map((line) => line.split('\t'))

/**
 * Reads an address in the format of /proc/net/tcp: hexadecimal, in words of four bytes with the
 * lowest first.
 */
function socketAddress(hexadecimal: string): string {
  const bytes =
    hexadecimal.match(/.{8}/g)?.flatMap((word) =>
      word.match(/../g)?.toReversed().map((byte) => Number.parseInt(byte, 16)) ?? []
    ) ?? []
  return bytes.length === 0 ? '' : ipaddr.process(ipaddr.fromByteArray(bytes).toString()).toString()
}

function factsOf(input: Map<string, string>): Facts {
  const [major, max, reserved] = (rows(input.get('database'))[0] ?? []).map(Number)
  return {
    database: major === undefined || max === undefined || reserved === undefined
      ? undefined
      : { major, max, reserved },
    env: input.get('env') ?? '',
    composeFiles: input.get('compose') ?? '',
    config: JSON.parse(input.get('config') ?? '{}') as Config,
    secrets: Object.fromEntries(
      [...input].filter(([name]) => name.startsWith('secret ')).map((
        [name, text],
      ) => [name.slice(7), text.replace(/\r?\n$/, '')]),
    ),
    listening: rows(input.get('listening')).map(([socket = '']) => {
      const [address = '', port = ''] = socket.split(':')
      return { address: socketAddress(address), port: Number.parseInt(port, 16) }
    }),
    containers: rows(input.get('containers')).map(([project = '', name = '', ports = '']) => ({
      project,
      name,
      ports,
    })),
    networks: rows(input.get('networks')).map(([project = '', name = '', subnets = '']) => ({
      project,
      name,
      subnets: subnets.trim().split(' '),
    })),
    memory: Number(input.get('memory') ?? 0),
    isPrivate: input.get('private') === 'yes\n',
    certificate: input.get('certificate') ?? '',
  }
}

async function checkName(env: string, ownAddresses: string[]): Promise<string[]> {
  const url = readLines(env).lines.find(({ name }) => name === 'PUBLIC_URL')?.value ?? ''
  const host = URL.canParse(url) ? new URL(url).hostname : 'localhost'
  if (host.endsWith('localhost') || host.startsWith('[') || ipaddr.isValid(host)) return []
  const found = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) =>
    error.code ?? 'unknown'
  )
  if (found === 'ENOTFOUND')
    return [
      `The name ${host} has no address: make a DNS record for it, or correct it with infra/docker/setup.`,
    ]
  if (typeof found === 'string')
    return [
      `The name ${host} could not be looked up from here (${found}): check the name server of this machine.`,
    ]
  const theirs = found.filter(({ family }) => family === 4).map(({ address }) => address)
  const isPublic = (address: string) => ipaddr.parse(address).range() === 'unicast'
  const ours = ownAddresses.filter((address) => ipaddr.isValid(address) && isPublic(address))
  if (
    theirs.length === 0 || ours.length === 0 ||
    theirs.some((address) => ownAddresses.includes(address))
  ) return []
  return [
    `The name ${host} leads to ${theirs.join(', ')}, and this machine has ${
      ours.join(', ')
    }: correct the DNS record, unless a proxy forwards to this machine.`,
  ]
}

async function checkMail(smtpUrl: string | undefined): Promise<Verdict> {
  if (smtpUrl === undefined || !URL.canParse(smtpUrl)) return { problems: [], doubts: [] }
  try {
    await checkSmtpLogin(smtpUrl)
    return { problems: [], doubts: [] }
  } catch (error) {
    if (!isDeliveryFailure(error)) throw error
    if (error.reason === 'refused')
      return {
        problems: [
          `SMTP_URL: the mail server refuses the login (${error.answer}): correct user and password.`,
        ],
        doubts: [],
      }
    if (/ENOTFOUND|EBADNAME/.test(error.answer ?? ''))
      return {
        problems: [`SMTP_URL: the mail server has no address (${error.answer}): correct its name.`],
        doubts: [],
      }
    return {
      problems: [],
      doubts: [
        `SMTP_URL: the mail server cannot be reached (${error.answer}): correct host and port, or wait until it is back.`,
      ],
    }
  }
}

const input = parts((await buffer(process.stdin)).toString('utf8'))
const facts = factsOf(input)
const local = checkDeployment(facts, Date.now())
const isOffline = process.argv.includes('--local')
const mail = isOffline
  ? { problems: [], doubts: [] }
  : await checkMail(
    facts.config.services['auth']?.environment?.['RESEND_API_KEY_FILE']
      ? undefined
      : facts.secrets['SMTP_URL'],
  )
const name = isOffline || facts.isPrivate
  ? []
  : await checkName(facts.env, (input.get('addresses') ?? '').split('\n'))
const problems = [...local.problems, ...mail.problems]
const doubts = [...local.doubts, ...mail.doubts, ...name]
for (const sentence of [...problems, ...doubts]) console.log(sentence)
process.exitCode = problems.length > 0 ? 1 : doubts.length > 0 ? 2 : 0
