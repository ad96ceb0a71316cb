/**
 * `tenant move` moves the rows of an organization to another database while it is used. PostgreSQL
 * copies them and follows all changes. Then the command locks the tenant for at most three seconds,
 * compares both copies and opens the target. Until then the source serves the tenant: the lock ends
 * with the connection, also if the command is killed. `tenant forget` deletes the former copy.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { cellOf, openCell, refusalsOf, type Cell } from './tenant-checks.ts'
import { checkReferences, readCopy, storeCopy, usersOf } from './tenant-copy.ts'
import {
  isPublished,
  publish,
  subscribe,
  unpublish,
  unsubscribe,
  waitForCopy,
  waitForTarget,
} from './tenant-replication.ts'
import { deleteRows, readTables, sumsOf, textSettings, type TenantTables } from './tenant-tables.ts'
import {
  argument,
  operatorError,
  table,
  usageError,
  type Command,
  type Output,
} from './terminal.ts'

/** The name of a move's connection to the source, by which another one finds it. */
const moveName = 'tenant move'

/** Time for which writes may wait, in milliseconds. */
const maxClosedMs = 3_000
/** Time of that window after which nothing more begins, in milliseconds. */
const patienceMs = 2_500
/** Number of tries to close the tenant, and the pause between them in milliseconds. */
const tries = 5
const pauseMs = 2_000

type Move = {
  source: Cell
  target: Cell
  /** The connection that holds the tenant's lock. */
  locker: Cell
  tables: TenantTables
  tenant: string
  out: Output
  signal: AbortSignal
}

/** Ends statements that would run past the deadline. */
const limit = (cell: Cell, deadline: number) =>
  cell.client.query(`select set_config('statement_timeout', $1, false)`, [
    String(Math.max(1, deadline - Date.now())),
  ])

/** Throws if the tenant's rows differ. */
async function compare({ source, target, tables, tenant }: Move): Promise<number> {
  const [from, to] = await Promise.all([
    sumsOf(source.client, tables, tenant),
    sumsOf(target.client, tables, tenant),
  ])
  const different = from.filter(({ rows, hash }, at) =>
    rows !== to[at]?.rows || hash !== to[at].hash
  )
  if (different.length > 0)
    throw operatorError(
      `The rows differ in ${different.map((sum) => sum.table).join(', ')}.`,
    )
  return from.reduce((all, { rows }) => all + Number(rows), 0)
}

/** Prepares the target in a transaction that stays open. @returns the number of compared rows */
async function prepareTarget(move: Move, formerUsers: string[], deadline: number): Promise<number> {
  const { source, target, tables, tenant } = move
  await Promise.all([limit(source, deadline), limit(target, deadline)])
  await target.client.query('begin')
  const copy = await readCopy(source.client, tables, tenant, formerUsers)
  await storeCopy(target.client, copy, tenant, source.name)
  await checkReferences(target.client, tables, tenant)
  const rows = await compare(move)
  await target.client.query('update private.tenants set cell = null where tenant = $1', [tenant])
  return rows
}

/**
 * Locks the tenant at the source, and opens it at the target once both are equal. Writers wait for
 * the lock. Without the last commit they go on at the source, and with it they are refused there.
 * The commit of the source comes first: if the command ends between both, no database accepts
 * writes, and the next run opens the target.
 */
async function switchOver(move: Move, formerUsers: string[]): Promise<void> {
  const { source, target, locker, tenant, out } = move
  // a closed source has nothing to go back to
  const isOpen = await cellOf(source.client, tenant) === null
  const signal = isOpen ? move.signal : new AbortController().signal
  const begun = Date.now()
  const deadline = begun + patienceMs
  await locker.client.query(`begin; set local lock_timeout = '1s';
    set local idle_in_transaction_session_timeout = '${maxClosedMs}ms'`)
  try {
    await locker.client.query('select from private.tenants where tenant = $1 for update', [tenant])
    if (await isPublished(source.client, tenant))
      await waitForTarget(source.client, tenant, deadline, signal)
    const rows = await prepareTarget(move, formerUsers, deadline)
    // the open streams of members end here, and go on at the target
    await locker.client.query(
      `select private.note_end_of_access('a:' || user_id) from (
        select user_id from auth.members where 'o:' || organization_id = $1 order by 1 desc) m`,
      [tenant],
    )
    await locker.client.query('update private.tenants set cell = $2 where tenant = $1', [
      tenant,
      target.name,
    ])
    signal.throwIfAborted()
    if (Date.now() > deadline) throw operatorError('The comparison took too long.')
    await locker.client.query('commit')
    await target.client.query('commit')
    out.write(
      `${tenant} is in ${target.name} now: ${rows} rows, equal in both. Writes waited ${
        ((Date.now() - begun) / 1000).toFixed(1)
      } s.\n`,
    )
  } finally {
    for (const { client } of [locker, target]) await client.query('rollback').catch(() => undefined)
    for (const cell of [source, target])
      await cell.client.query('reset statement_timeout').catch(() => undefined)
  }
}

