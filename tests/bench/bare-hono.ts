/**
 * The baseline for auth.ts: a server on bare Hono with the same responses and no middleware. GET
 * /session runs one query; POST /token runs one query and signs with jose. The environment sets
 * DATABASE_URL and PORT.
 */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { generateKeyPair, SignJWT } from 'jose'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const { privateKey } = await generateKeyPair('RS256')
const app = new Hono()

const sessionOf = async (cookie: string | undefined) => {
  const token = /session_token=([^.;]+)/.exec(cookie ?? '')?.[1]
  const { rows } = await pool.query<{ id: string, user_id: string, email: string }>(
    'select s.*, u.email, u.name from auth.sessions s join auth.users u on u.id = s.user_id where s.token = $1 and s.expires_at > now()',
    [token],
  )
  return rows[0]
}

app.get('/session', async (context) => {
  const session = await sessionOf(context.req.header('cookie'))
  return session === undefined ? context.json({}, 401) : context.json(session)
})
app.post('/token', async (context) => {
  const session = await sessionOf(context.req.header('cookie'))
  if (session === undefined) return context.json({}, 401)
  const token = await new SignJWT({ email: session.email, sid: session.id }).setSubject(
    session.user_id,
  )
    .setProtectedHeader({ alg: 'RS256' }).setIssuedAt().setExpirationTime('1h').sign(privateKey)
  return context.json({ token })
})

serve({ fetch: app.fetch, port: Number(process.env['PORT']), hostname: '127.0.0.1' })
