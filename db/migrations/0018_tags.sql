-- Free labels. The interface names only that transactions have them.

create table api.tags (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  user_id text default public.uid() references auth.users on delete set null,
  organization_id text default public.org_id() references auth.organizations on delete cascade,
  created_at timestamptz not null default now(),
  constraint tags_name_length check (char_length(name) between 1 and 100),
  constraint tags_have_an_owner check (user_id is not null or organization_id is not null)
);
create index tags_personal on api.tags (user_id, organization_id, name);
create index tags_team on api.tags (organization_id, name);
-- see transactions
alter table api.tags
  alter column user_id set (n_distinct = -0.03),
  alter column organization_id set (n_distinct = -0.03);

comment on table api.tags is
$$Tags of transactions

A tag is used within its own context: a team transaction takes the team's tags, a personal one your own. `transaction_tags` holds which transaction has which; embed with `/transactions?select=*,tags(*)` or `/tags?select=*,transactions(*)`.$$;
comment on column api.tags.id is 'Identifier';
comment on column api.tags.name is 'Name, 1 to 100 characters';
comment on column api.tags.user_id is 'Who created it. Filled from the JWT; cannot be changed';
comment on column api.tags.organization_id is 'The team it belongs to. Filled from the JWT when an organization is active; send null for a personal tag; cannot be changed';
comment on column api.tags.created_at is 'Set by the service';

alter table api.tags enable row level security;
create policy tags_read on api.tags
  for select to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('tags', 'list')))
  );
create policy tags_create on api.tags
  for insert to authenticated
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('tags', 'create')))
    or private.deny('tags')
  );
create policy tags_update on api.tags
  for update to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('tags', 'list')))
  )
  with check (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('tags', 'update')))
    or private.deny('tags')
  );
create policy tags_delete on api.tags
  for delete to authenticated
  using (
    (organization_id is null and user_id = (select public.uid()))
    or (organization_id = (select public.org_id()) and (select private.can('tags', 'list')))
  );

-- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
grant select on api.tags to anon;
grant select, insert, update, delete on api.tags to authenticated;

-- requires functions/row_triggers.sql
-- requires functions/owner_pair.sql
create trigger tags_set_owner
  before insert on api.tags
  for each row execute function private.set_owner();
create trigger tags_keep_owner
  before update on api.tags
  for each row
  when (old.id <> new.id or old.user_id is distinct from new.user_id or old.organization_id is distinct from new.organization_id)
  execute function private.keep_owner();
create trigger tags_require_delete
  before delete on api.tags
  for each row
  when (old.organization_id is not null)
  execute function private.require_delete();
create trigger tags_set_created_at
  before insert or update on api.tags
  for each row execute function private.set_created_at();
