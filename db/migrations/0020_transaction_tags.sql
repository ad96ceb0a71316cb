-- Which transaction has which tag. The pair is the key, which is also how PostgREST knows to embed across it.

create table api.transaction_tags (
  transaction_id uuid not null references api.transactions on delete cascade,
  tag_id uuid not null references api.tags on delete cascade,
  primary key (transaction_id, tag_id)
);
create index transaction_tags_tag_id on api.transaction_tags (tag_id);

comment on table api.transaction_tags is
$$Tag associations: which transaction has which tag

Visible and writable as the transaction is, and deleted with it or with the tag. Transaction and tag are of one context. To set a tag that may be set already, send `Prefer: resolution=ignore-duplicates`.$$;
comment on column api.transaction_tags.transaction_id is 'The transaction';
comment on column api.transaction_tags.tag_id is 'The tag, of the transaction''s context';

alter table api.transaction_tags enable row level security;
-- The transaction is asked with its own row rule in force.
create policy transaction_tags_read on api.transaction_tags
  for select to authenticated
  using (exists (select from api.transactions t where t.id = transaction_id));
create policy transaction_tags_create on api.transaction_tags
  for insert to authenticated
  with check (
    exists (
      select from api.transactions t
      where t.id = transaction_id and (t.organization_id is null or (select private.can('transaction_tags', 'create')))
    )
    or private.deny('transaction_tags')
  );
create policy transaction_tags_update on api.transaction_tags
  for update to authenticated
  using (exists (select from api.transactions t where t.id = transaction_id))
  with check (
    exists (
      select from api.transactions t
      where t.id = transaction_id and (t.organization_id is null or (select private.can('transaction_tags', 'update')))
    )
    or private.deny('transaction_tags')
  );
create policy transaction_tags_delete on api.transaction_tags
  for delete to authenticated
  using (exists (select from api.transactions t where t.id = transaction_id));

-- anon may ask and has no policy, so it reads nothing; it is not granted anything else.
grant select on api.transaction_tags to anon;
grant select, insert, update, delete on api.transaction_tags to authenticated;

-- requires functions/references.sql
-- requires functions/transaction_parts.sql
create trigger transaction_tags_check_transaction_of_new
  before insert on api.transaction_tags
  for each row execute function private.check_transaction();
create trigger transaction_tags_check_transaction_of_moved
  before update on api.transaction_tags
  for each row
  when (old.transaction_id <> new.transaction_id)
  execute function private.check_transaction();
create trigger transaction_tags_require_delete
  before delete on api.transaction_tags
  for each row execute function private.require_part_delete();
create trigger transaction_tags_check_tag
  after insert or update on api.transaction_tags
  for each row execute function private.check_tag();
