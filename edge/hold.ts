/** A gate that an upgrade closes for some seconds, so that requests wait instead of failing. */

/**
 * Maximum duration of a hold, in milliseconds. Requests may take longer than this, so a hold makes
 * no request fail.
 */
const longestMs = 20_000

export type Hold = {
  begin: () => void
  end: () => void
  /** Resolves when requests may pass; undefined if they may now. */
  passed: () => Promise<void> | undefined
}

export function createHold(): Hold {
  let gate: PromiseWithResolvers<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(timer)
    gate?.resolve()
    gate = undefined
  }
  return {
    begin: () => {
      clearTimeout(timer)
      timer = setTimeout(end, longestMs)
      gate ??= Promise.withResolvers<void>()
    },
    end,
    passed: () => gate?.promise,
  }
}
