/** Formats of file sizes. */
import { expect, test } from 'vitest'
import { formatSize } from './sizes.ts'

test.each([
  [0, '0 byte'],
  [1536, '1.5 kB'],
  [10_485_760, '10 MB'],
  [1_073_741_824, '1 GB'],
  [1_073_700_000, '1 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text)
})
