/** Programs that generators of other kinds write from the OpenAPI document parse. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { descriptionFile, tool } from './tools.ts'

let directory: string
let description: any
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'finance-description-'))
  ;({ description } = await descriptionFile(directory))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test.each([
  ['oazapfts', 'oazapfts/dist/cli.js', []],
  ['openapi-zod-client', 'openapi-zod-client/bin.js', ['--output']],
])('%s writes a program that parses', async (name, program, options) => {
  const written = join(directory, `${name}.ts`)
  await promisify(execFile)(process.execPath, [
    tool(program),
    join(directory, 'openapi.json'),
    ...options,
    written,
  ], { cwd: directory })
  const code = await readFile(written, 'utf8')
  expect(code).toContain('/rpc/create_transfer')
  expect(() => stripTypeScriptTypes(code, { mode: 'transform' })).not.toThrow()
})

test('a response has an exact status, and no enumeration has null among its values', () => {
  const statuses = Object.values<any>(description.paths).flatMap((path) =>
    Object.values<any>(path).flatMap(({ responses = {} }) => Object.keys(responses))
  )
  expect(statuses.length).toBeGreaterThan(500)
  expect(statuses.filter((status) => !/^[1-5]\d\d$/.test(status))).toEqual([])
  const enumerations: unknown[] = []
  JSON.stringify(description, (name, value: unknown) => {
    if (name === 'enum') enumerations.push(value)
    return value
  })
  expect(enumerations.length).toBeGreaterThan(50)
  expect(enumerations.filter((values) => Array.isArray(values) && values.includes(null))).toEqual(
    [],
  )
})
