/** What a client in TypeScript knows of the data surface: client/database.ts and client/fields.ts are written by this and by nobody. */
import type { Exposed, Routine, Rule, Table } from './catalogue.ts'
import { oneLine, typeScriptOf } from './json-schema.ts'
import { namedShapes } from './shapes.ts'
import { changedFields, computedFields, newFields, parameterFields, replyFields, replySchema, rowFields, type Field } from './fields.ts'

const objectType = (fields: Field[]): string =>
  oneLine.object(fields.map(({ name, isOptional, schema }) => ({ name, isOptional, type: () => typeScriptOf(schema) })), '')
const strings = (values: string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`

function tableType(table: Table): string {
  const relationships = table.foreignKeys.map(({ name, columns, table: referenced, referenced: theirs, isOneToOne }) =>
    `          { foreignKeyName: '${name}', columns: ${strings(columns)}, isOneToOne: ${isOneToOne}, referencedRelation: '${referenced}', referencedColumns: ${
      strings(theirs)
    } },\n`
  )
  return `      ${table.name}: {
        Row: ${objectType([...rowFields(table), ...computedFields(table)])}
        Insert: ${table.mayInsert ? objectType(newFields(table)) : 'never'}
        Update: ${table.mayUpdate ? objectType(changedFields(table)) : 'never'}
        Relationships: [${relationships.length === 0 ? '' : `\n${relationships.join('')}        `}]${
    table.computed.length === 0 ? '' : `\n        ComputedFields: ${table.computed.map(({ name }) => `'${name}'`).join(' | ')}`
  }
      }
`
}

function routineType(routine: Routine): string {
  const { name, reply } = routine
  const one = reply.kind === 'table'
    ? `Database['api']['Tables']['${reply.table}']['Row']`
    : reply.kind === 'rows'
    ? objectType(replyFields(routine, reply))
    : typeScriptOf(replySchema(routine, reply))
  const options = reply.kind === 'table'
    ? `\n        SetofOptions: { from: '*', to: '${reply.table}', isOneToOne: ${!reply.isSet}, isSetofReturn: ${reply.isSet} }`
    : ''
  return `      ${name}: {
        Args: ${objectType(parameterFields(routine))}
        Returns: ${one}${reply.isSet ? '[]' : ''}${options}
      }
`
}

/** The text of client/database.ts: the type that `PostgrestClient` of @supabase/postgrest-js takes. */
export function databasePage({ tables, routines }: Exposed): string {
  const names = Object.entries(namedShapes)
  return `/** The data surface as postgrest-js wants to know it. Written by \`npm run schema\` from the catalogue and description/shapes.ts. */

/** Any JSON value. */
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

${
    names.map(([name, schema]) => `${schema.description === undefined ? '' : `/** ${schema.description}. */\n`}export type ${name} = ${typeScriptOf(schema)}\n`)
      .join('\n')
  }
/** What is exposed. Insert is what a new row may have, Update what a change may have; \`never\` is a table that nobody writes to. */
export type Database = {
  api: {
    Tables: {
${tables.map(tableType).join('')}    }
    Views: Record<never, never>
    Functions: {
${routines.map(routineType).join('')}    }
    Enums: Record<never, never>
    CompositeTypes: Record<never, never>
  }
}

type Tables = Database['api']['Tables']
type Functions = Database['api']['Functions']

export type TableName = keyof Tables
/** A row as it is read. */
export type Row<Name extends TableName> = Tables[Name]['Row']
/** A row as it is created. */
export type NewRow<Name extends TableName> = Tables[Name]['Insert']
/** What of a row is changed. */
export type RowChange<Name extends TableName> = Tables[Name]['Update']

export type FunctionName = keyof Functions
/** What a function is called with. */
export type Arguments<Name extends FunctionName> = Functions[Name]['Args']
/** What a function answers. */
export type Reply<Name extends FunctionName> = Functions[Name]['Returns']
`
}

/** The nullable texts of a table that a change may set and that identify no row, with their maximum lengths. */
function freeTexts({ columns }: Table, rules: Rule[]): string[] {
  const identifying = new Set(rules.filter(({ isUnique }) => isUnique).flatMap((rule) => rule.columns))
  return columns.flatMap(({ name, type, nullable, changeable, fromToken, bounds: { maxLength } }) =>
    type === 'text' && nullable && changeable && !fromToken && maxLength !== undefined && !identifying.has(name) ? [`${name}: ${maxLength}`] : []
  )
}

/** The text of client/fields.ts: the field of a form that a refused constraint is about, and the free texts. */
export function fieldsPage({ tables }: Exposed, rules: Rule[]): string {
  // nobody types in what comes from the token
  const hidden = new Set(tables.flatMap(({ columns }) => columns.filter(({ fromToken }) => fromToken).map(({ name }) => name)))
  // a caller cannot break a rule of a table that only functions write
  const written = tables.filter(({ mayInsert }) => mayInsert)
  const shown = rules.filter(({ name }) => written.some((table) => name.startsWith(`${table.name}_`))).map(({ name, columns }) => {
    const typed = columns.filter((column) => !hidden.has(column))
    return `  ${name}: ${strings(typed.length === 0 ? columns : typed)},\n`
  })
  return `/**
 * The fields that a form shows for each constraint and each unique index of the data surface, by its name in an error's
 * \`message\`. A value that is missing (23502) has no constraint: its message names the column. Written by \`npm run schema\`.
 */
export const fieldsOfConstraints: Readonly<Record<string, readonly string[]>> = {
${shown.join('')}}

/** The free texts of a transaction, with their maximum lengths. */
export const textLengths = { ${tables.filter(({ name }) => name === 'transactions').flatMap((table) => freeTexts(table, rules)).join(', ')} } as const
export type TextColumn = keyof typeof textLengths
`
}

/** The text of edge/columns.ts: the only names that a query may use as columns. */
export function columnsPage({ tables, routines }: Exposed): string {
  const sorted = (fields: { name: string }[]) => [...new Set(fields.map(({ name }) => name))].toSorted()
  const ofRoutines = routines.map(({ name, parameters, reply }) => ({ name, names: sorted([...parameters, ...(reply.kind === 'rows' ? reply.columns : [])]) }))
  return `/** The columns of a query, of which PostgREST checks none. Written by \`npm run schema\` from the catalogue. */

/** Columns and computed fields of all tables. */
export const columnsOfTables: ReadonlySet<string> = new Set([
${sorted(tables.flatMap(({ columns, computed }) => [...columns, ...computed])).map((name) => `  '${name}',\n`).join('')}])

/** Parameters and result columns of each function. */
export const columnsOfFunctions: Readonly<Record<string, readonly string[]>> = {
${ofRoutines.map(({ name, names }) => `  ${name}: ${strings(names)},\n`).join('')}}
`
}
