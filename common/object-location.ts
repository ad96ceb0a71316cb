/** The setting FILES_URL: the bucket of an object storage that speaks the protocol of Amazon S3. */

export type ObjectLocation = {
  bucket: string
  /** The beginning of every key; empty, or with a slash at its end. */
  prefix: string
  region: string
  /** The address of the bucket, without a slash at its end. Browsers use it too. */
  url: string
}

/** The format of the setting, for messages. */
export const locationForm = 's3://bucket/optional-prefix?region=eu-central-1, for other storages than Amazon S3 with &endpoint=https://storage.example.org'

const isEndpoint = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, origin, username } = new URL(text)
  // unencrypted files could be read on their way
  const isSafe = protocol === 'https:' || protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  return isSafe && username === '' && text.replace(/\/$/, '') === origin
}

/** Returns the location; undefined if the text does not have its format. It contains no credentials. */
export function objectLocation(text: string): ObjectLocation | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname: bucket, username, port, pathname, searchParams, hash } = new URL(text)
  const prefix = pathname.replace(/^\/|\/$/g, '')
  const [region, endpoint] = [searchParams.get('region') ?? '', searchParams.get('endpoint')]
  const isFit = protocol === 's3:' && username === '' && port === '' && hash === '' &&
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && /^[a-z0-9-]+$/.test(region) && /^[\w./-]*$/.test(prefix) &&
    [...searchParams.keys()].every((name) => name === 'region' || name === 'endpoint') && (endpoint === null || isEndpoint(endpoint))
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
