/** postgrest.conf is the one home of how PostgREST runs. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

test('it is ASCII: some builds of PostgREST refuse to start on any other character', async () => {
  expect((await read('postgrest.conf')).match(/[^\t\n -~]/g)).toBeNull()
})

test('PostgREST on AWS, which has no file, is told what stands in it, and nothing of it is written twice', async () => {
  const [conf, main, services, plan] = [
    await read('postgrest.conf'),
    await read('infra/aws/main.tf'),
    await read('infra/aws/services.tf'),
    await read('tests/aws/plan.tftest.hcl'),
  ]
  const settings = Object.fromEntries(
    [...conf.matchAll(/^([a-z-]+) = "?(.*?)"?$/gm)].map(([, name = '', value = '']) => [`PGRST_${name.toUpperCase().replaceAll('-', '_')}`, value]),
  )
  expect(Object.keys(settings).length).toBeGreaterThan(10)
  // every line that sets something has the form that Terraform reads
  expect(conf.split('\n').filter((line) => /^[^#\s]/.test(line))).toHaveLength(Object.keys(settings).length)
  expect(main).toContain('file("${path.module}/../../postgrest.conf")')
  const own = [...services.matchAll(/^\s+(PGRST_\w+)\s+=/gm)].map(([, name]) => name ?? '').filter((name) => name in settings)
  expect(new Set(own)).toEqual(new Set(['PGRST_DB_POOL', 'PGRST_JWT_CACHE_MAX_ENTRIES']))
  for (const [, name = '', value] of plan.matchAll(/(PGRST_\w+)\s+= "([^"]*)"/g)) expect({ [name]: value }).toEqual({ [name]: settings[name] })
})
