/** The schemas and the examples of rows, for tables and functions of the data surface. No I/O. */
import type { Field } from './fields.ts'
import { exampleId, namedSchemas } from './handwritten-schemas.ts'
import { reference, type Json, type Schema } from './json-schema.ts'

/** Returns the schema of a list. */
export const arrayOf = (items: Json): Json => ({ type: 'array', items })

/** Returns the schema of an object with these fields. */
export const objectSchema = (fields: Field[], rest: Json): Json => ({
  type: 'object',
  ...rest,
  ...(fields.some(({ isOptional }) => !isOptional) &&
    { required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name) }),
  properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
})

function exampleOf(schema: Schema): unknown {
  const { $ref, enum: values, format, type, anyOf, examples } = schema
  const target = $ref === undefined
    ? schema
    : namedSchemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? schema
  if (examples?.[0] !== undefined || target.examples?.[0] !== undefined)
    return examples?.[0] ?? target.examples?.[0]
  if (values?.[0] !== undefined) return values[0]
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0])
  if (format === 'uuid') return exampleId
  // some columns take only the first day of a month
  if (format === 'date') return '2025-01-01'
  if (format === 'date-time') return '2025-01-31T09:30:00Z'
  const [first] = [type].flat()
  if (first === 'boolean') return true
  if (first === 'integer') return 1
  return first === 'number' ? 12.5 : 'Example'
}

/** Returns an example of an object with these fields. */
export const exampleRow = (fields: Field[]): Json =>
  Object.fromEntries(fields.map(({ name, schema }) => [name, exampleOf(schema)]))

/** Returns the schemas of the rows of a table or a function. */
export function rowSchemas(
  name: string,
  description: string,
  columns: Field[],
  computed: Field[] = [],
): Record<string, Json> {
  const [whole, part] = [reference('schemas', name), reference('schemas', `${name}_part`)]
  return {
    [`${name}_row`]: {
      description: 'A whole row, or with `select` a part of it.',
      anyOf: [whole, part],
    },
    [`${name}_rows`]: {
      description: 'Whole rows, or with `select` parts of them.',
      anyOf: [arrayOf(whole), arrayOf(part)],
    },
    [name]: objectSchema(columns, { description }),
    [`${name}_part`]: objectSchema(
      [...columns, ...computed].map((field) => ({ ...field, isOptional: true })),
      {
        description: 'The columns of `select`, and embedded rows under any name.',
        additionalProperties: true,
      },
    ),
  }
}
