-- after: changes/changes, plans/tables
-- Paid subscriptions of the application itself. Users read their own, and no request writes them.

comment on table api.app_subscriptions is
$$Paid subscriptions of the application itself

You see your own. `status=eq.sub_active&period_start=lte.now&period_end=gte.now` lists the active ones. Your recurring
expenses are in `subscriptions`.$$;
comment on column api.app_subscriptions.id is 'Identifier';
comment on column api.app_subscriptions.user_id is 'Id of the subscriber';
comment on column api.app_subscriptions.product_id is 'The plan: personal, teams or business';
comment on column api.app_subscriptions.status is '`sub_active` marks an active subscription';
comment on column api.app_subscriptions.period_start is 'Start of the paid period';
comment on column api.app_subscriptions.period_end is 'End of the paid period';
comment on column api.app_subscriptions.created_at is 'Set by the service';
comment on column api.app_subscriptions.updated_at is 'Set by the service at each change';

alter table api.app_subscriptions enable row level security;
create policy app_subscriptions_read_own on api.app_subscriptions
  for select to authenticated
  using (private.is_not_explained() and user_id = (select private.personal_id()));

-- insert, update and delete are not granted, because only an operator or a payment provider assigns a plan. anon has
-- no policy and so reads nothing.
grant select on api.app_subscriptions to anon, authenticated;

create trigger "1_note_change" before insert or update or delete on api.app_subscriptions
  for each row execute function private.note_app_subscription();

comment on table private.products is 'The application''s own plans.';
comment on column private.products.rank is 'The order of the products. A higher product includes the lower ones.';
grant select on private.products to auth_service;
