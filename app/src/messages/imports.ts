import { inLanguage } from '../locale/language.ts'

export const imports = inLanguage({
  en: {
    portion: (name: string, part: number, count: number) => `${name} (${part} of ${count})`,
  },
  de: {
    portion: (name: string, part: number, count: number) => `${name} (${part} von ${count})`,
  },
})
