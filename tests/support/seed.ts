/**
 * Generated cases are the same in each run, so that a commit is judged alike today and tomorrow. `SEED=<number>` asks others, and a
 * failure prints the seed that found it.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 1) })
