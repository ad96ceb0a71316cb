-- Line items add up with their signs. Their amounts were read without signs until now, so they get the sign of their transaction: every
-- report has the same figures after this migration as before it.

-- No row has changed for its owner: no activity, no updated_at.
alter table api.line_items disable trigger user;
update api.line_items l set amount = -l.amount
from api.transactions t
where t.id = l.transaction_id and sign(l.amount) * sign(t.amount) < 0;
alter table api.line_items enable trigger user;

-- An undo compares rows with the activity and restores them from it.
with transactions as (
  select id, amount from api.transactions
  union all
  select a.row_id, (array_agg((a.before ->> 'amount')::numeric order by a.id desc))[1]
  from api.activity a
  where a.table_name = 'transactions' and a.action = 'delete' and not exists (select from api.transactions t where t.id = a.row_id)
  group by a.row_id
), states as (
  select a.id, sign(t.amount) as direction, (a.before ->> 'amount')::numeric as before, (a.after ->> 'amount')::numeric as after
  from api.activity a join transactions t on t.id = (coalesce(a.after, a.before) ->> 'transaction_id')::uuid
  where a.table_name = 'line_items'
)
update api.activity a set
  before = a.before || jsonb_build_object('amount', s.direction * abs(s.before)),
  after = a.after || jsonb_build_object('amount', s.direction * abs(s.after))
from states s
where s.id = a.id and (sign(s.before) * s.direction < 0 or sign(s.after) * s.direction < 0);