/** Tries to switch over, because a long request of the tenant can delay the lock. */
async function switchOverPatiently(move: Move): Promise<void> {
  const { source, tables, tenant, out, signal } = move
  for (let left = tries;;) {
    const users = await usersOf(source.client, tables, tenant)
    try {
      await switchOver(move, users)
      return
    } catch (error) {
      const isOpen = await cellOf(source.client, tenant) === null
      if (--left === 0 || isOpen && signal.aborted) throw error
      out.write(
        `${(error as Error).message} ${
          isOpen ? 'The source keeps serving the team. Trying again.' : 'Opening the target again.'
        }\n`,
      )
      if (isOpen) await sleep(pauseMs)
    }
  }
}

/** Ends the replication. Deletes rows at the target, unless it serves them. */
async function cleanUp({ source, target, tables, tenant }: Move): Promise<void> {
  await unsubscribe(target.client, tenant)
  await unpublish(source.client)
  const isAbandoned = typeof await cellOf(target.client, tenant) === 'string' &&
    await cellOf(source.client, tenant) === null
  if (isAbandoned) await deleteRows(target.client, tables, tenant)
}

/** Moves the tenant, from the copy on. */
async function run(move: Move): Promise<void> {
  const { source, target, tables, tenant, out, signal } = move
  await cleanUp(move)
  try {
    // a run that was killed between the two commits has closed the source
    if (await cellOf(source.client, tenant) === null) {
      await target.client.query(
        'insert into private.tenants (tenant, cell) values ($1, $2) on conflict do nothing',
        [tenant, source.name],
      )
      await publish(source.client, tables, tenant)
      await subscribe(target.client, tenant, source.url)
      out.write('Copying.\n')
      await waitForCopy(target.client, tenant, signal)
      await waitForTarget(source.client, tenant, Infinity, signal)
    }
    await switchOverPatiently(move)
  } catch (error) {
    await cleanUp(move).catch((left: unknown) =>
      out.write(`${(left as Error).message} Run the command again to clean up.\n`)
    )
    throw error
  }
  await cleanUp(move)
}

/** Prints the rows of each table, and the reasons for which the tenant cannot move. */
async function describe({ source, tables, tenant, out }: Move, refusals: string[]): Promise<void> {
  const sums = await sumsOf(source.client, tables, tenant)
  out.write(table(sums, ['table', 'rows']))
  out.write(
    refusals.length === 0
      ? 'The tenant can move.\n'
      : refusals.map((reason) => `Refused: ${reason}\n`).join(''),
  )
}

/** Runs work with an open connection to each database, and cancels it on Ctrl-C. */
async function withMove(
  { databaseUrl, to, tenant, out }: {
    databaseUrl: string
    to: string
    tenant: string
    out: Output
  },
  work: (move: Move) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort(operatorError('Stopped. The source serves the team.'))
  await using cells = new AsyncDisposableStack()
  const open = async (url: string) => {
    const cell = await openCell(url)
    cells.defer(() => cell.client.end())
    await cell.client.query(`${textSettings}; set search_path = ''; set synchronous_commit = on`)
    return cell
  }
  const [source, locker, target] = [
    await open(databaseUrl),
    await open(databaseUrl),
    await open(to),
  ]
  const tables = await readTables(source.client)
  // before the look at the others, so that of two that begin at once none runs
  await source.client.query(`select set_config('application_name', $1, false)`, [moveName])
  const { rowCount: others } = await source.client.query(
    `select from pg_stat_activity
    where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`,
    [moveName],
  )
  if (others !== 0) throw operatorError('Another move of this source is running.')
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, stop)
    cells.defer(() => {
      process.removeListener(name, stop)
    })
  }
  await work({ source, locker, target, tables, tenant, out, signal: stopping.signal })
}

/** `tenant move <tenant> --to <target> [--dry-run]` */
const moveCommand: Command = async (_db, args, options, out, { databaseUrl }) => {
  const tenant = argument(args, 0, 'tenant')
  if (options.to === undefined) throw usageError('Missing option: --to.')
  await withMove({ databaseUrl, to: options.to, tenant, out }, async (move) => {
    const { source, target, tables } = move
    const [here, there] = [
      await cellOf(source.client, tenant),
      await cellOf(target.client, tenant),
    ]
    if (typeof here === 'string' && there === null) {
      await cleanUp(move)
      out.write(`${tenant} is already in ${here}.\n`)
      return
    }
    const refusals = await refusalsOf(source.client, target.client, tables, tenant)
    if (options['dry-run'] === true) return describe(move, refusals)
    if (refusals.length > 0) throw operatorError(refusals.join(' '))
    await run(move)
  })
}

/** `tenant forget <tenant> --to <target>` */
const forgetCommand: Command = async (_db, args, options, out, { databaseUrl }) => {
  const tenant = argument(args, 0, 'tenant')
  if (options.to === undefined) throw usageError('Missing option: --to.')
  await withMove({ databaseUrl, to: options.to, tenant, out }, async (move) => {
    const { source, target, tables } = move
    const isMoved = typeof await cellOf(source.client, tenant) === 'string' &&
      await cellOf(target.client, tenant) === null
    if (!isMoved)
      throw operatorError(`${tenant} is not moved to ${target.name}. Nothing is deleted.`)
    // a subscription would delete the rows at the target too
    await cleanUp(move)
    await deleteRows(source.client, tables, tenant)
    out.write(`Deleted the former rows of ${tenant}. They are in ${target.name}.\n`)
  })
}

export const tenantCommands: Record<string, Command> = {
  'tenant move': moveCommand,
  'tenant forget': forgetCommand,
}
