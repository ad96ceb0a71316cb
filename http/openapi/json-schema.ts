/**
 * The part of JSON Schema that both surfaces use, and its conversion to TypeScript types. No I/O.
 */

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: string[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  description?: string
  examples?: unknown[]
}

/**
 * Schemas of PostgreSQL's types in PostgREST's responses. `numeric` is a JSON number with all its
 * digits.
 */
const responseSchemas: Record<string, Schema> = {
  bool: { type: 'boolean' },
  int2: { type: 'integer' },
  int4: { type: 'integer' },
  int8: { type: 'integer' },
  float8: { type: 'number' },
  numeric: { type: 'number' },
  text: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  date: { type: 'string', format: 'date' },
  timestamptz: { type: 'string', format: 'date-time' },
  _text: { type: 'array', items: { type: 'string' } },
  _uuid: { type: 'array', items: { type: 'string', format: 'uuid' } },
}

/** Schemas for requests, if they differ. */
const requestSchemas: Record<string, Schema> = {
  timestamptz: {
    anyOf: [{ type: 'string', format: 'date-time' }, { type: 'string', format: 'date' }],
  },
}

export type Direction = 'request' | 'response'

/**
 * Returns the schema of a PostgreSQL type. @throws for an unknown type, so that a new one is not
 * forgotten here
 */
export function schemaOfType(type: string, direction: Direction, where: string): Schema {
  const schema = (direction === 'request' ? requestSchemas[type] : undefined) ??
    responseSchemas[type]
  if (schema === undefined)
    throw new Error(
      `${where} has the type ${type}: add the type to http/openapi/json-schema.ts, or a schema to http/openapi/handwritten-schemas.ts`,
    )
  return schema
}

/** Returns a schema that also allows null. */
export function nullable(schema: Schema): Schema {
  const { type, enum: values, description } = schema
  // an empty schema already allows null
  if (Object.keys(schema).every((key) => key === 'description')) return schema
  if (type === undefined) {
    const { anyOf = [schema], description: _, ...rest } = schema
    if (anyOf.some((one) => one.type === 'null')) return schema
    return {
      ...(schema.anyOf === undefined ? {} : rest),
      anyOf: [...anyOf, { type: 'null' }],
      ...(description !== undefined && { description }),
    }
  }
  const types = [type].flat()
  if (types.includes('null')) return schema
  if (values === undefined) return { ...schema, type: [...types, 'null'] }
  // generators stop at a null among the values
  const { description: _, ...allowed } = schema
  return { anyOf: [allowed, { type: 'null' }], ...(description !== undefined && { description }) }
}

const scalars: Record<string, string> = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  string: 'string',
  null: 'null',
}
const literal = (value: string) => `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`

/** A member of an object type. `type` prints its type at an indentation. */
type Member = {
  name: string
  isOptional: boolean
  type: (indent: string) => string
  description?: string | undefined
}

/**
 * A style of printing: `any` is the type of any value, `object` prints an object type at an
 * indentation.
 */
export type Layout = { any: string, object: (members: Member[], indent: string) => string }

/** Returns the name of a member, in quotes if necessary. */
export const propertyName = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? name : literal(name)

/** Prints object types on one line, without descriptions. */
export const oneLine: Layout = {
  any: 'Json',
  object: (members, indent) =>
    members.length === 0
      ? 'Record<never, never>'
      : `{ ${
        members.map(({ name, isOptional, type }) =>
          `${propertyName(name)}${isOptional ? '?' : ''}: ${type(indent)}`
        ).join(', ')
      } }`,
}

/**
 * Returns the TypeScript type of a schema. A `$ref` becomes the name of a type. Ignores other
 * keywords, such as lengths.
 */
export function typeScriptOf(schema: Schema, layout = oneLine, indent = ''): string {
  const { $ref, type, enum: values, oneOf, anyOf = oneOf, properties, required = [], items } =
    schema
  const written = (one: Schema, at = indent) => typeScriptOf(one, layout, at)
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => written(one)))].join(' | ')
  if (values !== undefined) return values.map(literal).join(' | ')
  if (type === undefined) return layout.any
  return [type].flat().map((one) => {
    if (one === 'array') {
      const item = written(items ?? {})
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`
    }
    if (one !== 'object') return scalars[one] ?? layout.any
    if (properties === undefined) return `{ [key: string]: ${layout.any} }`
    const members = Object.entries(properties).map(([name, property]): Member => ({
      name,
      isOptional: !required.includes(name),
      type: (at) => written(property, at),
      description: property.description,
    }))
    return layout.object(members, indent)
  }).join(' | ')
}

export type Json = Record<string, unknown>

/** One surface's parts of an OpenAPI document. */
export type Description = {
  /**
   * Keyed by the path from base_url, or by the path from data_url with that address as the path's
   * server.
   */
  paths: Record<string, Json>
  components: Record<
    'schemas' | 'responses' | 'parameters' | 'headers' | 'securitySchemes',
    Record<string, Json>
  >
  tags: { name: string, description: string }[]
}

/** Returns a reference to a named component. */
export const reference = (kind: keyof Description['components'], name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
})
