/**
 * Starts PostgreSQL as a container for the whole run. Everything else is the same as in `npm test`.
 */
import { PostgreSqlContainer } from '@testcontainers/postgresql'
import { Network } from 'testcontainers'
import type { TestProject } from 'vitest/node'
import { databaseAlias } from './postgrest.ts'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const network = await new Network().start()
  const server = await new PostgreSqlContainer(`postgres:${process.env['POSTGRES_TAG'] ?? '18'}`)
    .withNetwork(network).withNetworkAliases(databaseAlias)
    .withUsername('postgres').withPassword('owner-of-the-tests').withDatabase('postgres')
    .withCommand([
      'postgres',
      '-c',
      'fsync=off',
      '-c',
      'synchronous_commit=off',
      '-c',
      'full_page_writes=off',
      '-c',
      'max_connections=400',
    ])
    .start()
  const stopServer = async () => {
    await server.stop()
    await network.stop()
  }
  try {
    process.env['TEST_SERVER_URL'] = server.getConnectionUri()
    process.env['TEST_NETWORK'] = network.getName()
    // The module reads the environment when it is loaded, so it is loaded only now.
    const { default: setupDatabase } = await import('../support/global.ts')
    const stopDatabase = await setupDatabase(project)
    return async () => {
      await stopDatabase()
      await stopServer()
    }
  } catch (error) {
    await stopServer()
    throw error
  }
}
