/** postgrest.conf is the only place for PostgREST's settings. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the file is ASCII, because some builds of PostgREST refuse other characters', async () => {
  expect((await read('postgrest.conf')).match(/[^\t\n -~]/g)).toBeNull()
})

test('PostgREST on AWS, which has no file, gets all its settings, and no value is written twice', async () => {
  const [conf, main, services, plan] = [
    await read('postgrest.conf'),
    await read('infra/aws/main.tf'),
    await read('infra/aws/services.tf'),
    await read('tests/aws/plan.tftest.hcl'),
  ]
  const settings = Object.fromEntries(
    [...conf.matchAll(/^([a-z-]+) = "?(.*?)"?$/gm)].map((
      [, name = '', value = ''],
    ) => [`PGRST_${name.toUpperCase().replaceAll('-', '_')}`, value]),
  )
  expect(Object.keys(settings).length).toBeGreaterThan(10)
  // Every line with a setting has the format that Terraform parses.
  expect(conf.split('\n').filter((line) => /^[^#\s]/.test(line))).toHaveLength(
    Object.keys(settings).length,
  )
  expect(main).toContain('file("${path.module}/../../postgrest.conf")')
  const overridden = [...services.matchAll(/^\s+(PGRST_\w+)\s+=/gm)].map(([, name]) => name ?? '')
    .filter((name) => name in settings)
  expect(new Set(overridden)).toEqual(new Set(['PGRST_DB_POOL', 'PGRST_JWT_CACHE_MAX_ENTRIES']))
  for (const [, name = '', value] of plan.matchAll(/(PGRST_\w+)\s+= "([^"]*)"/g))
    expect({ [name]: value }).toEqual({ [name]: settings[name] })
})
