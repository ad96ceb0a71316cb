/**
 * Requests for an estimate are refused wherever PostgREST would return one. Also the pieces of the
 * database that refuse them.
 */
import type pg from 'pg'
import { estimating, json, prefer, describePreference, twoFields } from './questions.ts'
import type { Answer, Request } from './sender.ts'
import { uuid } from './strangers.ts'
import type { Twins } from './twins.ts'
import { weakenings, type Weakening } from './weakenings.ts'

const nobody = uuid(0)

type Wish = { what: string, isSigned: boolean, request: Request }
/**
 * Every method of every table and function with each spelling. Two fields are accepted only for
 * reading a table.
 */
function* wishes(
  { world: { catalogue: { tables, signatures } } }: Twins,
  only?: string,
): Generator<Wish> {
  const make = (
    method: string,
    path: string,
    preference: string | string[],
    body?: unknown,
    isSigned = false,
  ): Wish => ({
    what: `${method} ${path.replace(/\?.*/, '')} ${describePreference(preference)}`,
    isSigned,
    request: {
      method,
      path,
      headers: { ...prefer(preference), ...(body === undefined ? {} : json) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  })
  for (const { name, key } of tables.filter((table) => only === undefined || table.name === only)) {
    const path = `/${name}?${key.map((column) => `${column}=eq.${nobody}`).join('&')}`
    for (const method of ['GET', 'HEAD']) {
      for (const preference of estimating) yield make(method, path, preference)
      for (const preference of twoFields) yield make(method, path, preference, undefined, true)
    }
    for (const preference of ['count=planned', 'count=estimated']) {
      yield make('DELETE', path, preference)
      yield make('PATCH', path, preference, {})
      yield make('POST', `/${name}`, preference, [])
      if (key.length === 1) yield make('PUT', path, preference, { [key[0] ?? '']: nobody })
    }
  }
  // A function of an unnamed row is a computed field, and cannot be called under /rpc.
  for (
    const { name, args } of only === undefined
      ? signatures.filter((one) => one.args.every((argument) => argument.name !== null))
      : []
  ) {
    const body = Object.fromEntries(
      args.map(({ name: argument, type }) => [
        argument,
        type === 'jsonb' ? [] : type === 'uuid' ? nobody : type === 'text' ? 'monthly' : 1,
      ]),
    )
    for (const preference of ['count=planned', 'count=estimated'])
      yield make('POST', `/rpc/${name}`, preference, body)
  }
}

const isRefused = (method: string, { status, text }: Answer): boolean => {
  // A response to HEAD has no body.
  if (status !== 400 || method === 'HEAD') return status === 400
  const { code, hint } = JSON.parse(text) as { code?: string, hint?: string | null }
  return /^PGRST\d+$/.test(String(code)) && String(hint).includes('count=exact')
}

/**
 * @param options.table tests only this table @returns the requests that got an estimate, or another
 * error than `400 PGRST…` with a hint that names count=exact
 */
export async function unrefused(
  twins: Twins,
  { table, stopAtFirst = false }: { table?: string | undefined, stopAtFirst?: boolean } = {},
): Promise<string[]> {
  const found: string[] = []
  for (
    const actor of twins.actors.filter(({ name }) =>
      ['personal', 'viewer of B', 'anonymous'].includes(name)
    )
  ) {
    for (const { what, isSigned, request } of wishes(twins, table)) {
      // An anonymous caller has no policy that could refuse. Without a policy every estimate is of
      // no rows.
      if (isSigned && actor.caller.kind === 'anonymous') continue
      const [answer] = await twins.ask(actor, request)
      if (!isRefused(request.method, answer))
        found.push(
          `${actor.name} · ${what}: ${answer.status} ${answer.contentRange} ${
            answer.text.slice(0, 120)
          }`.trim(),
        )
      if (stopAtFirst && found.length > 0) return found
    }
  }
  return found
}

/**
 * The operand of each select policy that checks no right, and the function in which all of them
 * end.
 */
export async function refusingPieces(db: pg.Client): Promise<Weakening[]> {
  const all = await weakenings(db)
  const { rows: [refusal] } = await db.query<{ source: string }>(
    `select pg_get_functiondef('private.reject_estimate()'::regprocedure) as source`,
  )
  return [
    ...all.filter(({ name, command }) =>
      command === 'select' &&
      /^policy .*: using without (?:\( SELECT )?private\.(?!can\()\w+\(/.test(name)
    ),
    {
      name: 'function private.reject_estimate(): refuses nothing',
      apply:
        `create or replace function private.reject_estimate() returns void language plpgsql immutable set search_path = '' as 'begin end'`,
      revert: refusal?.source ?? '',
    },
  ]
}
