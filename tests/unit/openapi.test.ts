import { expect, onTestFinished, test } from 'vitest'
import { errorsOf } from '../../http/description.ts'
import { routes } from '../../auth/rooms.ts'
import { describeSurface } from '../../auth/description.ts'
import { openApiDocument } from '../../http/openapi/openapi.ts'
import { withWholeRows } from '../../http/openapi/whole-rows.ts'
import { ownedDatabase } from '../support/database.ts'

const described = describeSurface()

async function document(publicUrl: string) {
  const { db, stop } = await ownedDatabase()
  onTestFinished(stop)
  return openApiDocument(db, publicUrl, describeSurface())
}

test('the OpenAPI document describes the auth surface from its rows', async () => {
  const { paths, components } = await document('http://localhost:3000')
  expect(
    Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith('/api/auth/'))),
  ).toEqual(described.paths)
  expect(components).toMatchObject(described.components)
})

test.each(routes.map((row) => [row.method, row.path, row] as const))(
  'the description of the auth surface has an example for %s %s that its input schema accepts',
  (_, __, row) => {
    expect(row.input.safeParse(row.example ?? {}).error).toBeUndefined()
  },
)

test('the description of the auth surface has one name per operation', () => {
  const names = Object.values(described.paths).flatMap((path) =>
    Object.values(path).map((operation) => (operation as { operationId: string }).operationId)
  )
  expect(names).toEqual([...new Set(names)])
  expect(names).toEqual(
    expect.arrayContaining([
      'signUp',
      'signIn',
      'getSession',
      'token',
      'verifyEmail',
      'organizationCreate',
      'organizationSetActive',
    ]),
  )
})

test('the description of the auth surface derives the errors of a route from its policy and its input', () => {
  const refusals = (path: string) =>
    errorsOf(routes.find((row) => row.path === path) ?? expect.unreachable())
  expect(refusals('/jwks')).toEqual(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_BUSY'])
  expect(refusals('/organization/get')).toEqual([
    'VALIDATION_ERROR',
    'UNAUTHORIZED',
    'FORBIDDEN',
    'NOT_FOUND',
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_ERROR',
    'SERVICE_BUSY',
  ])
  expect(refusals('/sign-up/email')).toEqual(
    expect.arrayContaining([
      'INVALID_EMAIL',
      'INVALID_PASSWORD',
      'USER_EXISTS',
      'FORBIDDEN',
      'SERVICE_BUSY',
    ]),
  )
})

test('a deployment’s document has the addresses of both surfaces and the name of its cookie', async () => {
  const at = async (publicUrl: string) => {
    const { servers, paths, components } = await document(publicUrl)
    return [
      servers[0]?.url,
      paths['/transactions']?.['servers'],
      components.securitySchemes['session']?.['name'],
    ]
  }
  const data = (url: string) => [expect.objectContaining({ url })]
  expect(await at('https://money.example.org')).toEqual([
    'https://money.example.org',
    data('https://money.example.org/data'),
    '__Secure-better-auth.session_token',
  ])
  expect(await at('http://localhost:3000')).toEqual([
    'http://localhost:3000',
    data('http://localhost:3000/data'),
    'better-auth.session_token',
  ])
})

test('the document of whole rows has one form for each response, and only references that it contains', async () => {
  const whole = await document('http://localhost:3000')
  const narrowed = withWholeRows(whole)
  const { parameters: { select }, schemas } = narrowed.components
  expect(Object.keys(narrowed.paths)).toEqual(Object.keys(whole.paths))
  expect(narrowed.paths['/transactions']).toMatchObject({
    get: {
      responses: {
        200: {
          content: {
            'application/json': {
              schema: { type: 'array', items: { $ref: '#/components/schemas/transactions' } },
            },
          },
        },
      },
    },
  })
  expect(select?.['schema']).toEqual({ type: 'string', pattern: String.raw`^\*(,|$)` })
  const text = JSON.stringify(narrowed)
  const forms: string[][] = []
  JSON.parse(text, (key, value) => {
    if (key === 'content') forms.push(Object.keys(value))
    return value
  })
  expect(forms.filter(({ length }) => length !== 1)).toEqual([])
  const referenced = new Set(
    Array.from(text.matchAll(/#\/components\/schemas\/(\w+)"/g), ([, name]) => name),
  )
  expect([...referenced].filter((name) => name === undefined || !(name in schemas))).toEqual([])
})
