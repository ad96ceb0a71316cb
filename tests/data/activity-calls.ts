/** Calls that read the record of activity and undo requests. */
import { randomUUID } from 'node:crypto'
import type { Caller } from '../support/data.ts'

export type Activity = {
  id: string
  change_id: string
  action: string
  table_name: string
  row_id: string
  before: any
  after: any
} & Record<string, unknown>

/** The entries of the newest request in the user's activity, in their order. */
export async function lastOf(caller: Caller, filter = ''): Promise<Activity[]> {
  const { body: [newest] } = await caller.get(
    `/activity?select=change_id&order=id.desc&limit=1${filter}`,
  )
  return (await caller.get(`/activity?order=id&change_id=eq.${newest?.change_id ?? randomUUID()}`))
    .body
}
export const undo = (caller: Caller, id: string | undefined) =>
  caller.post('/rpc/undo', { p_activity_id: id ?? randomUUID() })
/** Undoes the newest request of the user. */
export const undoLast = async (caller: Caller) => undo(caller, (await lastOf(caller))[0]?.id)
