/**
 * Credentials for AWS: fixed keys of the settings, or temporary ones of a role. The platform
 * announces a role with the variables of AWS's own clients: ECS and EKS Pod Identity by an address,
 * and the service account of an EKS pod by a file with a token.
 */
import { readFile } from 'node:fs/promises'
import { configError } from './errors.ts'
import { outboundFetch } from './outbound.ts'

export type Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

type Temporary = Credentials & { expiresAt: number }
type Environment = Record<string, string | undefined>

/**
 * Credentials are replaced this long before their end, in milliseconds, so that an address they
 * sign is never cut short.
 */
const renewBeforeMs = 5 * 60_000

/** The address at which ECS serves the credentials of a task. */
const ecsOrigin = 'http://169.254.170.2'

async function readJson(url: string, headers: Record<string, string>): Promise<unknown> {
  const response = await outboundFetch(url, { headers: { accept: 'application/json', ...headers } })
  if (!response.ok)
    throw new Error(`the credentials of the role were refused with status ${response.status}`)
  return response.json()
}

async function ofContainer(env: Environment): Promise<Temporary> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: url } =
    env
  const tokenFile = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']
  // the platform replaces the file, so each request reads it
  const token = tokenFile === undefined
    ? env['AWS_CONTAINER_AUTHORIZATION_TOKEN']
    : (await readFile(tokenFile, 'utf8')).trim()
  const found = await readJson(
    path === undefined ? url ?? '' : ecsOrigin + path,
    token === undefined ? {} : { authorization: token },
  ) as {
    AccessKeyId: string
    SecretAccessKey: string
    Token: string
    Expiration: string
  }
  return {
    accessKeyId: found.AccessKeyId,
    secretAccessKey: found.SecretAccessKey,
    sessionToken: found.Token,
    expiresAt: Date.parse(found.Expiration),
  }
}

async function ofServiceAccount(
  env: Environment,
  tokenFile: string,
  role: string,
  region: string,
): Promise<Temporary> {
  const url = new URL(
    env['AWS_ENDPOINT_URL_STS'] ??
      `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`,
  )
  url.search = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env['AWS_ROLE_SESSION_NAME'] ?? 'finance',
    WebIdentityToken: (await readFile(tokenFile, 'utf8')).trim(),
  }).toString()
  const {
    AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: { Credentials: found } },
  } = await readJson(url.href, {}) as {
    AssumeRoleWithWebIdentityResponse: {
      AssumeRoleWithWebIdentityResult: {
        Credentials: {
          AccessKeyId: string
          SecretAccessKey: string
          SessionToken: string
          Expiration: number
        }
      }
    }
  }
  return {
    accessKeyId: found.AccessKeyId,
    secretAccessKey: found.SecretAccessKey,
    sessionToken: found.SessionToken,
    expiresAt: found.Expiration * 1000,
  }
}

/**
 * Returns a function that repeats a request shortly before its result expires. Calls at the same
 * time share one request.
 */
function renewed(request: () => Promise<Temporary>): () => Promise<Credentials> {
  let current: Temporary | undefined
  let running: Promise<Temporary> | undefined
  return async () => {
    if (current !== undefined && current.expiresAt - Date.now() > renewBeforeMs) return current
    running ??= request().finally(() => {
      running = undefined
    })
    current = await running
    return current
  }
}

/**
 * Returns the source of the credentials.
 * @param fixed keys of the settings; undefined for a role
 * @param env the variables of the platform
 * @throws ConfigError if there are neither keys nor a role
 */
export function credentialSource(
  fixed: Credentials | undefined,
  region: string,
  env: Environment,
): () => Promise<Credentials> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: role } = env
  if (fixed !== undefined) return () => Promise.resolve(fixed)
  if (tokenFile !== undefined && role !== undefined)
    return renewed(() => ofServiceAccount(env, tokenFile, role, region))
  if (
    env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] === undefined &&
    env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] === undefined
  )
    throw configError(
      'FILES_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role of an ECS task or of an EKS pod.',
    )
  return renewed(() => ofContainer(env))
}
