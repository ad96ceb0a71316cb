import { expect, test } from 'vitest'
import { connect } from '../../http/database.ts'
import {
  connectionProblem,
  connectionsPerAuth,
  settingsProblem,
} from '../../start/connection-limits.ts'
import { readSettings } from '../../common/settings.ts'

const services = (auth: string, postgrest: string, pool = 12) => {
  const { AUTH_REPLICAS, POSTGREST_REPLICAS } = readSettings({
    AUTH_REPLICAS: auth,
    POSTGREST_REPLICAS: postgrest,
  })
  if (AUTH_REPLICAS === undefined || POSTGREST_REPLICAS === undefined)
    throw new Error('neither was read')
  return { auth: AUTH_REPLICAS, postgrest: POSTGREST_REPLICAS, realtime: undefined, pool }
}
const stock = { max: 100, reserved: 3 }

test('the number of connections of all processes is the sum of the pools’ maxima', async () => {
  const { pools, close } = connect('postgresql://nowhere', () => undefined)
  expect(pools.auth.options.max + pools.engine.options.max).toBe(connectionsPerAuth)
  await close()
})

test.each(['1/1', '2/2', '1/5'])(
  'the number of connections of all processes fits into PostgreSQL’s default: %s',
  (both) => {
    const [auth = '', postgrest = ''] = both.split('/')
    expect(connectionProblem(services(auth, postgrest), stock)).toBeUndefined()
  },
)

test('the number of connections of all processes above the maximum is refused in one sentence with both numbers', () => {
  expect(connectionProblem(services('3', '3'), stock)).toEqual({
    isFatal: true,
    text:
      '3 auth services and 3 PostgREST hold up to 99 connections, and PostgreSQL has 97 for them (max_connections 100, 3 of them reserved): raise max_connections, or lower AUTH_REPLICAS, POSTGREST_REPLICAS or PGRST_DB_POOL.',
  })
  expect(connectionProblem(services('1', '1', 80), stock)).toMatchObject({ isFatal: true })
})

test('the number of connections of all processes that fits only without more processes causes a warning', () => {
  expect(connectionProblem(services('2-6', '2-6'), stock)).toMatchObject({
    isFatal: false,
    text: expect.stringContaining('6 auth services and 6 PostgREST hold up to 198 connections'),
  })
  expect(connectionProblem(services('2-6', '2-6'), { max: 300, reserved: 3 })).toBeUndefined()
})

test('the number of connections of all processes has those of realtime, whose setting the sentence names', () => {
  const problem = (REALTIME_REPLICAS: string) =>
    settingsProblem(
      readSettings({ AUTH_REPLICAS: '2', POSTGREST_REPLICAS: '2', REALTIME_REPLICAS }),
      stock,
    )
  expect(problem('0')).toBeUndefined()
  expect(problem('1')).toBeUndefined()
  expect(problem('2')).toEqual({
    isFatal: true,
    text:
      '2 auth services, 2 realtime and 2 PostgREST hold up to 106 connections, and PostgreSQL has 97 for them (max_connections 100, 3 of them reserved): raise max_connections, or lower AUTH_REPLICAS, POSTGREST_REPLICAS, REALTIME_REPLICAS or PGRST_DB_POOL.',
  })
  expect(problem('1-2')).toMatchObject({
    isFatal: false,
    text: expect.stringContaining(
      'lower the most of AUTH_REPLICAS, POSTGREST_REPLICAS, REALTIME_REPLICAS or PGRST_DB_POOL.',
    ),
  })
  expect(() => problem('0-2')).toThrow('REALTIME_REPLICAS must be 0, a number such as 2, or')
})

test('the number of connections of all processes cannot be computed from an invalid number', () => {
  expect(() => services('two', '2')).toThrow(
    'AUTH_REPLICAS must be a number such as 2, or the fewest and the most such as 2-6.',
  )
  expect(() => services('2', '9-2')).toThrow(
    'POSTGREST_REPLICAS must have the fewest first, as in 2-6.',
  )
})
