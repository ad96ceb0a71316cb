/** Limits the transfers of files: all together in this process, and those of one user, so that one user never holds all slots. */
import { fairQueue, type FairQueue } from '../../../common/fair-queue.ts'

/** Maximum transfers of this process. Each has at most two chunks in memory. */
const slots = 64
/** Maximum transfers that wait, for a slot and for each user. */
const waiting = 512
/** Maximum wait. The body of a waiting upload is not read. */
const waitMs = 240_000

/** @param slotsPerUser maximum transfers of one user at once */
export function transferQueue(slotsPerUser: number): Pick<FairQueue, 'enter'> {
  const all = fairQueue(slots, waiting, waitMs)
  const users = new Map<string, { queue: FairQueue, entered: number }>()
  return {
    enter: async (user) => {
      const entry = users.get(user) ?? { queue: fairQueue(slotsPerUser, waiting, waitMs), entered: 0 }
      users.set(user, entry)
      entry.entered += 1
      const leaveUser = await entry.queue.enter(user)
      const leaveAll = leaveUser && await all.enter(user)
      let hasLeft = false
      const leave = () => {
        if (hasLeft) return
        hasLeft = true
        leaveAll?.()
        leaveUser?.()
        entry.entered -= 1
        if (entry.entered === 0) users.delete(user)
      }
      if (leaveAll !== undefined) return leave
      leave()
      return undefined
    },
  }
}
