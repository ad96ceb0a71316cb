-- Which transaction has which tag.

comment on table api.transaction_tags is
$$Tag associations: which transaction has which tag

Visible and writable as the transaction is, and deleted with it or with the tag. Transaction and tag are of one context. To set a tag that may be set already, send `Prefer: resolution=ignore-duplicates`.$$;
comment on column api.transaction_tags.transaction_id is 'Id of the transaction';
comment on column api.transaction_tags.tag_id is 'Id of a tag of the transaction''s context';

select pg_temp.protect_part('transaction_tags');

create trigger transaction_tags_check_tag
  after insert or update on api.transaction_tags
  for each row execute function private.check_tag();
