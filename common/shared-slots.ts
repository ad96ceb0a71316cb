/**
 * Slots, such as connections, that all clients share. One client holds half of them at most, so
 * that it never keeps the others out.
 */
export type SharedSlots = {
  /**
   * Takes a slot.
   * @param client the key that the requests of a client share, such as a clientNetwork()
   * @returns the function that releases the slot, once; undefined if all are taken, or half of them
   * by this client
   */
  take: (client: string) => (() => void) | undefined
}

/** @param slots the number of slots */
export function sharedSlots(slots: number): SharedSlots {
  const takenBy = new Map<string, number>()
  let taken = 0
  return {
    take: (client) => {
      const count = takenBy.get(client) ?? 0
      if (taken >= slots || count >= slots / 2) return undefined
      taken += 1
      takenBy.set(client, count + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        taken -= 1
        const rest = (takenBy.get(client) ?? 1) - 1
        if (rest === 0) takenBy.delete(client)
        else takenBy.set(client, rest)
      }
    },
  }
}
