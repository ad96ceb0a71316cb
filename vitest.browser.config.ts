import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The pages a mailed link opens, in a real browser: CHROMIUM names it. Apart, because npm test needs no browser. */
export default defineConfig({ test: { ...base.test, include: ['tests/browser/**/*.browser.ts'] } })
