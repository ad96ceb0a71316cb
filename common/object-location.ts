/** The setting FILES_URL: the bucket of an object storage that speaks the protocol of Amazon S3. */
import ipaddr from 'ipaddr.js'

export type ObjectLocation = {
  bucket: string
  /** The beginning of every key; empty, or with a slash at its end. */
  prefix: string
  region: string
  /** The address of the bucket, without a slash at its end. Browsers use it too. */
  url: string
}

/** The format of the setting, for messages. */
export const locationForm =
  's3://bucket/optional-prefix?region=eu-central-1, for other storages than Amazon S3 with &endpoint=https://storage.example.org'

/**
 * Whether a host is on this machine or in a private network. A name without a dot is that of a
 * container.
 */
function isPrivate(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address))
    return ['private', 'loopback', 'uniqueLocal', 'carrierGradeNat'].includes(
      ipaddr.parse(address).range(),
    )
  return !hostname.includes('.') || /\.(?:internal|local|localhost|svc)$/.test(hostname)
}

const isEndpoint = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, origin, username } = new URL(text)
  // on a public network unencrypted files could be read
  const isSafe = protocol === 'https:' || protocol === 'http:' && isPrivate(hostname)
  return isSafe && username === '' && text.replace(/\/$/, '') === origin
}

/**
 * Adds the region and the endpoint of the variables that AWS's own clients read, if the setting has
 * none.
 */
export function completeLocation(text: string, env: Record<string, string | undefined>): string {
  if (!URL.canParse(text)) return text
  const { searchParams } = new URL(text)
  const defaults = {
    region: env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'],
    endpoint: env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'],
  }
  const added = Object.entries(defaults).filter(([name, value]) =>
    (value ?? '') !== '' && !searchParams.has(name)
  ).map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
  return added.length === 0 ? text : `${text}${text.includes('?') ? '&' : '?'}${added.join('&')}`
}

/**
 * Returns the location; undefined if the text does not have its format. It contains no credentials.
 */
export function objectLocation(text: string): ObjectLocation | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname: bucket, username, port, pathname, searchParams, hash } = new URL(text)
  const prefix = pathname.replace(/^\/|\/$/g, '')
  const [region, endpoint] = [searchParams.get('region') ?? '', searchParams.get('endpoint')]
  const isFit = protocol === 's3:' && username === '' && port === '' && hash === '' &&
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && /^[a-z0-9-]+$/.test(region) &&
    /^[\w./-]*$/.test(prefix) &&
    [...searchParams.keys()].every((name) => name === 'region' || name === 'endpoint') &&
    (endpoint === null || isEndpoint(endpoint))
  if (!isFit) return undefined
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  return {
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    // the certificate of Amazon S3 does not cover a name with further dots
    url: endpoint !== null ? `${new URL(endpoint).origin}/${bucket}` : bucket.includes('.')
      ? `https://s3.${region}.${domain}/${bucket}`
      : `https://${bucket}.s3.${region}.${domain}`,
  }
}
