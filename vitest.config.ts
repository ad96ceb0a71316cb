import { defineConfig } from 'vitest/config'
import { proof } from './vitest.proof.config.ts'

/** Files that measure time or take the whole machine, and so run when nothing else does. What they compare is measured side by side, because a shared machine is slow at times. */
export const timed = ['tests/edge/cost.test.ts', 'tests/auth/gate.test.ts', 'tests/auth/stop.test.ts', 'tests/attacks/timing.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global.ts'],
    // each file brings its own database and its own services, so files share nothing and run side by side
    maxWorkers: 4,
    projects: [
      { extends: true, test: { name: 'suite', include: ['tests/**/*.test.ts'], exclude: [...timed, ...proof], testTimeout: 30_000, hookTimeout: 60_000, sequence: { groupOrder: 0 } } },
      { extends: true, test: { name: 'timed', include: timed, testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
