/** supabase-js as docs/data.md has it. */
import { createClient } from '@supabase/supabase-js'
import type { Client } from './calls.ts'

/** @returns what makes the client of somebody with this token, or of nobody */
export const supabase = (origin: string, key: string) => (token?: string): Client =>
  createClient(origin, key, { accessToken: () => Promise.resolve(token ?? null) })
