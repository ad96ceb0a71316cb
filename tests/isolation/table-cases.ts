/**
 * Every actor × table × operation × target, with the request and the effects that the model
 * expects. The cases are generated, so a new table is covered without further work.
 */
import { nothing, type Case, type Expected } from './cases.ts'
import type { Table } from './catalogue.ts'
import { changeCases } from './change-cases.ts'
import { insertCases } from './insert-cases.ts'
import { readCases } from './read-cases.ts'
import { requestsOf } from './table-requests.ts'
import type { Actor, World } from './world.ts'

/** All cases of one table for one actor. */
function* ofTable(world: World, actor: Actor, table: Table): Generator<Case> {
  const requests = requestsOf(world, actor, table)
  yield* readCases(requests)
  yield* insertCases(requests)
  if (actor.depth === 'everything') yield* changeCases(requests)
}

/** Everything that is not exposed, requested in every way. */
function* beyond(actor: Actor): Generator<Case> {
  const ask = (
    operation: string,
    path: string,
    answers: Expected['answers'],
    headers: Record<string, string> = {},
  ): Case => ({
    actor,
    table: '',
    operation,
    target: '',
    command: 'select',
    request: { method: 'GET', path, headers },
    // A missing table is 404 for each token, because PostgREST checks it before the database.
    expected: {
      answers: actor.caller.kind === 'refused'
        ? [{ status: 401 }, ...answers.filter(({ status }) => status >= 400)]
        : answers,
      ...nothing,
    },
  })
  for (const schema of ['auth', 'private', 'public', 'isolation_kept'])
    yield ask(`schema ${schema}`, '/transactions', [{ status: 406, code: /^PGRST106$/ }], {
      'accept-profile': schema,
    })
  for (
    const path of [
      '/users',
      '/members',
      '/auth.users',
      '/settings',
      '/rpc/can',
      '/rpc/pre_request',
      '/rpc/uid',
      '/rpc/active_product',
      '/rpc/one_object',
      '/bank_values',
      '/bank_versions',
      '/import_updates',
      '/deleted_bank_rows',
      '/import_balances',
      '/rpc/bank_history',
      '/rpc/classify_import',
    ]
  )
    yield ask(path, path, [{ status: 404 }])
  yield ask('embed users', '/transactions?select=*,users(*)', [{ status: 400, code: /^PGRST200$/ }])
  yield ask('aggregate', '/transactions?select=amount.sum()', [{ status: 400, code: /^PGRST/ }])
  yield ask('description', '/', [{ status: 200 }])
}

/** All cases of tables and of unexposed objects, actor by actor. */
export function* tableCases(world: World): Generator<Case> {
  for (const actor of world.actors) {
    for (const table of world.catalogue.tables) yield* ofTable(world, actor, table)
    if (actor.depth === 'everything') yield* beyond(actor)
  }
}
