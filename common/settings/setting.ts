/** The description of a setting, beside its schema. */
import type { z } from 'zod'

/**
 * The services that receive settings of the operator in the chart and on AWS. The operator's
 * command receives those of the migration.
 */
type Service = 'auth' | 'edge' | 'migrate' | 'realtime'

/**
 * The description of a setting. `npm run schema` generates docs/settings.md and infra/settings.json
 * from it.
 */
export type About = {
  /** The meaning, in Markdown, for docs/settings.md. */
  description: string
  /** The default in words, if the schema has none. */
  unset?: string
  /** Whether the value is a secret, or a URL that may contain one. Such a setting may be a file. */
  secret?: true
  /**
   * The services that receive it from the chart and Terraform. Undefined if these set it themselves
   * or do not need it.
   */
  services?: readonly Service[]
}

/** Attaches the description to the schema. */
export const setting = <Schema extends z.ZodType>(schema: Schema, about: About): Schema =>
  schema.meta(about)

/** The services that serve requests, except PostgREST. */
export const all = ['auth', 'edge', 'realtime'] as const
/** The services that know sessions. realtime/ has no settings of mail and sign-up. */
export const identity = ['auth', 'realtime'] as const
