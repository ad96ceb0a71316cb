-- Days that are closed: of one account, or of a context.

-- The column is empty in all rows, and the table is new.
-- squawk-ignore-file constraint-missing-not-valid, require-concurrent-index-creation

alter table api.accounts
  add column closed_until private.day,
  add constraint accounts_closed_until_in_range check (closed_until >= '1900-01-01' and closed_until < '2200-01-01');

create table api.closings (
  id uuid primary key default gen_random_uuid(),
  closed_until private.day not null,
  user_id text references auth.users on delete set null,
  organization_id text references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint closings_closed_until_in_range check (closed_until >= '1900-01-01' and closed_until < '2200-01-01'),
  constraint closings_have_an_owner check (user_id is not null or organization_id is not null)
);
create index closings_personal on api.closings (user_id, organization_id, closed_until desc);
create index closings_team on api.closings (organization_id, closed_until desc);
alter table api.closings alter column user_id set (n_distinct = -1), alter column organization_id set (n_distinct = -1);
analyze api.closings;
