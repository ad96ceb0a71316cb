/** The data surface as postgrest-js wants to know it. Written by `npm run schema` from the catalogue and description/shapes.ts. */

/** Any JSON value. */
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

/** A range of whole days; `custom` comes with `start_date` and `end_date`. */
export type DateRangePreset = 'today' | 'yesterday' | 'last_7_days' | 'last_30_days' | 'this_week' | 'last_week' | 'this_month' | 'last_month' | 'this_quarter' | 'last_quarter' | 'this_year' | 'last_year' | 'all_time' | 'custom'

/** A preset, or two days, both included. */
export type DateRange = { preset: 'today' | 'yesterday' | 'last_7_days' | 'last_30_days' | 'this_week' | 'last_week' | 'this_month' | 'last_month' | 'this_quarter' | 'last_quarter' | 'this_year' | 'last_year' | 'all_time', start_date?: null, end_date?: null } | { start_date: string, end_date: string, preset?: 'custom' | null }

/** The widgets of a dashboard, and where they stand. */
export type DashboardLayout = { widgets: { id: string, type: string, position: { x: number, y: number }, size: { w: number, h: number }, config?: Json }[] }

/** A row of a bank's file; null is what the file does not say. */
export type ImportedRow = { name: string, amount: number | string, transaction_date?: string | null, currency?: string | null, external_id?: string | null, category_id?: string | null, reference_no?: string | null, description?: string | null, status?: 'paid' | 'pending' | 'failed' | null, metadata?: Json }

/** An array is the value of `in` and `between`; true, false or nothing that of `is_null`. */
export type TransactionFilter = { field: 'amount', operation: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'from' | 'to' | 'between' | 'is_null', value?: number | string | (number | string)[] | boolean | null } | { field: 'transaction_date' | 'created_at' | 'updated_at', operation: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'from' | 'to' | 'between' | 'is_null', value?: string | string[] | boolean | null } | { field: 'id' | 'category_id' | 'account_id', operation: 'eq' | 'neq' | 'in' | 'is_null', value?: string | string[] | boolean | null } | { field: 'name' | 'description' | 'currency' | 'status' | 'source' | 'reference_no' | 'external_id' | 'user_id' | 'organization_id', operation: 'eq' | 'neq' | 'like' | 'ilike' | 'in' | 'is_null', value?: string | number | (string | number)[] | boolean | null } | { field: 'tag', operation: 'eq' | 'neq' | 'in' | 'is_null', value?: string | number | (string | number)[] | boolean | null } | { field: 'search', operation: 'contains' | 'eq' | 'ilike', value?: string | number | (string | number)[] | boolean | null }

