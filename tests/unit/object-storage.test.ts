/**
 * The object storage of files: its address, and the credentials of the platform.
 * tests/auth/files-s3.test.ts has its requests.
 */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { credentialSource } from '../../common/aws-credentials.ts'
import { objectLocation } from '../../common/object-location.ts'
import { readSettings } from '../../common/settings.ts'
import { policyOfApp } from '../../edge/app-files.ts'

test.each([
  ['s3://receipts?region=eu-central-1', 'https://receipts.s3.eu-central-1.amazonaws.com', ''],
  [
    's3://receipts/of/acme/?region=eu-central-1',
    'https://receipts.s3.eu-central-1.amazonaws.com',
    'of/acme/',
  ],
  [
    's3://receipts.example.org?region=us-east-1',
    'https://s3.us-east-1.amazonaws.com/receipts.example.org',
    '',
  ],
  ['s3://receipts?region=cn-north-1', 'https://receipts.s3.cn-north-1.amazonaws.com.cn', ''],
  [
    's3://receipts?region=garage&endpoint=https://storage.example.org/',
    'https://storage.example.org/receipts',
    '',
  ],
  ['s3://receipts?region=garage&endpoint=http://garage:3900', 'http://garage:3900/receipts', ''],
  [
    's3://receipts?region=garage&endpoint=http://10.0.0.7:3900',
    'http://10.0.0.7:3900/receipts',
    '',
  ],
  [
    's3://receipts?region=garage&endpoint=http://storage.finance.svc',
    'http://storage.finance.svc/receipts',
    '',
  ],
])('%s is the bucket at %s', (setting, url, prefix) => {
  expect(objectLocation(setting)).toMatchObject({ url, prefix })
})

test.each([
  [
    'unencrypted on a public network',
    's3://receipts?region=garage&endpoint=http://storage.example.org',
  ],
  ['unencrypted at a public address', 's3://receipts?region=garage&endpoint=http://192.0.2.7'],
  ['without a region', 's3://receipts'],
  ['with credentials', 's3://key:secret@receipts?region=eu-central-1'],
  ['with an unknown parameter', 's3://receipts?region=eu-central-1&path=x'],
])('a location %s is refused', (_kind, setting) => {
  expect(objectLocation(setting)).toBeUndefined()
})

test('the region and the endpoint of AWS’s own variables count if the setting has none', () => {
  const env = {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_S3: 'http://garage:3900',
    PUBLIC_URL: 'https://money.example.org',
  }
  const at = (setting: string) => readSettings({ ...env, FILES_URL: setting }).FILES_URL
  expect(at('s3://receipts')).toMatchObject({
    region: 'eu-west-1',
    url: 'http://garage:3900/receipts',
  })
  expect(at('s3://receipts?region=eu-central-1&endpoint=https://storage.example.org'))
    .toMatchObject({
      region: 'eu-central-1',
      url: 'https://storage.example.org/receipts',
    })
})

describe('the policy of the reference app', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'finance-policy-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  test.each([
    ["default-src 'self'", "default-src 'self'; connect-src 'self' ORIGIN; img-src 'self' ORIGIN"],
    [
      "default-src 'self'; img-src 'self' blob:; base-uri 'none'",
      "default-src 'self'; img-src 'self' blob: ORIGIN; base-uri 'none'; connect-src 'self' ORIGIN",
    ],
  ])('%s allows reads from the object storage and nothing else', async (policy, expected) => {
    await writeFile(join(folder, '.content-security-policy'), `${policy}\n`)
    expect(
      await policyOfApp(
        folder,
        objectLocation('s3://receipts?region=garage&endpoint=https://storage.example.org'),
      ),
    )
      .toBe(expected.replaceAll('ORIGIN', 'https://storage.example.org'))
    expect(await policyOfApp(folder)).toBe(policy)
  })
})

describe('the credentials of a role', () => {
  let folder: string
  let url: string
  const requests: { url: URL, token: string | undefined }[] = []
  const server = createServer(({ url: path = '', headers: { authorization } }, response) => {
    requests.push({ url: new URL(path, 'http://localhost'), token: authorization })
    const [key, end] = [`AKID${requests.length}`, Math.floor(Date.now() / 1000) + 3600]
    const [AccessKeyId, SecretAccessKey] = [key, 'secret']
    response.setHeader('content-type', 'application/json').end(JSON.stringify(
      path.startsWith('/sts')
        ? {
          AssumeRoleWithWebIdentityResponse: {
            AssumeRoleWithWebIdentityResult: {
              Credentials: {
                AccessKeyId,
                SecretAccessKey,
                SessionToken: 'session',
                Expiration: end,
              },
            },
          },
        }
        : {
          AccessKeyId,
          SecretAccessKey,
          Token: 'session',
          Expiration: new Date(end * 1000).toISOString(),
        },
    ))
  })
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'finance-role-'))
    await writeFile(join(folder, 'token'), 'token-of-the-pod\n')
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  beforeEach(() => {
    requests.length = 0
  })
  afterEach(() => vi.useRealTimers())

  test('the credentials of a role of a container or a pod identity come from the announced address, with the token of the platform', async () => {
    const of = (env: Record<string, string>) =>
      credentialSource(undefined, 'eu-central-1', {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role`,
        ...env,
      })()
    const expected = { secretAccessKey: 'secret', sessionToken: 'session' }
    expect(await of({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'token') }))
      .toMatchObject({ accessKeyId: 'AKID1', ...expected })
    expect(await of({ AWS_CONTAINER_AUTHORIZATION_TOKEN: 'token-of-the-task' })).toMatchObject({
      accessKeyId: 'AKID2',
      ...expected,
    })
    expect(requests.map(({ token }) => token)).toEqual(['token-of-the-pod', 'token-of-the-task'])
  })

  test('the credentials of a role of a service account are those of its role', async () => {
    const env = {
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/receipts',
      AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
      AWS_ENDPOINT_URL_STS: `${url}/sts`,
    }
    expect(await credentialSource(undefined, 'eu-central-1', env)()).toMatchObject({
      accessKeyId: 'AKID1',
      secretAccessKey: 'secret',
      sessionToken: 'session',
    })
    expect(Object.fromEntries(requests[0]!.url.searchParams)).toMatchObject({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: env.AWS_ROLE_ARN,
      WebIdentityToken: 'token-of-the-pod',
    })
  })

  test('the credentials of a role are requested once by requests at the same time, and again shortly before their end', async () => {
    const credentials = credentialSource(undefined, 'eu-central-1', {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role`,
    })
    const keys = async () =>
      (await Promise.all([credentials(), credentials()])).map(({ accessKeyId }) => accessKeyId)
    expect([await keys(), await keys()]).toEqual([['AKID1', 'AKID1'], ['AKID1', 'AKID1']])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 56 * 60_000 })
    expect(await keys()).toEqual(['AKID2', 'AKID2'])
  })
})
