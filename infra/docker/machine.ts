/**
 * The container `machine`: serves the free space of each volume, and the lifetime of Caddy's
 * certificate, to Prometheus on port 9102.
 */
import { readdir, stat, statfs } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expositionOf, serveMetrics, type Gauge } from './serve-metrics.ts'

const timeoutMs = 3_000

/**
 * Returns the sizes of each volume below a folder, and of Docker's own disk, where images,
 * containers and logs are.
 */
export async function disksOf(folder: string, docker: string): Promise<Gauge[]> {
  const paths = [
    ...(await readdir(folder)).toSorted().map((name) => [name, join(folder, name)] as const),
    ['docker', docker] as const,
  ]
  const found = await Promise.all(paths.map(async ([volume, path]) => {
    const { bsize, blocks, bavail } = await statfs(path)
    const labels = `{volume="${volume}"}`
    return [
      {
        name: 'finance_disk_free_bytes',
        help: 'The free space of a volume.',
        labels,
        value: bavail * bsize,
      },
      {
        name: 'finance_disk_size_bytes',
        help: 'The size of the disk of a volume.',
        labels,
        value: blocks * bsize,
      },
    ]
  }))
  const reserve = await stat(join(folder, 'database/reserve')).then(({ size }) => size, () => 0)
  return [...found.flat(), {
    name: 'finance_disk_reserve_bytes',
    help: 'The reserve beside the database; 0 if it was given up.',
    value: reserve,
  }]
}

/**
 * Returns the dates of a server's certificate in milliseconds, also of a certificate that no known
 * authority has signed. @returns undefined if it has none
 */
export const certificateOf = (
  server: { host: string, port: number },
  name: string,
): Promise<{ from: number, to: number } | undefined> =>
  new Promise((resolve) => {
    const socket = connect({
      ...server,
      ...(isIP(name) === 0 && { servername: name }),
      rejectUnauthorized: false,
      timeout: timeoutMs,
    }, () => {
      const { valid_from: from, valid_to: to } = socket.getPeerCertificate()
      socket.destroy()
      resolve({ from: Date.parse(from), to: Date.parse(to) })
    })
    const fail = () => {
      socket.destroy()
      resolve(undefined)
    }
    socket.on('error', fail).on('timeout', fail)
  })

/**
 * Returns the metrics of a certificate. Its remaining share does not depend on its lifetime, which
 * is hours, days or months.
 */
export function certificateGauges(
  certificate: { from: number, to: number } | undefined,
  now: number,
): Gauge[] {
  const share = certificate === undefined
    ? 0
    : Math.max(0, (certificate.to - now) / (certificate.to - certificate.from))
  return [
    {
      name: 'finance_certificate_remaining_ratio',
      help: 'The share of the lifetime that is left; 0 without a certificate.',
      value: share,
    },
    {
      name: 'finance_certificate_expires_timestamp_seconds',
      help: 'When the certificate expires; 0 without one.',
      value: (certificate?.to ?? 0) / 1_000,
    },
  ]
}

if (import.meta.main) {
  const host = (process.env['SITE_HOST'] ?? '').replace(/^\[|\]$/g, '')
  const metrics = async () =>
    expositionOf([
      ...await disksOf('/volumes', '/'),
      ...certificateGauges(await certificateOf({ host: 'caddy', port: 443 }, host), Date.now()),
    ])
  serveMetrics(
    9102,
    metrics,
    ({ code, message }) => console.error(`The volumes could not be measured: ${code ?? message}`),
  )
}