/** What is exposed. Insert is what a new row may have, Update what a change may have; `never` is a table that nobody writes to. */
export type Database = {
  api: {
    Tables: {
      accounts: {
        Row: { id: string, name: string, type: 'checking' | 'savings' | 'credit_card' | 'cash' | 'investment', currency: string, balance: number, description: string | null, institution: string | null, account_number: string | null, color: string | null, icon: string | null, user_id: string | null, organization_id: string | null, metadata: Json, created_at: string, updated_at: string, current_balance: number | null }
        Insert: { id?: string, name: string, type: 'checking' | 'savings' | 'credit_card' | 'cash' | 'investment', currency?: string, balance?: number, description?: string | null, institution?: string | null, account_number?: string | null, color?: string | null, icon?: string | null, user_id?: string | null, organization_id?: string | null, metadata?: Json, created_at?: string, updated_at?: string }
        Update: { name?: string, type?: 'checking' | 'savings' | 'credit_card' | 'cash' | 'investment', currency?: string, balance?: number, description?: string | null, institution?: string | null, account_number?: string | null, color?: string | null, icon?: string | null, metadata?: Json }
        Relationships: []
        ComputedFields: 'current_balance'
      }
      activity: {
        Row: { id: string, happened_at: string, change_id: string, actor_id: string, user_id: string | null, organization_id: string | null, action: 'create' | 'update' | 'delete', table_name: string, row_id: string, before: { [key: string]: Json } | null, after: { [key: string]: Json } | null }
        Insert: never
        Update: never
        Relationships: []
      }
      app_subscriptions: {
        Row: { id: string, user_id: string, product_id: string, status: string, period_start: string, period_end: string, created_at: string, updated_at: string }
        Insert: never
        Update: never
        Relationships: []
      }
      budgets: {
        Row: { id: string, category_id: string, month: string | null, amount: number, currency: string, rollover: boolean, user_id: string | null, organization_id: string | null, created_at: string, updated_at: string, starts_on: string | null }
        Insert: { id?: string, category_id: string, month?: string | null, amount: number, currency?: string, rollover?: boolean, user_id?: string | null, organization_id?: string | null, created_at?: string, updated_at?: string, starts_on?: string | null }
        Update: { category_id?: string, month?: string | null, amount?: number, currency?: string, rollover?: boolean, starts_on?: string | null }
        Relationships: [
          { foreignKeyName: 'budgets_category_id_fkey', columns: ['category_id'], isOneToOne: false, referencedRelation: 'categories', referencedColumns: ['id'] },
        ]
      }
      categories: {
        Row: { id: string, name: string, color: string | null, icon: string | null, monthly_budget: number | null, user_id: string | null, organization_id: string | null, created_at: string, updated_at: string, budget_currency: string }
        Insert: { id?: string, name: string, color?: string | null, icon?: string | null, monthly_budget?: number | null, user_id?: string | null, organization_id?: string | null, created_at?: string, updated_at?: string, budget_currency?: string }
        Update: { name?: string, color?: string | null, icon?: string | null, monthly_budget?: number | null, budget_currency?: string }
        Relationships: []
      }
      dashboards: {
        Row: { id: string, name: string, description: string | null, layout: DashboardLayout, filters: Json, date_range: DateRange | null, is_default: boolean, visibility: 'private' | 'shared' | 'public', user_id: string | null, organization_id: string | null, created_at: string, updated_at: string }
        Insert: { id?: string, name: string, description?: string | null, layout: DashboardLayout, filters?: Json, date_range?: DateRange | null, is_default?: boolean, visibility?: 'private' | 'shared' | 'public', user_id?: string | null, organization_id?: string | null, created_at?: string, updated_at?: string }
        Update: { name?: string, description?: string | null, layout?: DashboardLayout, filters?: Json, date_range?: DateRange | null, is_default?: boolean, visibility?: 'private' | 'shared' | 'public' }
        Relationships: []
      }
      exchange_rates: {
        Row: { id: string, on_date: string, base: string, quote: string, rate: number, user_id: string | null, organization_id: string | null, created_at: string, updated_at: string }
        Insert: { id?: string, on_date: string, base: string, quote: string, rate: number, user_id?: string | null, organization_id?: string | null, created_at?: string, updated_at?: string }
        Update: { on_date?: string, base?: string, quote?: string, rate?: number }
        Relationships: []
      }
      imports: {
        Row: { id: string, source: string, account_id: string | null, file_name: string | null, row_count: number, user_id: string | null, organization_id: string | null, created_at: string }
        Insert: never
        Update: never
        Relationships: [
          { foreignKeyName: 'imports_account_id_fkey', columns: ['account_id'], isOneToOne: false, referencedRelation: 'accounts', referencedColumns: ['id'] },
        ]
      }
      line_items: {
        Row: { id: string, transaction_id: string, name: string, amount: number, quantity: number, category_id: string | null, user_id: string | null, organization_id: string | null }
        Insert: { id?: string, transaction_id: string, name: string, amount: number, quantity?: number, category_id?: string | null, user_id?: string | null, organization_id?: string | null }
        Update: { transaction_id?: string, name?: string, amount?: number, quantity?: number, category_id?: string | null }
        Relationships: [
          { foreignKeyName: 'line_items_category_id_fkey', columns: ['category_id'], isOneToOne: false, referencedRelation: 'categories', referencedColumns: ['id'] },
          { foreignKeyName: 'line_items_transaction_id_fkey', columns: ['transaction_id'], isOneToOne: false, referencedRelation: 'transactions', referencedColumns: ['id'] },
        ]
      }
      past_budgets: {
        Row: { id: string, category_id: string, currency: string, until: string, amount: number | null, rollover: boolean, starts_on: string | null, user_id: string | null, organization_id: string | null, created_at: string, updated_at: string }
        Insert: { id?: string, category_id: string, currency?: string, until: string, amount?: number | null, rollover?: boolean, starts_on?: string | null, user_id?: string | null, organization_id?: string | null, created_at?: string, updated_at?: string }
        Update: { category_id?: string, currency?: string, until?: string, amount?: number | null, rollover?: boolean, starts_on?: string | null }
        Relationships: [
          { foreignKeyName: 'past_budgets_category_id_fkey', columns: ['category_id'], isOneToOne: false, referencedRelation: 'categories', referencedColumns: ['id'] },
        ]
      }
      subscriptions: {
        Row: { id: string, title: string, amount: number, period: 'monthly' | 'yearly' | 'quarterly' | 'semi-annually' | 'weekly' | 'daily', description: string | null, logo_url: string | null, interval_in_days: number | null, category_id: string | null, user_id: string | null, organization_id: string | null, currency: string, starts_on: string, ends_on: string | null, account_id: string | null, is_active: boolean, monthly_cost: number | null, next_due_on: string | null }
        Insert: { id?: string, title: string, amount: number, period: 'monthly' | 'yearly' | 'quarterly' | 'semi-annually' | 'weekly' | 'daily', description?: string | null, logo_url?: string | null, interval_in_days?: number | null, category_id?: string | null, user_id?: string | null, organization_id?: string | null, currency?: string, starts_on?: string, ends_on?: string | null, account_id?: string | null, is_active?: boolean }
        Update: { title?: string, amount?: number, period?: 'monthly' | 'yearly' | 'quarterly' | 'semi-annually' | 'weekly' | 'daily', description?: string | null, logo_url?: string | null, interval_in_days?: number | null, category_id?: string | null, currency?: string, starts_on?: string, ends_on?: string | null, account_id?: string | null, is_active?: boolean }
        Relationships: [
          { foreignKeyName: 'subscriptions_account_id_fkey', columns: ['account_id'], isOneToOne: false, referencedRelation: 'accounts', referencedColumns: ['id'] },
          { foreignKeyName: 'subscriptions_category_id_fkey', columns: ['category_id'], isOneToOne: false, referencedRelation: 'categories', referencedColumns: ['id'] },
        ]
        ComputedFields: 'monthly_cost' | 'next_due_on'
      }
      tags: {
        Row: { id: string, name: string, user_id: string | null, organization_id: string | null, created_at: string }
        Insert: { id?: string, name: string, user_id?: string | null, organization_id?: string | null, created_at?: string }
        Update: { name?: string }
        Relationships: []
      }
      transaction_tags: {
        Row: { transaction_id: string, tag_id: string, user_id: string | null, organization_id: string | null }
        Insert: { transaction_id: string, tag_id: string, user_id?: string | null, organization_id?: string | null }
        Update: { transaction_id?: string, tag_id?: string }
        Relationships: [
          { foreignKeyName: 'transaction_tags_tag_id_fkey', columns: ['tag_id'], isOneToOne: false, referencedRelation: 'tags', referencedColumns: ['id'] },
          { foreignKeyName: 'transaction_tags_transaction_id_fkey', columns: ['transaction_id'], isOneToOne: false, referencedRelation: 'transactions', referencedColumns: ['id'] },
        ]
      }
      transactions: {
        Row: { id: string, amount: number, name: string, currency: string, user_id: string | null, organization_id: string | null, external_id: string | null, category_id: string | null, reference_no: string | null, description: string | null, status: 'paid' | 'pending' | 'failed', source: string, metadata: Json, transaction_date: string, created_at: string, updated_at: string, account_id: string | null, transfer_id: string | null, import_id: string | null, booked_on: string | null }
        Insert: { id?: string, amount: number, name: string, currency?: string, user_id?: string | null, organization_id?: string | null, external_id?: string | null, category_id?: string | null, reference_no?: string | null, description?: string | null, status?: 'paid' | 'pending' | 'failed', source?: string, metadata?: Json, transaction_date?: string, created_at?: string, updated_at?: string, account_id?: string | null, transfer_id?: string | null, import_id?: string | null, booked_on?: string | null }
        Update: { amount?: number, name?: string, currency?: string, external_id?: string | null, category_id?: string | null, reference_no?: string | null, description?: string | null, status?: 'paid' | 'pending' | 'failed', source?: string, metadata?: Json, transaction_date?: string, account_id?: string | null, transfer_id?: string | null, import_id?: string | null, booked_on?: string | null }
        Relationships: [
          { foreignKeyName: 'transactions_account_id_fkey', columns: ['account_id'], isOneToOne: false, referencedRelation: 'accounts', referencedColumns: ['id'] },
          { foreignKeyName: 'transactions_category_id_fkey', columns: ['category_id'], isOneToOne: false, referencedRelation: 'categories', referencedColumns: ['id'] },
          { foreignKeyName: 'transactions_import_id_fkey', columns: ['import_id'], isOneToOne: false, referencedRelation: 'imports', referencedColumns: ['id'] },
        ]
      }
    }
    Views: Record<never, never>
    Functions: {
      create_transfer: {
        Args: { from_account_id: string, to_account_id: string, amount: number, transfer_date?: string | null, name?: string, to_amount?: number | null }
        Returns: Database['api']['Tables']['transactions']['Row'][]
        SetofOptions: { from: '*', to: 'transactions', isOneToOne: false, isSetofReturn: true }
      }
      delete_category: {
        Args: { p_category_id: string, p_replacement_id?: string | null }
        Returns: { category_id: string, replacement_id: string | null, transactions: number, subscriptions: number, line_items: number }
      }
      get_budget_comparison: {
        Args: { start_date?: string | null, end_date?: string | null, preset?: DateRangePreset | null, p_currency?: string | null, p_convert_to?: string | null }
        Returns: { category_id: string, name: string, currency: string, budget: number, actual: number, difference: number }[]
      }
      get_cash_flow: {
        Args: { grouping?: 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'yearly', periods?: number, p_currency?: string | null, p_account_id?: string | null, upcoming?: number, p_convert_to?: string | null }
        Returns: { period: string, currency: string, income: number, expenses: number, net: number, is_planned: boolean }[]
      }
      get_filtered_transactions: {
        Args: { filters: TransactionFilter[] }
        Returns: Database['api']['Tables']['transactions']['Row'][]
        SetofOptions: { from: '*', to: 'transactions', isOneToOne: false, isSetofReturn: true }
      }
      get_transaction_aggregate: {
        Args: { p_filters?: TransactionFilter[], p_group_by?: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'category' | 'status' | 'currency', p_aggregate_fn?: 'sum' | 'avg' | 'count', p_convert_to?: string | null }
        Returns: { key: string | null, name: string | null, currency: string, value: number, count: number }[]
      }
      get_transaction_distribution_by_category: {
        Args: { params: { user_id?: string | null, organization_id?: string | null, filters?: { start_date?: string | null, end_date?: string | null, preset?: DateRangePreset | null, currency?: string | null, account_id?: string | null, transaction_type?: 'balance' | 'income' | 'expense' | null } | null, p_convert_to?: string | null }, p_convert_to?: string | null }
        Returns: { category_id: string | null, name: string | null, currency: string, total: number, count: number, share: number }[]
      }
      get_transaction_stat: {
        Args: { p_user_id?: string, p_organization_id?: string | null, p_filters?: TransactionFilter[], p_aggregate_fn?: 'sum' | 'avg' | 'count', p_transaction_type?: 'balance' | 'income' | 'expense', p_convert_to?: string | null }
        Returns: number
      }
      get_upcoming: {
        Args: { start_date?: string | null, end_date?: string | null, preset?: DateRangePreset | null }
        Returns: { subscription_id: string, title: string, due_on: string, amount: number, currency: string, category_id: string | null, is_recorded: boolean }[]
      }
      import_transactions: {
        Args: { p_rows: ImportedRow[], p_source?: string, p_account_id?: string | null, p_file_name?: string | null, p_dry_run?: boolean }
        Returns: { row_number: number, verdict: string, reason: string | null, transaction_id: string | null }[]
      }
      record_subscription: {
        Args: { p_subscription_id: string, due_on: string }
        Returns: Database['api']['Tables']['transactions']['Row']
        SetofOptions: { from: '*', to: 'transactions', isOneToOne: true, isSetofReturn: false }
      }
      undo: {
        Args: { p_activity_id: string }
        Returns: { change_id: string, create: number, update: number, delete: number }
      }
    }
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
