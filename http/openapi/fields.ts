/**
 * Combines the catalogue with the handwritten schemas: a JSON Schema for each column, parameter and
 * result. No I/O.
 */
import type { Column, Exposed, Parameter, Reply, Routine, Table } from './catalogue.ts'
import { type Direction, nullable, schemaOfType, type Schema } from './json-schema.ts'
import {
  columnExamples,
  columnSchemas,
  routineSchemas,
  type RoutineSchema,
} from './handwritten-schemas.ts'

/** A named value. `isOptional`: a request may omit it. */
export type Field = { name: string, schema: Schema, isOptional: boolean }

const isJson = (type: string) => type === 'json' || type === 'jsonb'

function jsonSchemaOf(where: string, schemas: Record<string, Schema>, name: string): Schema {
  const schema = schemas[name]
  if (schema === undefined)
    throw new Error(`${where} contains JSON: add its schema to http/openapi/handwritten-schemas.ts`)
  return schema
}

/** Adds the description of a column to its schema. */
const described = (schema: Schema, description: string): Schema =>
  description === '' ? schema : { ...schema, description }

/** Returns the schema of a column in a response or in a request. */
function columnSchema(table: string, column: Column, direction: Direction): Schema {
  const where = `${table}.${column.name}`
  const { values, ...bounds } = direction === 'request' && column.rewritten ? {} : column.bounds
  const base = isJson(column.type)
    ? jsonSchemaOf(where, columnSchemas, where)
    : schemaOfType(column.type, direction, where)
  const limit = column.digits === null ? undefined : 10 ** column.digits
  const schema: Schema = {
    ...base,
    // the limits of the type, unless the column has narrower ones; exclusive, because the database
    // rounds values
    ...(limit !== undefined && bounds.minimum === undefined && { exclusiveMinimum: -limit }),
    ...(limit !== undefined && bounds.maximum === undefined && { exclusiveMaximum: limit }),
    ...(values !== undefined && { enum: values }),
    ...(where in columnExamples && { examples: [columnExamples[where]] }),
    ...bounds,
  }
  return described(column.nullable ? nullable(schema) : schema, column.description)
}

/** Returns the columns of a row without `select`. */
export const rowFields = ({ name: table, columns }: Table): Field[] =>
  columns.map((column) => ({
    name: column.name,
    schema: columnSchema(table, column, 'response'),
    isOptional: false,
  }))

/** Returns the computed fields of a row. A query must select them by name. */
export const computedFields = ({ name: table, computed }: Table): Field[] =>
  computed.map(({ name, type, description }) => ({
    name,
    schema: described(nullable(schemaOfType(type, 'response', `${table}.${name}`)), description),
    isOptional: false,
  }))

/** Returns the columns of a new row. */
export const newFields = ({ name: table, columns }: Table): Field[] =>
  columns.map((column) => ({
    name: column.name,
    schema: columnSchema(table, column, 'request'),
    isOptional: column.optional,
  }))

/** Returns the columns that an update can set. */
export const changedFields = (table: Table): Field[] =>
  newFields({ ...table, columns: table.columns.filter(({ changeable }) => changeable) })
    .map((field) => ({ ...field, isOptional: true }))

/** Returns the handwritten schemas of a function. @throws if there are none */
export function schemasOfRoutine({ name }: Routine): RoutineSchema {
  const schemas = routineSchemas[name]
  if (schemas === undefined)
    throw new Error(`add the function ${name} to http/openapi/handwritten-schemas.ts`)
  return schemas
}

const parameterSchema = (
  routine: Routine,
  { name, type, nullable: isNullable }: Parameter,
): Schema => {
  const where = `the parameter ${name} of ${routine.name}`
  const { parameters = {} } = schemasOfRoutine(routine)
  const schema = parameters[name] ??
    (isJson(type) ? jsonSchemaOf(where, {}, name) : schemaOfType(type, 'request', where))
  return isNullable ? nullable(schema) : schema
}

/** Returns the parameters of a function. */
export const parameterFields = (routine: Routine): Field[] =>
  routine.parameters.map((parameter) => ({
    name: parameter.name,
    schema: parameterSchema(routine, parameter),
    isOptional: parameter.optional,
  }))

/**
 * Returns the columns of a function's own rows. @throws if handwritten-schemas.ts does not list its
 * nullable columns
 */
export function replyFields(routine: Routine, reply: Extract<Reply, { kind: 'rows' }>): Field[] {
  const { columns = {}, nullable: nulls } = schemasOfRoutine(routine)
  if (nulls === undefined)
    throw new Error(
      `list the nullable columns of ${routine.name} in http/openapi/handwritten-schemas.ts`,
    )
  return reply.columns.map(({ name, type }) => {
    const where = `${routine.name}.${name}`
    const schema = columns[name] ??
      (isJson(type) ? jsonSchemaOf(where, {}, name) : schemaOfType(type, 'response', where))
    return { name, schema: nulls.includes(name) ? nullable(schema) : schema, isOptional: false }
  })
}

/** Returns the schema of a function's single value. */
export function replySchema(routine: Routine, reply: Extract<Reply, { kind: 'value' }>): Schema {
  const { reply: schema } = schemasOfRoutine(routine)
  return schema ??
    (isJson(reply.type)
      ? jsonSchemaOf(`the reply of ${routine.name}`, {}, routine.name)
      : schemaOfType(reply.type, 'response', routine.name))
}

/** Returns all names in handwritten-schemas.ts that no exposed object has. */
export function strayNames({ tables, routines }: Exposed): string[] {
  const columns = tables.flatMap(({ name, columns: of }) =>
    of.map((column) => `${name}.${column.name}`)
  )
  const strayParts = routines.flatMap((routine) => {
    const { parameters = {}, columns: columnsOfRows = {}, nullable: nulls = [] } = schemasOfRoutine(
      routine,
    )
    const names = new Set([
      ...routine.parameters.map(({ name }) => name),
      ...(routine.reply.kind === 'rows' ? routine.reply.columns.map(({ name }) => name) : []),
    ])
    return [...Object.keys({ ...parameters, ...columnsOfRows }), ...nulls].filter((name) =>
      !names.has(name)
    ).map((name) => `${routine.name}.${name}`)
  })
  return [
    ...Object.keys({ ...columnSchemas, ...columnExamples }).filter((name) =>
      !columns.includes(name)
    ),
    ...Object.keys(routineSchemas).filter((name) =>
      !routines.some((routine) => routine.name === name)
    ),
    ...strayParts,
  ]
}
