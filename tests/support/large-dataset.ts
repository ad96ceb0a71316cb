/**
 * A large dataset for benchmarks and tests of query plans, like a deployment after years. It has
 * users with few rows, teams of uneven size, and the callers of the measured queries. The rows of
 * all tenants are stored in mixed order.
 */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Role } from './accounts.ts'

type Querying = Pick<pg.ClientBase, 'query'>

/** A caller of the data surface: the user and the active organization. */
export type DatasetCaller = { user: string, session: string, organization?: string, role?: Role }

/** The callers in a dataset of any size. Each has categories, except `none`. */
export const datasetCallers = {
  none: { user: 'user-1', session: 'session-1' },
  few: { user: 'user-2', session: 'session-2' },
  some: { user: 'user-3', session: 'session-3' },
  many: { user: 'user-4', session: 'session-4' },
  team: { user: 'user-5', session: 'session-5', organization: 'org-1' },
} satisfies Record<string, DatasetCaller>
/** A user with many personal rows, with the largest team active. */
export const memberOfLargestTeam: DatasetCaller = {
  ...datasetCallers.many,
  organization: 'org-1',
  role: 'editor',
}

/**
 * The number of transactions of each caller. The transactions of `team` belong to the organization.
 */
export const transactionCounts: Record<keyof typeof datasetCallers, number> = {
  none: 0,
  few: 49,
  some: 5_000,
  many: 50_000,
  team: 100_000,
}

/** The tenant of a caller's rows. */
export const tenantOf = ({ user, organization }: DatasetCaller): string =>
  organization === undefined ? `u:${user}` : `o:${organization}`

/** Returns a category of the caller. It has a twelfth of the caller's transactions. */
export const categoryOf = ({ user, organization }: DatasetCaller): string =>
  createHash('md5').update(`${organization ?? user} 1`).digest('hex').replace(
    /^(.{8})(.{4})(.{4})(.{4})/,
    '$1-$2-$3-$4-',
  )

/**
 * Stores users `user-1` and on with a session each, organizations `org-1` and on with ten members
 * each, and transactions. Does not update the planner's statistics.
 * @param rows the number of transactions, at least 250,000; there is one user per 100 and one
 * organization per 2,000
 */
