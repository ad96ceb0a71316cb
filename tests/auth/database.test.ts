/** The auth service’s connections when the database refuses the password. */
import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { connect } from '../../auth/database.ts'
import { connection, execute } from '../support/database.ts'

test('After a change of the database password, the log has one line that tells the operator to restart', async () => {
  const serverUrl = inject('serverUrl')
  const role = `login_${randomBytes(6).toString('hex')}`
  await execute(serverUrl, `create role ${role} login password 'before'`)
  const reported: string[] = []
  const { pool, pools, close } = connect(connection(serverUrl, { user: role, password: 'before' }), ({ message }) => reported.push(message))
  const client = await pool.connect()
  await execute(serverUrl, `alter role ${role} password 'after'`)
  for (const refusing of [pool, pools.engine, pool]) await expect(refusing.query('select 1')).rejects.toMatchObject({ code: '28P01' })
  expect(reported).toEqual(['AUTH_DATABASE_URL: the database refuses the password of auth_service. Restart this service after a change of the password.'])
  client.release()
  await close()
  await execute(serverUrl, `drop role ${role}`)
})
