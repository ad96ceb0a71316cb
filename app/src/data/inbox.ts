/** The inbox: open rows with suggestions, and the changes that sort them. */
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { type Reply, type RowChange, unwrap } from 'finance-client'
import { useRef, useState } from 'react'
import { useSessionContext } from '../shell/session-context.tsx'
import { today } from '../locale/days.ts'
import { addDays } from '../locale/months.ts'
import { inbox as m } from '../messages/inbox.ts'
import { parts } from '../messages/parts.ts'
import { useToast } from '../parts/toast.tsx'
import { accountsQuery } from './accounts.ts'
import { makeUndoOf, useChange } from './change.ts'
import { type Context, finance, within } from './client.ts'
import type { Difference, Due, Judged, MatchItem, TransferItem } from './inbox-items.ts'
import { applyRuleToOpen, saveRule } from './rules.ts'
import { reasonOf } from './reasons.ts'
import { readSuggestions, type Suggestion } from './suggestions.ts'
import {
  type Categorized,
  categorizeEach,
  linkTransfer,
  readOpen,
  type Transaction,
  updateUnchanged,
} from './transactions/api.ts'
import { dayOf } from './transactions/day.ts'
import { makeUndoOfAll } from './transactions/undo.ts'

type Open = { judged: Judged[], due: Due[] }

const openKey = (context: Context) => [context.key, 'inbox', 'open'] as const

const payeeOf = (name: string) => name.toLowerCase().replace(/[\d\p{P}]+/gu, ' ').trim()

/**
 * Returns the due days of the last year around the given days. A day further ahead than a week has
 * none.
 */
async function readDue(
  days: readonly string[],
  signal: AbortSignal,
): Promise<Reply<'get_upcoming'>> {
  const [earliest, end] = [addDays(today(), -365), addDays(today(), 7)]
  const near = days.filter((day) => day <= end)
  if (near.length === 0) return []
  const first = addDays(near.reduce((one, other) => one < other ? one : other), -7)
  const range = { start_date: first < earliest ? earliest : first, end_date: end }
  return unwrap(finance.data.rpc('get_upcoming', range, { get: true }).abortSignal(signal))
}

/** The open rows with their suggestions, and the due days around them. */
export const openQuery = (context: Context, userId: string) =>
  queryOptions({
    queryKey: openKey(context),
    queryFn: async ({ signal }): Promise<Open> => {
      const rows = await readOpen(context, userId, signal)
      if (rows.length === 0) return { judged: [], due: [] }
      const [suggested, due] = await Promise.all([
        readSuggestions(rows, signal),
        readDue(rows.map(dayOf), signal),
      ])
      const judged = suggested.flatMap(
        ({ row_number: number, category_id: categoryId, because }): Judged[] => {
          const row = rows[number - 1]
          if (row === undefined) return []
          const reason = reasonOf(because)
          return [{ row, payee: reason?.payee ?? payeeOf(row.name), categoryId, reason }]
        },
      )
      return { judged, due: due.filter(({ is_recorded: isRecorded }) => !isRecorded) }
    },
  })

/** The accounts whose newest stated balance differs from the transactions. */
export const differencesQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'inbox', 'differences'],
    queryFn: async ({ signal, client }): Promise<Difference[]> => {
      const stated = await unwrap(
        within(context, finance.data.from('balances').select('account_id')).abortSignal(signal),
      )
      if (stated.length === 0) return []
      const accounts = await client.ensureQueryData(accountsQuery(context))
      const ids = new Set(stated.map(({ account_id: id }) => id))
      return (await Promise.all(
        accounts.filter(({ id }) => ids.has(id)).map(async ({ id, name, currency }) => {
          const days = await unwrap(
            finance.data.rpc('get_reconciliation', { p_account_id: id }, { get: true }).abortSignal(
              signal,
            ),
          )
          const last = days.at(-1)
          if (last === undefined || last.difference === 0) return []
          const since = days[days.findLastIndex(({ difference }) => difference === 0) + 1] ?? last
          return [{ accountId: id, name, currency, since: since.on_date, amount: last.difference }]
        }),
      )).flat()
    },
  })

/** Decisions about items, which are stored together. */
export type Filing = {
  categories: ReadonlyArray<Pick<Suggestion, 'row' | 'categoryId'>>
  transfers: readonly TransferItem[]
  matches: readonly MatchItem[]
  text: (count: number) => string
}

const rowsOfFiling = ({ categories, transfers, matches }: Filing): Transaction[] => [
  ...categories.map(({ row }) => row),
  ...[...transfers, ...matches].flatMap(({ rows }) => rows),
]

