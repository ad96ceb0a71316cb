/**
 * What private.pre_request() costs a data request: two PostgREST on one database, one without it, asked in turn in one
 * run. Prints medians, their difference and its share. `npm run bench`
 */
import { mkdtemp, rm, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import pg from 'pg'
import { migrate } from '../db/migrate.ts'
import { postgrestConnection } from '../infra/local/environment.ts'
import { freePort } from '../infra/local/ports.ts'
import { startPostgres } from '../infra/local/postgres.ts'
import { startPostgrest } from '../infra/local/postgrest.ts'

const rounds = 2_000
const publicUrl = 'http://localhost:3000'

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** One person with a hundred transactions and a session among ten thousand others', and a token for it. */
async function prepare(url: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    insert into auth.users (id, name, email) select 'user-' || i, '', 'user-' || i || '@example.org' from generate_series(1, 10000) i;
    insert into auth.sessions (id, token, user_id, expires_at) select 'session-' || i, 'token-' || i, 'user-' || i, now() + interval '1 day' from generate_series(1, 10000) i;
    insert into api.transactions (user_id, organization_id, name, amount) select 'user-1', null, 'row ' || i, i from generate_series(1, 100) i;
    analyze`)
  await client.query(`insert into auth.jwks (id, public_key, private_key, signs_from) values ('bench', $1, 'sealed', now())`, [JSON.stringify(await exportJWK(publicKey))])
  await client.end()
  return new SignJWT({ user_id: 'user-1', email: 'user-1@example.org', role: 'authenticated', sid: 'session-1', claims: {} })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' }).setSubject('user-1').setAudience(publicUrl).setIssuer(publicUrl)
    .setIssuedAt().setExpirationTime('1h').sign(privateKey)
}

const directory = await mkdtemp(join(tmpdir(), 'finance-bench-'))
await chmod(directory, 0o755)
const server = await startPostgres({ directory, password: 'owner-of-the-bench' })
try {
  await migrate({ databaseUrl: server.url, publicUrl, authServicePassword: 'auth-service', authenticatorPassword: 'authenticator' })
  const token = await prepare(server.url)
  const env = postgrestConnection(server.url, 'authenticator')
  const start = async (change: Record<string, string>) => {
    const port = await freePort()
    const child = await startPostgrest({ host: '127.0.0.1', port, env: { ...env, ...change }, log: console.error })
    return { url: `http://127.0.0.1:${port}/transactions?limit=20`, child }
  }
  // uid() is as good a function as any that does nothing
  const [checked, unchecked] = [await start({}), await start({ PGRST_DB_PRE_REQUEST: 'public.uid' })]
  const ask = async ({ url }: { url: string }) => {
    const started = performance.now()
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    await response.text()
    if (response.status !== 200) throw new Error(`unexpected ${response.status}`)
    return performance.now() - started
  }
  for (let i = 0; i < 200; i++) await Promise.all([ask(checked), ask(unchecked)])
  const times = { checked: [] as number[], unchecked: [] as number[] }
  for (let i = 0; i < rounds; i++) {
    // each pair in the other order, so that neither side profits from coming second
    if (i % 2 === 0) times.checked.push(await ask(checked))
    times.unchecked.push(await ask(unchecked))
    if (i % 2 === 1) times.checked.push(await ask(checked))
  }
  const [withIt, without] = [median(times.checked), median(times.unchecked)]
  console.log(`${rounds} pairs: ${withIt.toFixed(2)} ms with private.pre_request(), ${without.toFixed(2)} ms with a function that does nothing`)
  console.log(`difference ${((withIt - without) * 1000).toFixed(0)} µs, ${((withIt - without) / withIt * 100).toFixed(1)} % of the request`)
  await Promise.all([checked.child.stop(), unchecked.child.stop()])
} finally {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
}
