/**
 * The handwritten part of the data surface's schemas, for what the catalogue lacks: the JSON in
 * columns, parameters and results, the values of a parameter, and nullable columns of a function's
 * rows. It also has the examples. `npm run schema` fails if an entry is missing or matches nothing.
 * tests/data/openapi.test.ts compares the entries with requests and responses.
 */
import { nullable, schemaOfType, type Schema } from './json-schema.ts'

export type RoutineSchema = {
  /** Schemas of parameters, if their type is not precise enough. */
  parameters?: Record<string, Schema>
  /**
   * Schemas of columns, for a function that returns its own rows, if their type is not precise
   * enough.
   */
  columns?: Record<string, Schema>
  /** The nullable columns, for a function that returns its own rows. */
  nullable?: string[]
  /** The schema of the result, for a function that returns one JSON value. */
  reply?: Schema
  /**
   * The function needs one of several optional parameters, of which a query cannot have all. So
   * only POST calls it.
   */
  needsBody?: true
  /** Arguments of a successful call. */
  example: Record<string, unknown>
}

/** The id of a row, in examples. */
export const exampleId = '3f1c1a5e-8f0e-4f52-9c0b-6a3d2f7e9b10'
/** The id of another row, in examples. */
export const otherExampleId = '7b20c4de-52a8-4c0f-8f6e-1d9a3e5b7c42'

const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values })
const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const day: Schema = { type: 'string', format: 'date' }
const moment: Schema = schemaOfType('timestamptz', 'request', 'a moment')
const object = (properties: Record<string, Schema>, required: string[]): Schema => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
})

const presets = [
  'today',
  'yesterday',
  'last_7_days',
  'last_30_days',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
  'this_quarter',
  'last_quarter',
  'this_year',
  'last_year',
  'all_time',
]
const compared = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'from', 'to', 'between', 'is_null']
const filter = (fields: string[], operations: string[], value: Schema): Schema =>
  object({
    field: oneOf(...fields),
    operation: oneOf(...operations),
    value: {
      anyOf: [value, { type: 'array', items: value, minItems: 1, maxItems: 1000 }, {
        type: ['boolean', 'null'],
      }],
    },
  }, ['field', 'operation'])

/** Schemas with a name of their own in the OpenAPI document and in the client's types. */
export const namedSchemas: Record<string, Schema> = {
  DateRangePreset: {
    ...oneOf(...presets, 'custom'),
    description: 'A range of whole days; `custom` comes with `start_date` and `end_date`',
  },
  DateRange: {
    description: 'A preset, or two days, both included',
    anyOf: [
      object({
        preset: oneOf(...presets),
        start_date: { type: 'null' },
        end_date: { type: 'null' },
      }, ['preset']),
      object({ start_date: day, end_date: day, preset: nullable(oneOf('custom')) }, [
        'start_date',
        'end_date',
      ]),
    ],
  },
  DashboardLayout: {
    type: 'object',
    description: 'The widgets of a dashboard and their positions',
    examples: [{
      widgets: [{ id: 'flow', type: 'cash_flow', position: { x: 0, y: 0 }, size: { w: 6, h: 4 } }],
    }],
    required: ['widgets'],
    properties: {
      widgets: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'type', 'position', 'size'],
          properties: {
            id: { type: 'string', minLength: 1 },
            type: { type: 'string', minLength: 1 },
            position: {
              type: 'object',
              required: ['x', 'y'],
              properties: { x: { type: 'number', minimum: 0 }, y: { type: 'number', minimum: 0 } },
            },
            size: {
              type: 'object',
              required: ['w', 'h'],
              properties: {
                w: { type: 'number', exclusiveMinimum: 0 },
                h: { type: 'number', exclusiveMinimum: 0 },
              },
            },
            config: {},
          },
        },
      },
    },
  },
  ImportedRow: {
    description: "A row of a bank's file; null if the file has no value",
    ...object({
      name: { type: 'string', minLength: 1, maxLength: 255 },
      amount: {
        type: ['number', 'string'],
        description: 'Negative for an expense; as a text like -12.50',
      },
      transaction_date: {
        type: ['string', 'null'],
        description: 'A date or date-time between 1900 and 2199. Default current time',
      },
      currency: {
        type: ['string', 'null'],
        description: "Default the account's; without an account usd",
      },
      external_id: {
        type: ['string', 'null'],
        minLength: 1,
        maxLength: 255,
        description: 'The id of the transaction at the bank',
      },
      category_id: {
        type: ['string', 'null'],
        format: 'uuid',
        description: 'A category of the active context',
      },
      reference_no: { type: ['string', 'null'], maxLength: 255 },
      description: { type: ['string', 'null'], maxLength: 5000 },
      status: nullable(oneOf('paid', 'pending', 'failed')),
      metadata: {},
    }, ['name', 'amount']),
  },
  TransactionFilter: {
    description: '`in` and `between` take an array; `is_null` takes true, false or no value',
    anyOf: [
      filter(['amount'], compared, { type: ['number', 'string'] }),
      filter(['transaction_date', 'created_at', 'updated_at'], compared, {
        type: 'string',
        description: 'A date, a date-time or a preset',
      }),
      filter(['id', 'category_id', 'account_id'], ['eq', 'neq', 'in', 'is_null'], {
        type: 'string',
        format: 'uuid',
      }),
      filter(
        [
          'name',
          'description',
          'currency',
          'status',
          'source',
          'reference_no',
          'external_id',
          'user_id',
          'organization_id',
        ],
        ['eq', 'neq', 'like', 'ilike', 'in', 'is_null'],
        { type: ['string', 'number'] },
      ),
      filter(['tag'], ['eq', 'neq', 'in', 'is_null'], {
        type: ['string', 'number'],
        description: 'The name of a tag',
      }),
      filter(['search'], ['contains', 'eq', 'ilike'], {
        type: ['string', 'number'],
        description: 'A text in the name, the description or the reference',
      }),
    ],
  },
}

