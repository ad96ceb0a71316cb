import { inLanguage } from '../locale/language.ts'

export const imports = inLanguage({
  en: {
    of: (value: string, value2: number, count: number) => `${value} (${value2} of ${count})`,
  },
  de: {
    of: (value: string, value2: number, count: number) => `${value} (${value2} von ${count})`,
  },
})
