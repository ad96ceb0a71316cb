-- What can be subscribed to, ranked: "Teams or higher" asks the rank.

create table private.products (
  id text primary key,
  rank bigint not null,
  name text not null,
  constraint products_rank_unique unique (rank)
);
comment on table private.products is 'The application''s own plans.';
comment on column private.products.rank is 'Higher includes lower.';

insert into private.products (id, rank, name) values
  ('personal', 10, 'Personal'),
  ('teams', 20, 'Teams'),
  ('business', 30, 'Business');

grant select on private.products to auth_service;
