-- Rules for transactions, and the index by which categories are learned.

-- A migration is one transaction, in which no index can be built concurrently. Only transactions with a category are in the new index.
-- squawk-ignore-file require-concurrent-index-creation

create table api.rules (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  priority bigint not null default 0,
  conditions jsonb not null,
  set_category_id uuid references api.categories on delete set null,
  set_name text,
  add_tags text[] default '{}',
  is_active boolean not null default true,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint rules_conditions_depth check (not jsonb_path_exists(conditions, '$.**{17}')),
  constraint rules_conditions_size check (octet_length(conditions::text) <= 16384),
  constraint rules_have_an_action check (not is_active or set_category_id is not null or set_name is not null or add_tags <> '{}'),
  constraint rules_have_an_owner check (user_id is not null or organization_id is not null),
  constraint rules_name_length check (char_length(name) between 1 and 255),
  constraint rules_set_name_length check (char_length(set_name) between 1 and 255)
);
create index rules_personal on api.rules (user_id, organization_id, priority);
create index rules_team on api.rules (organization_id, priority);
create index rules_category on api.rules (set_category_id) where set_category_id is not null;
alter table api.rules alter column user_id set (n_distinct = -1), alter column organization_id set (n_distinct = -1),
  alter column set_category_id set (n_distinct = -1);

-- The changes of a rule to one transaction. A column is null if it does not change; tags are elements of add_tags.
create type private.rule_change as (
  transaction_id uuid,
  rule_id uuid,
  category_id uuid,
  name text,
  tags text[],
  before jsonb,
  after jsonb
);

-- The expression of private.payee_of_tenant() and private.payee_key(), which the planner inlines. It contains the tenant, because with a column
-- of the tenant the planner would take any index of this column. No other query uses the index.
create index transactions_payees on api.transactions (
  (coalesce('organization ' || organization_id, 'user ' || user_id) || ' '
    || coalesce(nullif(btrim(regexp_replace(lower(name), '([[:alpha:]]*[0-9]+[[:alpha:]]+[[:alnum:]]*|[0-9]+|[^[:alnum:]]+)+', ' ', 'g')), ''), lower(name))),
  transaction_date desc) where category_id is not null and transfer_id is null;
analyze api.rules, api.transactions;
