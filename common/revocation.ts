/**
 * PostgREST accepts an `iat` up to 30 seconds in the future; one second less allows for clock
 * drift.
 */
const maxAheadSeconds = 29

/**
 * Returns the wait before the first token after a revocation of signing keys, in seconds. Tokens up
 * to `issuedAfter` are revoked, so a new token has a later `iat`. Earlier than this wait PostgREST
 * would refuse that `iat` as too far in the future.
 * @param issuedAfter private.settings.tokens_issued_after
 * @param now in seconds since 1970
 */
export const secondsUntilIssued = (issuedAfter: number, now: number): number =>
  Math.max(0, issuedAfter + 1 - maxAheadSeconds - now)
