/** What the parts of the data surface's description have in common. No I/O. */

export type Json = Record<string, unknown>

/** The parts of an OpenAPI document that are the data surface's. */
export type Description = {
  /** By their path from data_url; each path names that as its server. */
  paths: Record<string, Json>
  components: { schemas: Record<string, Json>, responses: Record<string, Json>, parameters: Record<string, Json>, headers: Record<string, Json> }
  tags: { name: string, description: string }[]
}

/** Refers to a part that has a name. */
export const reference = (kind: keyof Description['components'], name: string): Json => ({ $ref: `#/components/${kind}/${name}` })