/** Schemas of columns with JSON. `{}` allows any value. */
export const columnSchemas: Record<string, Schema> = {
  'accounts.metadata': {},
  'activity.after': { type: ['object', 'null'] },
  'activity.before': { type: ['object', 'null'] },
  'dashboards.date_range': schemaRef('DateRange'),
  'dashboards.filters': {},
  'dashboards.layout': schemaRef('DashboardLayout'),
  'rules.conditions': {
    type: 'array',
    items: schemaRef('TransactionFilter'),
    minItems: 1,
    maxItems: 50,
  },
  'transactions.metadata': {},
}

/** Examples of columns, if an example by type would be invalid. */
export const columnExamples: Record<string, unknown> = {
  'exchange_rates.base': 'eur',
  'exchange_rates.quote': 'usd',
  'line_items.amount': -12.5,
  'rules.conditions': [{ field: 'name', operation: 'ilike', value: '*market*' }],
  'rules.set_name': 'Market',
}

const filters: Schema = { type: 'array', items: schemaRef('TransactionFilter'), maxItems: 50 }
const lastMonths = { field: 'transaction_date', operation: 'from', value: 'last_quarter' }
const uuid: Schema = { type: 'string', format: 'uuid' }
const count: Schema = { type: 'integer' }
const changedValues: Schema = object({
  category_id: { ...uuid, type: ['string', 'null'] },
  name: { type: 'string' },
  tags: { type: 'array', items: { type: 'string' } },
  transfer: { type: 'boolean' },
}, [])
/** A balance that a client sends. The database reads it as text, so that it can check its form. */
const statedBalance: Schema = { type: 'number', exclusiveMinimum: -1e12, exclusiveMaximum: 1e12 }
const transferred: Schema = { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e12 }

