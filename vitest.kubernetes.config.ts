import { defineConfig } from 'vitest/config'
import { leftOut } from './tests/rotation.ts'

/** `npm run test:kubernetes`: the chart, rendered by Helm. If Docker runs, also its pods as containers on this machine. */
export default defineConfig({
  test: {
    name: 'kubernetes',
    include: ['tests/kubernetes/*.kubernetes.ts'],
    exclude: leftOut,
    globalSetup: ['tests/kubernetes/global.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
