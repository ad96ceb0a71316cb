import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { codeOfDatabase, errorResponse, unexpectedErrorResponse } from '../../http/errors.ts'
import { codeOfEngine } from '../../auth/errors.ts'
import { errorCodes } from '../../common/error-codes.ts'
import { fieldsOfCode } from '../../client/errors.ts'
import { surfaceFiles } from '../../auth/description.ts'

test('the files of routes and errors are up to date with `npm run schema`', async () => {
  for (const [file, text] of Object.entries(surfaceFiles()))
    expect(await readFile(new URL(`../../${file}`, import.meta.url), 'utf8'), file).toBe(text)
})

test('the client lists fields only for codes of the auth surface', () => {
  expect(Object.keys(errorCodes)).toEqual(expect.arrayContaining(Object.keys(fieldsOfCode)))
})

describe('the error codes', () => {
  // The interface's table, and the codes that the design adds.
  test.each(
    [
      [400, 'INVALID_EMAIL'],
      [401, 'INVALID_CREDENTIALS'],
      [409, 'USER_EXISTS'],
      [429, 'RATE_LIMIT_EXCEEDED'],
      [401, 'UNAUTHORIZED'],
      [403, 'FORBIDDEN'],
      [403, 'EMAIL_NOT_VERIFIED'],
      [403, 'SUBSCRIPTION_REQUIRED'],
      [403, 'ORGANIZATION_LIMIT_REACHED'],
      [403, 'MEMBERSHIP_LIMIT_REACHED'],
      [404, 'NOT_FOUND'],
      [409, 'SLUG_TAKEN'],
      [400, 'INVALID_TOKEN'],
      [400, 'VALIDATION_ERROR'],
      [400, 'INVALID_PASSWORD'],
      [500, 'INTERNAL_ERROR'],
    ] as const,
  )('%i %s', (status, code) => {
    expect(errorCodes[code][0]).toBe(status)
  })
})

test('Retry-After is in whole seconds, at least one', async () => {
  const response = errorResponse('RATE_LIMIT_EXCEEDED', undefined, 0.2)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(await response.json()).toEqual({
    error: 'RATE_LIMIT_EXCEEDED',
    message: errorCodes.RATE_LIMIT_EXCEEDED[1],
  })
})

test('an error of better-auth without a code of ours gets a code by its status', () => {
  expect(
    [400, 401, 403, 404, 418, 422, 429, 500, 502].map((status) =>
      codeOfEngine(status, 'SOMETHING_NEW')
    ),
  ).toEqual(
    [
      'VALIDATION_ERROR',
      'UNAUTHORIZED',
      'FORBIDDEN',
      'NOT_FOUND',
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      'RATE_LIMIT_EXCEEDED',
      'INTERNAL_ERROR',
      'INTERNAL_ERROR',
    ],
  )
  expect(codeOfEngine(400, 'constructor')).toBe('VALIDATION_ERROR')
})

test('a database error becomes a response only if our SQL raised it', () => {
  expect(codeOfDatabase({ code: 'P0001', message: 'ORGANIZATION_LIMIT_REACHED' })).toBe(
    'ORGANIZATION_LIMIT_REACHED',
  )
  expect(codeOfDatabase({ code: 'P0001', message: 'something else' })).toBeUndefined()
  expect(codeOfDatabase({ code: '23505', constraint: 'organizations_slug_unique' })).toBe(
    'SLUG_TAKEN',
  )
  expect(codeOfDatabase({ code: '23505', constraint: 'sessions_token_unique' })).toBeUndefined()
  expect(codeOfDatabase({ code: '23503', constraint: 'sessions_user_id_fkey' })).toBe(
    'UNAUTHORIZED',
  )
  expect(codeOfDatabase({ code: '23503', constraint: 'members_organization_id_fkey' }))
    .toBeUndefined()
  expect(codeOfDatabase(undefined)).toBeUndefined()
})

describe('an unexpected error', () => {
  test.each([
    ['a full disk', { code: '53100' }],
    ['no free connection', { code: '53300' }],
    ['a lock that another request holds', { code: '55P03' }],
    ['a database that is starting', { code: '57P03' }],
    ['a database that is down', { code: 'ECONNREFUSED' }],
    ['a lost connection', { message: 'Connection terminated unexpectedly' }],
  ])('an unexpected error of %s is 503, and says when to try again', (_, fields) => {
    const { status, headers } = unexpectedErrorResponse(
      Object.assign(new Error('a failed query'), fields),
    )
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  })

  test.each([
    [Object.assign(new Error('a failed query'), { code: '42P01' })],
    [new TypeError('a mistake')],
    ['a text'],
    [undefined],
  ])(
    'such as %s is 500',
    (error) => {
      expect(unexpectedErrorResponse(error).status).toBe(500)
    },
  )
})
