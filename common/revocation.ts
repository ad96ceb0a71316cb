/** What a revocation of a signing key means for the tokens that are issued after it. */

/** PostgREST lets a token be dated thirty seconds ahead. One of them is for clocks that differ. */
const aheadSeconds = 29

/**
 * How long after a revocation no token is issued yet, in seconds: until PostgREST takes the date that it would have.
 * @param issuedAfter private.settings.tokens_issued_after
 * @param now in seconds since 1970
 */
export const secondsUntilIssued = (issuedAfter: number, now: number): number => Math.max(0, issuedAfter + 1 - aheadSeconds - now)
