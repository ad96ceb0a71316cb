/** Places, such as connections, that all clients share. One client takes half of them at most, so that it never keeps the others out. */
export type SharedPlaces = {
  /**
   * Takes a place.
   * @param client the key that the requests of a client share, such as a clientNetwork()
   * @returns the function that gives the place back, once; undefined if all are taken, or half of them by this client
   */
  take: (client: string) => (() => void) | undefined
}

/** @param places the number of places */
export function sharedPlaces(places: number): SharedPlaces {
  const takenBy = new Map<string, number>()
  let taken = 0
  return {
    take: (client) => {
      const own = takenBy.get(client) ?? 0
      if (taken >= places || own >= places / 2) return undefined
      taken += 1
      takenBy.set(client, own + 1)
      let isGivenBack = false
      return () => {
        if (isGivenBack) return
        isGivenBack = true
        taken -= 1
        const left = (takenBy.get(client) ?? 1) - 1
        if (left === 0) takenBy.delete(client)
        else takenBy.set(client, left)
      }
    },
  }
}
