/** Formats of file sizes. */
import { locale as appLocale } from './language.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/**
 * Formats a number of bytes with at most two significant digits: `1.4 MB`. A kilobyte has 1,024
 * bytes, as in the limits of the service.
 */
export function formatSize(bytes: number): string {
  // a size that is rounded to 1,024 has the next unit
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes * 1.0005)) / 10))
  const value = bytes / 1024 ** power
  return new Intl.NumberFormat(appLocale, {
    style: 'unit',
    unit: units[power]!,
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value)
}