export async function insertLargeDataset(db: Querying, rows: number): Promise<void> {
  const [people, teams] = [Math.round(rows / 100), Math.round(rows / 2_000)]
  // Builds indexes at the end and skips constraints, because they take most of the time of a
  // million inserts.
  const { rows: indexes } = await db.query<{ name: string, definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = 'api.transactions'::regclass and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))`,
  )
  const { rows: constraints } = await db.query<{ name: string, definition: string }>(
    `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = 'api.transactions'::regclass and contype in ('c', 'f')`,
  )
  // The foreign keys of other tables are dropped with the key that they refer to.
  const { rows: referring } = await db.query<{ name: string, table: string, definition: string }>(
    `select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint where confrelid = 'api.transactions'::regclass and contype = 'f'`,
  )
  await db.query(`
    begin;
    select setseed(0.5);
    ${indexes.map(({ name }) => `drop index ${name};`).join('\n')}
    ${
    constraints.map(({ name }) => `alter table api.transactions drop constraint ${name};`).join(
      '\n',
    )
  }
    alter table api.transactions drop constraint transactions_pkey, drop constraint transactions_of_tenant cascade;
    alter table api.transactions disable trigger user;
    insert into auth.users (id, name, email) select 'user-' || i, '', 'user-' || i || '@example.org' from generate_series(1, ${people}) i;
    insert into auth.sessions (id, token, user_id, expires_at) select 'session-' || i, 'token-' || i, 'user-' || i, now() + interval '1 day' from generate_series(1, ${people}) i;
    insert into auth.organizations (id, name, slug) select 'org-' || i, 'x', 'org-' || i from generate_series(1, ${teams}) i;
    alter table auth.members disable trigger user;
    insert into auth.members (id, organization_id, user_id, role)
      select 'member-' || i || '-' || p, 'org-' || i, 'user-' || case when i = 1 and p = 0 then 5 else 6 + (i * 10 + p) % ${
    people - 6
  } end, case p when 0 then 'owner' else 'editor' end
      from generate_series(1, ${teams}) i, generate_series(0, 9) p on conflict do nothing;
    insert into auth.members (id, organization_id, user_id, role) values ('member-of-both', '${memberOfLargestTeam.organization}', '${memberOfLargestTeam.user}', '${memberOfLargestTeam.role}');
    alter table auth.members enable trigger user;

    create temporary table tenants on commit drop as
      select 'user-' || p as user_id, null as organization_id, case p when 1 then ${transactionCounts.none} when 3 then ${transactionCounts.some} when 4 then ${transactionCounts.many} else ${transactionCounts.few} end as size from generate_series(1, ${people}) p
      union all
      -- Team n has 1/n of the rows of the first team.
      select 'user-' || 5 + i % 1000, 'org-' || i,
        case i when 1 then ${transactionCounts.team} else greatest(1, round((${rows} - 155000 - 49 * ${people}) / (i * (ln(${teams}) - 0.42)))::integer) end
      from generate_series(1, ${teams}) i;
    insert into api.categories (id, user_id, organization_id, name)
      select md5(coalesce(organization_id, user_id) || ' ' || c)::uuid, user_id, organization_id, 'category ' || c from tenants, generate_series(1, 12) c where size > 0 and (size > 4999 or user_id = 'user-2');
    -- Sets the currency and the tenant, because triggers are disabled.
    insert into api.transactions (name, amount, currency, user_id, organization_id, tenant, status, category_id, transaction_date)
      select (array['Coffee', 'Rent', 'Groceries', 'Salary', 'Insurance', 'Books', 'Train', 'Lunch', 'Phone', 'Gym'])[1 + n % 10] || ' no. ' || n,
        (random() * 2000 - 1000)::numeric(14,2), 'usd', user_id, organization_id, private.tenant_of(user_id, organization_id),
        case when random() < 0.8 then 'paid' when random() < 0.7 then 'pending' else 'failed' end,
        case when size > 4999 or user_id = 'user-2' then md5(coalesce(organization_id, user_id) || ' ' || 1 + floor(random() * 12))::uuid end,
        date_trunc('day', now()) - random() * interval '3 years'
      from tenants, generate_series(1, size) n
      -- Not random(): PostgreSQL would evaluate it once, together with the calls above.
      order by hashtext(user_id || n);
    alter table api.transactions add primary key (id), add constraint transactions_of_tenant unique (id, tenant);
    ${indexes.map(({ definition }) => `${definition};`).join('\n')}
    ${
    constraints.map(({ name, definition }) =>
      `alter table api.transactions add constraint ${name} ${definition} not valid;`
    ).join('\n')
  }
    ${
    referring.map(({ name, table, definition }) =>
      `alter table ${table} add constraint ${name} ${definition};`
    ).join('\n')
  }
    alter table api.transactions enable trigger user;
    commit`)
}

/**
 * Gives the transactions of one context line items and tags: a fourth has two line items, and a
 * third has one of twenty tags. Each other context gets five tags, so that a context's tags are few
 * among all.
 */
export async function insertTransactionParts(
  db: Querying,
  { user, organization }: DatasetCaller,
): Promise<void> {
  await db.query(
    `with context as (select case when $2::text is null then $1::text end as u, $2::text as o, coalesce($2, $1) as whose),
      owned as (
        select t.id, abs(hashtext(t.id::text)) as n, c.* from context c join api.transactions t
          on t.organization_id = c.o or c.o is null and t.organization_id is null and t.user_id = c.u),
      tags as (
        insert into api.tags (id, name, user_id, organization_id, tenant)
          select md5(whose || ' tag ' || k)::uuid, 'tag ' || k, $1, o, private.tenant_of($1, o) from context, generate_series(1, 20) k),
      items as (
        insert into api.line_items (name, amount, transaction_id, user_id, organization_id, tenant)
          select 'item ' || k, 0, id, u, o, private.tenant_of(u, o) from owned, generate_series(1, 2) k where n % 4 = 0),
      others as (
        insert into api.tags (name, user_id, tenant) select 'tag ' || k, id, 'u:' || id from auth.users, generate_series(1, 5) k where id <> $1)
      insert into api.transaction_tags (transaction_id, tag_id, user_id, organization_id, tenant)
        select id, md5(whose || ' tag ' || 1 + n % 20)::uuid, u, o, private.tenant_of(u, o) from owned where n % 3 = 0`,
    [user, organization ?? null],
  )
}
