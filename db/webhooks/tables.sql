-- after: identity/tables

create table auth.webhooks (
  id text primary key,
  name text not null,
  user_id text not null references auth.users on delete cascade,
  organization_id text,
  url text not null,
  tables text[],
  secret text not null,
  former_secret text,
  former_secret_until timestamptz,
  created_at timestamptz not null default now(),
  -- the defaults are the place of no change: its first message would be a reset
  seen_position bigint not null default 0,
  seen_change uuid not null default gen_random_uuid(),
  seen_timeline text not null default '',
  failing_since timestamptz,
  last_failure text,
  last_status integer,
  delivered_at timestamptz,
  disabled_at timestamptz,
  -- the webhook of a former member ends
  constraint webhooks_of_member foreign key (organization_id, user_id)
    references auth.members (organization_id, user_id) on delete cascade,
  constraint webhooks_former_secret_ends check ((former_secret is null) = (former_secret_until is null)),
  constraint webhooks_url_bounded check (char_length(url) <= 2048)
);
create index webhooks_user_id on auth.webhooks (user_id);
create index webhooks_of_member on auth.webhooks (organization_id, user_id) where organization_id is not null;
