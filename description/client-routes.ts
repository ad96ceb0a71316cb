/** The auth surface as the client's methods: the text of client/routes.ts, made of the route rows and written by `npm run schema`. */
import { z } from 'zod'
import { routes } from '../auth/features/routes.ts'
import { sessionEffectOf } from '../auth/route.ts'
import { methodOf } from './auth.ts'
import { propertyName, typeScriptOf, type Layout, type Schema } from './json-schema.ts'

/** An object over several lines, each member with its description. */
const spread: Layout = {
  any: 'unknown',
  object: (members, indent) => {
    const inner = `${indent}  `
    const lines = members.map(({ name, isOptional, type, description }) =>
      `${description === undefined ? '' : `${inner}/** ${description} */\n`}${inner}${propertyName(name)}${isOptional ? '?' : ''}: ${type(inner)}${
        isOptional ? ' | undefined' : ''
      }\n`
    )
    return lines.length === 0 ? 'Record<never, never>' : `{\n${lines.join('')}${indent}}`
  },
}
const typeOf = (schema: Schema, indent = ''): string => typeScriptOf(schema, spread, indent)

const describe = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema & { id?: string, $defs?: Record<string, Schema & { id?: string }> }

/** The text of client/routes.ts. */
export function clientRoutesPage(): string {
  const named = new Map<string, string>()
  const methods = routes.map((row) => {
    const input = describe(row.input, 'input')
    const answer = describe(row.output, 'output')
    for (const [name, one] of Object.entries(answer.$defs ?? {})) {
      named.set(name, `${one.description === undefined ? '' : `/** ${one.description} */\n`}export type ${name} = ${typeOf(one)}\n`)
    }
    const isEmpty = Object.keys(input.properties ?? {}).length === 0
    const given = isEmpty ? '' : `input: ${typeOf(input, '  ')}`
    const names = methodOf(row.path)
    const answered = answer.id
    if (answered !== undefined) named.set(answered, `/** ${answer.description ?? ''} */\nexport type ${answered} = ${typeOf(answer)}\n`)
    return { row, names, type: `(${given}) => Promise<${answered ?? typeOf(answer, '  ')}>` }
  })
  const groups = Map.groupBy(methods, ({ names }) => (names.length === 1 ? '' : names[0] ?? ''))
  const nested = (one: (method: typeof methods[number], indent: string) => string, open: (name: string) => string, close: string) =>
    [...groups].map(([group, rows]) => {
      const lines = rows.map((method) => one(method, group === '' ? '  ' : '    ')).join('')
      return group === '' ? lines : `  ${open(group)}\n${lines}  ${close}\n`
    }).join('')
  return `/** The methods of the auth surface and what they take and answer. Written by \`npm run schema\` from the route rows (auth/features). */

/** Each method's route. */
export const routes = {
${nested(({ names, row }, indent) => `${indent}${names.at(-1)}: ['${row.method}', '${row.path}'],\n`, (name) => `${name}: {`, '},')}} as const

/** What an answer means for the session, by the path of its route. */
export const sessionEffects = {
${
    routes.map((row) => [row.path, sessionEffectOf(row)]).filter(([, effect]) => effect !== undefined).map(([path, effect]) => `  '${path}': '${effect}',\n`)
      .join('')
  }} as const

${[...named].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text).join('\n')}
/** Each throws a FinanceError when it fails. */
export type Auth = {
${
    nested(
      ({ names, row, type }, indent) => `${indent}/** ${row.summary} */\n${indent}${names.at(-1)}: ${type.replaceAll('\n', `\n${indent.slice(2)}`)}\n`,
      (name) => `${name}: {`,
      '}',
    )
  }}
`
}
