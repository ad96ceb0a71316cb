/**
 * Fixes the seed of generated cases, so that every run of a commit has the same result.
 * `SEED=<number>` generates other cases. A failure prints its seed.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 1) })
