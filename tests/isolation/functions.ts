/**
 * Calls of the functions with own ids and with ids of other tenants. The expected results are
 * computed from the rows that the model lets the caller see. The suite fails for an exposed
 * function that is in neither of the two files of calls.
 */
import { expectedOf, type Case } from './cases.ts'
import { changingFunctions } from './changing-functions.ts'
import { denied, type Seen } from './function-calls.ts'
import { list, onlyReads } from './model.ts'
import { readingFunctions } from './reading-functions.ts'
import { type StoredRow, type World } from './world.ts'

/** A new function needs an entry in one of the two files. */
const functions = { ...readingFunctions, ...changingFunctions }

/** Functions that only read, and also store a ticket. A key that only reads may call them. */
const onlyOpens = new Set(['open_attachment'])

/** All calls of functions, for every actor. */
export function* functionCases(world: World): Generator<Case> {
  const volatile = new Set(
    world.catalogue.signatures.filter(({ name, isVolatile }) => isVolatile && !onlyOpens.has(name))
      .map(({ name }) => name),
  )
  for (const name of world.catalogue.functions) {
    if (functions[name] === undefined)
      throw new Error(
        `api.${name}() is exposed, and tests/isolation has no entry for it in reading-functions.ts or changing-functions.ts`,
      )
  }
  for (const actor of world.actors) {
    const { caller, user } = actor
    const active = caller.kind === 'user' ? caller.organization : null
    const visible = (table: string): StoredRow[] =>
      list(caller, world.rows.filter((row) => row.table === table)) as StoredRow[]
    const seen: Seen = {
      world,
      actor,
      user,
      active,
      visible,
      otherTeam: actor.team === 'team-a' ? 'team-b' : 'team-a',
      inContext: (table, organization = active) =>
        visible(table).filter((row) => row.organization === organization),
    }
    for (const name of world.catalogue.functions) {
      const calls = functions[name]?.(seen) ?? []
      for (
        const { operation, target = '', args, expected, method, path }
          of actor.depth === 'everything' ? calls : calls.slice(0, 1)
      ) {
        const query = method === 'GET'
          ? `?${new URLSearchParams(args as Record<string, string>).toString()}`
          : ''
        yield {
          actor,
          table: `${name}()`,
          operation,
          target,
          command: 'call',
          request: method === 'GET'
            ? { method, path: path ?? `/rpc/${name}${query}`, headers: {} }
            : {
              method: 'POST',
              path: path ?? `/rpc/${name}`,
              body: JSON.stringify(args),
              headers: { 'content-type': 'application/json' },
            },
          expected: caller.kind === 'user'
            ? (onlyReads(caller) && volatile.has(name) ? denied : expected)
            : expectedOf(
              { refused: [caller.kind === 'refused' ? 'token' : 'anonymous'] },
              [],
              false,
            ),
        }
      }
    }
  }
}
