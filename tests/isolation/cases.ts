/**
 * A case of the matrix: an actor, a table, an operation and a target, with the request and the
 * effects that the model expects.
 */
import { models } from '../support/tables.ts'
import type { Reason, Row, Verdict } from './model.ts'
import type { Request } from './sender.ts'
import type { Actor, StoredRow, World } from './world.ts'

export type Expected = {
  /** The allowed responses, by status and code of the error. */
  answers: { status: number, code?: RegExp }[]
  /** The keys of exactly these rows are in the body. */
  rows?: string[]
  /** The total in Content-Range. */
  count?: number
  /** Checks the result of a function. @returns its error */
  wrong?: (body: unknown) => string | undefined
  /** The expected effects: rows by `table:key`, and new rows by table and owner pair. */
  changed: string[]
  gone: string[]
  added: Pick<Row, 'table' | 'user' | 'organization'>[]
  /**
   * True if a row in `changed` may stay the same, because the request may send its current values.
   */
  maybe?: true
}
export type Case = {
  actor: Actor
  table: string
  operation: string
  target: string
  /** The kind of policy or grant that decides. */
  command: 'select' | 'insert' | 'update' | 'delete' | 'call'
  request: Request
  expected: Expected
}
export const nameOf = ({ actor, table, operation, target }: Case): string =>
  `${actor.name} · ${table} · ${operation}${target === '' ? '' : ` · ${target}`}`

const answerTo: Record<Reason, { status: number, code: RegExp }> = {
  token: { status: 401, code: /30[13]$/ },
  anonymous: { status: 401, code: /^42501$/ },
  denied: { status: 403, code: /^42501$/ },
  missing: { status: 409, code: /^23503$/ },
  taken: { status: 409, code: /^23505$/ },
  kept: { status: 400, code: /^22023$/ },
  'changed since': { status: 409, code: /^PT409$/ },
}
export const nothing = { changed: [], gone: [], added: [] }

/** Translates a verdict of the model into an expected response. */
export function expectedOf(verdict: Verdict, allowed: number[], isReturned: boolean): Expected {
  if ('refused' in verdict)
    return { answers: verdict.refused.map((reason) => answerTo[reason]), ...nothing }
  const { rows, changed, gone, added } = verdict
  return {
    answers: allowed.map((status) => ({ status })),
    changed,
    gone,
    added,
    ...(isReturned ? { rows: rows.map(({ key }) => key) } : {}),
  }
}

/**
 * The targets of each operation. Excludes targets that an actor cannot have, such as team rows of a
 * table without organizations.
 */
export function targetsOf(
  world: World,
  actor: Actor,
  table: string,
): Map<string, StoredRow | undefined> {
  const rows = world.rows.filter((row) => row.table === table)
  const targets = new Map<string, StoredRow | undefined>()
  const add = (name: string, row: StoredRow | undefined): void => {
    if (row !== undefined) targets.set(name, row)
  }
  const isPersonal = (row: Row): boolean => row.organization === null
  add('own', rows.find((row) => isPersonal(row) && row.user === actor.user))
  add(
    "other's personal",
    rows.find((row) => isPersonal(row) && row.user === (actor.user === 'other' ? 'solo' : 'other')),
  )
  add(
    "colleague's personal",
    rows.find((row) =>
      isPersonal(row) && row.user === (actor.user === 'a-editor' ? 'a-owner' : 'a-editor')
    ),
  )
  const team = rows.filter((row) => row.organization === actor.team && row.user !== actor.user)
  add("own team's", team.find(({ visibility }) => visibility !== 'private'))
  add("own team's private", team.find(({ visibility }) => visibility === 'private'))
  if (models[table]?.kind === 'owned' || models[table]?.kind === 'stored')
    add(
      "own team's without a user",
      team.find((row) => row.user === null && row.visibility !== 'private'),
    )
  add(
    'own, in the team',
    rows.find((row) => row.organization === actor.team && row.user === actor.user),
  )
  add(
    "other team's",
    rows.find((row) =>
      !isPersonal(row) && row.organization !== actor.team && row.visibility !== 'private'
    ),
  )
  targets.set('nonexistent', undefined)
  // An invalid token is refused for each target alike, so two targets are enough.
  if (actor.caller.kind === 'refused') {
    for (const name of targets.keys())
      if (name !== 'own' && name !== "own team's")
        targets.delete(name)
  }
  return targets
}
