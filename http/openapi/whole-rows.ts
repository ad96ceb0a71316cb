/**
 * Narrows the OpenAPI document to requests whose responses have one form: JSON with whole rows. In
 * the whole document a response is any of its forms, because OpenAPI cannot make it depend on a
 * parameter or a header. Generated types are then unions, which a program must narrow. No I/O.
 */
import { reference, type Json } from './json-schema.ts'

type Document = {
  info: { description: string }
  components: { schemas: Record<string, Json>, parameters: Record<string, Json> }
}

const media = 'application/json'

/** The parameter `select` of this document. Other values return parts of rows. */
const select: Json = {
  name: 'select',
  in: 'query',
  description:
    'Whole rows, and embedded rows of related tables: `*,alias:table(column,…)`. Parts of rows are in `openapi.json`.',
  schema: { type: 'string', pattern: String.raw`^\*(,|$)` },
  example: '*',
}

/** Returns the part of the document that describes requests for JSON with whole rows. */
export function withWholeRows<Whole extends Document>(document: Whole): Whole {
  const { schemas, parameters } = document.components
  const isForm = (name: string) =>
    /_(?:part|rows?)$/.test(name) && name.replace(/_(?:part|rows?)$/, '') in schemas
  const narrowed = {
    ...document,
    info: {
      ...document.info,
      description:
        `${document.info.description}\n\nThis document describes only requests for JSON with whole rows.`,
    },
    components: {
      ...document.components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => !isForm(name))),
      parameters: { ...parameters, select },
    },
  }
  return JSON.parse(JSON.stringify(narrowed), (key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if (key === 'content' && media in value) return { [media]: value[media] }
    const target = '$ref' in value ? String(value.$ref).slice('#/components/schemas/'.length) : ''
    if (!isForm(target)) return value
    const row = reference('schemas', target.replace(/_rows?$/, ''))
    return target.endsWith('_rows') ? { type: 'array', items: row } : row
  }) as Whole
}
