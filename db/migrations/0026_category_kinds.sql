-- Categories have a kind and may have a parent.

-- A person has few categories, so the constraints and the index may read the table. Both columns are new, so no row has a parent.
-- squawk-ignore-file constraint-missing-not-valid, require-concurrent-index-creation, adding-foreign-key-constraint, adding-field-with-default

alter table api.categories
  add column kind text not null default 'expense',
  add column parent_id uuid references api.categories on delete set null;
alter table api.categories
  add constraint categories_kind_known check (kind in ('expense', 'income')),
  add constraint categories_parent_is_another check (parent_id <> id);
create index categories_parent on api.categories (parent_id) where parent_id is not null;

-- The kind decides between income and expenses, and the sign did so before. A category in which every amount that counts is above zero
-- becomes one of income, so its figures stay as they were. The CHANGELOG names the figures of the others. updated_at stays, because
-- filling the column is no change of what a person has written.
alter table api.categories disable trigger user;
with items as (
  select l.transaction_id, l.category_id, sum(abs(l.amount)) as part
  from api.line_items l join api.transactions t on t.id = l.transaction_id
  where l.category_id is distinct from t.category_id and l.category_id is not null and l.amount <> 0
  group by 1, 2
), moved as (
  select transaction_id, sum(part) as part from items group by 1
), amounts as (
  select t.category_id, t.amount
  from api.transactions t left join moved m on m.transaction_id = t.id
  where t.category_id is not null and t.status <> 'failed' and t.transfer_id is null and abs(t.amount) > coalesce(m.part, 0)
  union all
  select i.category_id, t.amount
  from items i join api.transactions t on t.id = i.transaction_id
  where t.status <> 'failed' and t.transfer_id is null
)
update api.categories set kind = 'income'
where id in (select category_id from amounts group by 1 having min(amount) > 0);
alter table api.categories enable trigger user;