/** The schemas and the example of each function. */
export const routineSchemas: Record<string, RoutineSchema> = {
  apply_rules: {
    parameters: { p_filters: filters },
    nullable: [],
    columns: { before: changedValues, after: changedValues },
    example: { p_filters: [lastMonths], p_dry_run: true },
  },
  begin_upload: {
    parameters: {
      name: { type: 'string', minLength: 1, maxLength: 255 },
      size: { type: 'integer', minimum: 1 },
      sha256: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
      note: { type: ['string', 'null'], maxLength: 1000 },
    },
    reply: object({
      attachment_id: uuid,
      ticket: { type: 'string' },
      expires_in: count,
      status: oneOf('pending', 'ready'),
      bytes_left: count,
    }, [
      'attachment_id',
      'ticket',
      'expires_in',
      'status',
      'bytes_left',
    ]),
    example: {
      transaction_id: exampleId,
      name: 'receipt.pdf',
      size: 84_210,
      sha256: '0f'.repeat(32),
    },
  },
  create_transfer: {
    parameters: {
      amount: transferred,
      to_amount: { anyOf: [transferred, { type: 'null' }] },
      transfer_date: moment,
    },
    example: { from_account_id: exampleId, to_account_id: otherExampleId, amount: 200 },
  },
  link_transfer: {
    example: { p_from_transaction_id: exampleId, p_to_transaction_id: otherExampleId },
  },
  unlink_transfer: {
    example: { p_transfer_id: exampleId },
  },
  delete_category: {
    reply: object({
      category_id: uuid,
      replacement_id: { type: ['string', 'null'], format: 'uuid' },
      transactions: count,
      subscriptions: count,
      line_items: count,
    }, [
      'category_id',
      'replacement_id',
      'transactions',
      'subscriptions',
      'line_items',
    ]),
    example: { p_category_id: exampleId },
  },
  get_balances: {
    parameters: { on_date: { anyOf: [day, { type: 'null' }] } },
    nullable: [],
    example: { on_date: '2025-01-31', p_convert_to: 'eur' },
  },
  get_budget_comparison: {
    parameters: { preset: { anyOf: [schemaRef('DateRangePreset'), { type: 'null' }] } },
    nullable: [],
    example: { start_date: '2025-01-01', end_date: '2025-01-31' },
  },
  get_cash_flow: {
    parameters: {
      grouping: oneOf('daily', 'weekly', 'monthly', 'quarterly', 'yearly'),
      periods: { type: 'integer', minimum: 1, maximum: 120 },
      upcoming: { type: 'integer', minimum: 0, maximum: 120 },
    },
    nullable: [],
    example: { grouping: 'monthly', p_from: '2025-01-01', p_to: '2025-03-31' },
  },
  get_filtered_transactions: {
    parameters: { filters },
    example: {
      filters: [{ field: 'amount', operation: 'lt', value: -40 }, {
        field: 'transaction_date',
        operation: 'between',
        value: ['2025-01-01', '2025-01-31'],
      }],
    },
  },
  get_file_space: { nullable: ['organization_id'], example: {} },
  get_net_worth: {
    parameters: {
      grouping: oneOf('daily', 'weekly', 'monthly', 'quarterly', 'yearly'),
      periods: { type: 'integer', minimum: 1, maximum: 120 },
    },
    nullable: [],
    example: { grouping: 'monthly', periods: 12 },
  },
  get_reconciliation: { nullable: [], example: { p_account_id: exampleId } },
  set_balance: {
    parameters: {
      p_balance: statedBalance,
      p_on_date: { anyOf: [day, { type: 'null' }] },
      p_name: { type: ['string', 'null'], minLength: 1, maxLength: 255 },
    },
    reply: { anyOf: [schemaRef('transactions_row'), { type: 'null' }] },
    example: { p_account_id: exampleId, p_balance: 1250.75 },
  },
  get_forecast: {
    parameters: {
      p_until: {
        type: 'string',
        description: 'A day as YYYY-MM-DD, or a preset such as `this_year`',
      },
      p_account_ids: { type: ['array', 'null'], items: uuid },
      p_what_if: {
        type: ['array', 'null'],
        maxItems: 1000,
        items: object({
          account_id: uuid,
          on_date: day,
          amount: { type: ['number', 'string'] },
          name: { type: ['string', 'null'], minLength: 1, maxLength: 255 },
        }, [
          'account_id',
          'on_date',
          'amount',
        ]),
      },
    },
    columns: {
      reasons: {
        type: 'array',
        items: object({
          name: { type: 'string' },
          amount: { type: ['number', 'null'] },
          subscription_id: { type: ['string', 'null'], format: 'uuid' },
          transaction_id: { type: ['string', 'null'], format: 'uuid' },
        }, ['name', 'amount', 'subscription_id', 'transaction_id']),
      },
    },
    nullable: ['account_id'],
    example: { p_until: 'this_year' },
  },
  get_upcoming: {
    parameters: { preset: { anyOf: [schemaRef('DateRangePreset'), { type: 'null' }] } },
    columns: { kind: oneOf('expense', 'income', 'transfer') },
    nullable: ['category_id', 'to_account_id'],
    example: { start_date: '2025-01-01', end_date: '2025-03-31' },
  },
  get_instance_rates: {
    parameters: { on_date: day },
    nullable: [],
    example: { on_date: '2025-01-31' },
  },
  record_subscription: {
    parameters: { due_on: day },
    example: { p_subscription_id: exampleId, due_on: '2025-01-31' },
  },
  get_missing_rates: {
    parameters: { p_filters: filters },
    nullable: [],
    example: { p_convert_to: 'eur' },
  },
  get_transaction_aggregate: {
    parameters: {
      p_filters: filters,
      p_group_by: oneOf(
        'day',
        'week',
        'month',
        'quarter',
        'year',
        'category',
        'parent',
        'tag',
        'account',
        'payee',
        'status',
        'currency',
      ),
      p_aggregate_fn: oneOf('sum', 'avg', 'count'),
    },
    nullable: ['key', 'name', 'pending'],
    example: { p_group_by: 'month', p_aggregate_fn: 'sum', p_filters: [lastMonths] },
  },
  get_transaction_distribution_by_category: {
    parameters: {
      params: object({
        user_id: { type: ['string', 'null'] },
        organization_id: {
          type: ['string', 'null'],
          description: 'null is the personal context; by default the active one',
        },
        filters: {
          type: ['object', 'null'],
          additionalProperties: false,
          properties: {
            start_date: { type: ['string', 'null'] },
            end_date: { type: ['string', 'null'] },
            preset: { anyOf: [schemaRef('DateRangePreset'), { type: 'null' }] },
            currency: { type: ['string', 'null'] },
            account_id: { type: ['string', 'null'], format: 'uuid' },
            transaction_type: nullable(oneOf('balance', 'income', 'expense')),
          },
        },
        p_convert_to: {
          type: ['string', 'null'],
          description: 'A currency to convert to, such as `eur`',
        },
        p_group_by: nullable(oneOf('category', 'parent')),
      }, []),
      p_group_by: nullable(oneOf('category', 'parent')),
    },
    nullable: ['category_id', 'name'],
    example: {
      params: {
        filters: { start_date: '2025-01-01', end_date: '2025-01-31', transaction_type: 'expense' },
      },
    },
  },
  get_transaction_stat: {
    parameters: {
      p_organization_id: {
        type: ['string', 'null'],
        description: 'null is the personal context; by default the active one',
      },
      p_filters: filters,
      p_aggregate_fn: oneOf('sum', 'avg', 'count'),
      p_transaction_type: oneOf('balance', 'income', 'expense'),
    },
    example: {
      p_organization_id: null,
      p_aggregate_fn: 'count',
      p_transaction_type: 'expense',
      p_filters: [lastMonths],
    },
  },
  suggest_categories: {
    parameters: {
      p_rows: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          required: ['name', 'amount'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 255 },
            amount: { type: ['number', 'string'] },
          },
        },
        minItems: 1,
        maxItems: 5000,
      },
    },
    nullable: ['transaction_id', 'category_id', 'share'],
    needsBody: true,
    example: { p_rows: [{ name: 'Tram', amount: '-2.90' }] },
  },
  open_attachment: {
    reply: object({ ticket: { type: 'string' }, expires_in: count }, ['ticket', 'expires_in']),
    example: { id: exampleId },
  },
  undo: {
    reply: object({ change_id: uuid, create: count, update: count, delete: count }, [
      'change_id',
      'create',
      'update',
      'delete',
    ]),
    example: { p_activity_id: exampleId },
  },
  import_transactions: {
    parameters: {
      p_rows: { type: 'array', items: schemaRef('ImportedRow'), minItems: 1, maxItems: 5000 },
      p_balance: { anyOf: [statedBalance, { type: 'null' }] },
    },
    nullable: ['reason', 'transaction_id', 'rule_id', 'suggested_category_id', 'because'],
    example: {
      p_rows: [{ name: 'Tram', amount: '-2.90', transaction_date: '2025-02-10' }],
      p_source: 'bank',
      p_dry_run: false,
    },
  },
}