/** Hides rows before the service has sorted them. Returns the rollback. */
async function hide(client: QueryClient, context: Context, rows: readonly Transaction[]) {
  await client.cancelQueries({ queryKey: openKey(context) })
  const ids = new Set(rows.map(({ id }) => id))
  const before = client.getQueryData<Open>(openKey(context))
  client.setQueryData<Open>(
    openKey(context),
    before && { ...before, judged: before.judged.filter(({ row }) => !ids.has(row.id)) },
  )
  return () => client.invalidateQueries({ queryKey: openKey(context) })
}

/** Stores decisions. Returns the changes of rows that were still open. */
async function storeFiling(
  context: Context,
  { categories, transfers, matches }: Filing,
): Promise<Categorized[]> {
  const stored: Categorized[] = []
  await categorizeEach(categories, stored)
  for (const { rows } of transfers) {
    const now = await linkTransfer(context, rows)
    stored.push({ requested: now, now })
  }
  for (const { rows: [row], due } of matches) {
    const change: RowChange<'transactions'> = {
      subscription_id: due.subscription_id,
      due_on: due.due_on,
      ...(due.category_id !== null && { category_id: due.category_id }),
    }
    stored.push({ requested: [row], now: await updateUnchanged(row, change) })
  }
  return stored.filter(({ now }) => now.length > 0)
}

type Correction = { text: string, categoryId: string }

/** Makes a rule of a correction, and applies it to the other open rows. */
async function saveCorrection(context: Context, { text, categoryId }: Correction) {
  const rule = await saveRule(context, {
    values: {
      name: text,
      priority: 0,
      is_active: true,
      conditions: [{ field: 'search', operation: 'contains', value: text }],
      set_category_id: categoryId,
      set_name: null,
      add_tags: [],
      mark_as_transfer: false,
    },
  })
  return { rule, ...await applyRuleToOpen(rule.id) }
}

/** A change that the inbox can take back, with the number of its rows. */
type Done = { undo: () => Promise<unknown>, count: number }

/** The changes that are not yet undone. `takeBack` undoes the last one. */
function useDone(refresh: () => Promise<unknown>) {
  const toast = useToast()
  const [done, setDone] = useState<readonly Done[]>([])
  const forget = (entry: Done) => setDone((all) => all.filter((one) => one !== entry))
  /** Remembers a change. Returns its undo, which forgets it. */
  const remember = (count: number, undo: () => Promise<unknown>) => {
    const entry: Done = { count, undo }
    setDone((all) => [...all, entry])
    return async () => {
      forget(entry)
      await undo()
    }
  }
  const takeBack = async () => {
    const last = done.at(-1)
    if (last === undefined) return
    forget(last)
    try {
      await last.undo()
      toast(parts.undone)
    } catch (error) {
      if (error instanceof Error) toast(error)
    } finally {
      await refresh()
    }
  }
  return { done, remember, takeBack }
}

/** The changes of the inbox. `takeBack` undoes the last one that is not yet undone. */
export function useInboxChanges() {
  const { context, user } = useSessionContext()
  const client = useQueryClient()
  const { done, remember, takeBack } = useDone(() =>
    client.invalidateQueries({ queryKey: [context.key] })
  )
  /** The changes of rows in progress. */
  const filing = useRef<Promise<unknown>>(Promise.resolve())
  const file = useChange((_, wanted: Filing) => {
    const stored = storeFiling(context, wanted)
    filing.current = Promise.allSettled([filing.current, stored])
    return stored
  }, {
    optimistic: (wanted) => hide(client, context, rowsOfFiling(wanted)),
    outcome: (stored, { text }) => {
      const count = stored.flatMap(({ now }) => now).length
      if (count === 0) return { text: m.noneLeft }
      return {
        text: text(count),
        undo: remember(count, makeUndoOfAll(stored, user.id)),
      }
    },
    toastsErrors: true,
  })

  const always = useChange(
    async (of: Context, correction: Correction) => {
      // Otherwise the rule would also count the corrected rows, and `takeBack` would begin with
      // them.
      await filing.current
      return saveCorrection(of, correction)
    },
    {
      outcome: ({ rule, count, transactionId }) => {
        const undos = [transactionId, rule.id].filter((id) => id !== undefined).map((id) =>
          makeUndoOf(id, user.id)
        )
        return {
          text: m.ruleSaved(rule.name, count),
          undo: remember(count, async () => {
            for (const undo of undos) await undo()
          }),
        }
      },
      toastsErrors: true,
    },
  )

  const sorted = done.reduce((sum, { count }) => sum + count, 0)
  return { file, always, sorted, canTakeBack: done.length > 0, takeBack }
}
