/** Replaces start/postgrest.ts in `npm run test:containers`: PostgREST as a container. */
import { join } from 'node:path'
import { GenericContainer, Wait } from 'testcontainers'
import type { PostgrestOptions } from '../../start/postgrest.ts'
import { postgrestTag } from '../support/postgrest-tag.ts'

/** The host name of the database on the containers' network. */
export const databaseAlias = 'database'

const root = join(import.meta.dirname, '../..')

/** Starts PostgREST on a port and waits until it responds. */
export async function startPostgrest(
  { port, env, config = join(root, 'postgrest.conf'), log }: PostgrestOptions,
): Promise<{ stop: () => Promise<void> }> {
  const network = process.env['TEST_NETWORK']
  if (network === undefined)
    throw new Error('TEST_NETWORK is not set: tests/containers/global.ts did not run.')
  const container = await new GenericContainer(`postgrest/postgrest:${postgrestTag}`)
    .withNetworkMode(network)
    .withEnvironment({
      ...env,
      PGHOST: databaseAlias,
      PGPORT: '5432',
      PGRST_SERVER_HOST: '!4',
      PGRST_SERVER_PORT: '3000',
    })
    .withCopyFilesToContainer([{ source: config, target: '/etc/postgrest.conf' }])
    .withCommand(['/bin/postgrest', '/etc/postgrest.conf'])
    .withExposedPorts({ container: 3000, host: port })
    .withLogConsumer((stream) => stream.on('data', (line: string) => log(line)))
    .withWaitStrategy(Wait.forHttp('/', 3000).forStatusCodeMatching((status) => status < 500))
    .start()
  return {
    stop: async () => {
      await container.stop({ timeout: 1000 })
    },
  }
}
