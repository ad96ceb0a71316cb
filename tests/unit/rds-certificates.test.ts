/** infra/aws/rds.pem: what the images verify RDS with. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { expect, test } from 'vitest'

test("each certificate is RDS's own authority of the region it is named for, and good for longer than this software", async () => {
  const pem = await readFile(new URL('../../infra/aws/rds.pem', import.meta.url), 'utf8')
  const named = [...pem.matchAll(/^(Amazon RDS .*)\n(-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----)$/gm)]
  expect(named.length).toBeGreaterThan(20)
  expect(named).toHaveLength(pem.split('BEGIN CERTIFICATE').length - 1)
  for (const [, name, text = ''] of named) {
    const certificate = new X509Certificate(text)
    expect(certificate.subject).toContain('O=Amazon Web Services')
    expect(certificate.subject).toContain(`CN=${name}`)
    expect(name).toMatch(/^Amazon RDS [a-z]+-[a-z]+-\d Root CA RSA2048 G1$/)
    expect(certificate.ca && certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.validToDate.getUTCFullYear()).toBeGreaterThan(2060)
  }
  // the names between them disturb nobody
  createSecureContext({ ca: pem })
})
