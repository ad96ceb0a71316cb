/** The exposed schema with a schema for each value: what the catalogue says, completed by shapes.ts. No I/O. */
import type { Column, Exposed, Parameter, Reply, Routine, Table } from './catalogue.ts'
import { nullable, schemaOfType, type Schema } from './json-schema.ts'
import { columnExamples, columnShapes, routineShapes, type RoutineShape } from './shapes.ts'

/** A value with a name. `isOptional`: may be left out of what is sent. */
export type Field = { name: string, schema: Schema, isOptional: boolean }

const isJson = (type: string) => type === 'json' || type === 'jsonb'

function shapeOf(where: string, shapes: Record<string, Schema>, name: string): Schema {
  const shape = shapes[name]
  if (shape === undefined) throw new Error(`${where} holds JSON: say in description/shapes.ts what is in it`)
  return shape
}

/** A schema with the sentence of its column, where there is one. */
const described = (schema: Schema, description: string): Schema => description === '' ? schema : { ...schema, description }

/** A column in a row that is answered, or as it is sent. */
function columnSchema(table: string, column: Column, direction: 'answered' | 'sent'): Schema {
  const where = `${table}.${column.name}`
  const { values, ...bounds } = direction === 'sent' && column.rewritten ? {} : column.bounds
  const base = isJson(column.type) ? shapeOf(where, columnShapes, where) : schemaOfType(column.type, direction, where)
  const limit = column.digits === null ? undefined : 10 ** column.digits
  const schema: Schema = {
    ...base,
    // without those of the type where the column has narrower ones; what is sent is rounded
    ...(limit !== undefined && bounds.minimum === undefined && { exclusiveMinimum: -limit }),
    ...(limit !== undefined && bounds.maximum === undefined && { exclusiveMaximum: limit }),
    ...(values !== undefined && { enum: values }),
    ...(where in columnExamples && { examples: [columnExamples[where]] }),
    ...bounds,
  }
  return described(column.nullable ? nullable(schema) : schema, column.description)
}

/** All that a row has when nothing is selected. */
export const rowFields = ({ name: table, columns }: Table): Field[] =>
  columns.map((column) => ({ name: column.name, schema: columnSchema(table, column, 'answered'), isOptional: false }))

/** The computed fields of a row, which have to be selected by name. */
export const computedFields = ({ name: table, computed }: Table): Field[] =>
  computed.map(({ name, type, description }) => ({
    name,
    schema: described(nullable(schemaOfType(type, 'answered', `${table}.${name}`)), description),
    isOptional: false,
  }))

/** What a new row may have. */
export const newFields = ({ name: table, columns }: Table): Field[] =>
  columns.map((column) => ({ name: column.name, schema: columnSchema(table, column, 'sent'), isOptional: column.optional }))

/** What a change may have. */
export const changedFields = (table: Table): Field[] =>
  newFields({ ...table, columns: table.columns.filter(({ changeable }) => changeable) }).map((field) => ({ ...field, isOptional: true }))

/** What shapes.ts says of a function. @throws when it says nothing */
export function shapeOfRoutine({ name }: Routine): RoutineShape {
  const shape = routineShapes[name]
  if (shape === undefined) throw new Error(`the function ${name} is not in description/shapes.ts`)
  return shape
}

const parameterSchema = (routine: Routine, { name, type, nullable: isNullable }: Parameter): Schema => {
  const where = `the parameter ${name} of ${routine.name}`
  const { parameters = {} } = shapeOfRoutine(routine)
  const schema = parameters[name] ?? (isJson(type) ? shapeOf(where, {}, name) : schemaOfType(type, 'sent', where))
  return isNullable ? nullable(schema) : schema
}

/** The parameters of a function. */
export const parameterFields = (routine: Routine): Field[] =>
  routine.parameters.map((parameter) => ({ name: parameter.name, schema: parameterSchema(routine, parameter), isOptional: parameter.optional }))

/** The columns of a function's own rows. @throws when nobody has said which of them may be null. */
export function replyFields(routine: Routine, reply: Extract<Reply, { kind: 'rows' }>): Field[] {
  const { nullable: nulls } = shapeOfRoutine(routine)
  if (nulls === undefined) throw new Error(`say in description/shapes.ts which columns of ${routine.name} may be null`)
  return reply.columns.map(({ name, type }) => {
    const schema = schemaOfType(type, 'answered', `${routine.name}.${name}`)
    return { name, schema: nulls.includes(name) ? nullable(schema) : schema, isOptional: false }
  })
}

/** The one value that a function answers. */
export function replySchema(routine: Routine, reply: Extract<Reply, { kind: 'value' }>): Schema {
  const { reply: shape } = shapeOfRoutine(routine)
  return shape ?? (isJson(reply.type) ? shapeOf(`the reply of ${routine.name}`, {}, routine.name) : schemaOfType(reply.type, 'answered', routine.name))
}

/** Every name in shapes.ts that is of nothing which is exposed. */
export function strayShapes({ tables, routines }: Exposed): string[] {
  const columns = tables.flatMap(({ name, columns: of }) => of.map((column) => `${name}.${column.name}`))
  const strayParts = routines.flatMap((routine) => {
    const { parameters = {}, nullable: nulls = [] } = shapeOfRoutine(routine)
    const known = new Set([
      ...routine.parameters.map(({ name }) => name),
      ...(routine.reply.kind === 'rows' ? routine.reply.columns.map(({ name }) => name) : []),
    ])
    return [...Object.keys(parameters), ...nulls].filter((name) => !known.has(name)).map((name) => `${routine.name}.${name}`)
  })
  return [
    ...Object.keys({ ...columnShapes, ...columnExamples }).filter((name) => !columns.includes(name)),
    ...Object.keys(routineShapes).filter((name) => !routines.some((routine) => routine.name === name)),
    ...strayParts,
  ]
}
