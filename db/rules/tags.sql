-- Free labels.

comment on table api.tags is
$$Tags of transactions

A tag is used within its own context: a team transaction takes the team's tags, a personal one your own. `transaction_tags` holds which transaction has which; embed with `/transactions?select=*,tags(*)` or `/tags?select=*,transactions(*)`.$$;
comment on column api.tags.name is 'Name, 1 to 100 characters';

select pg_temp.protect_owned('tags', 'tag');
