-- after: plans/tables
-- The user's active plan.

create or replace function private.active_product(p_user_id text, p_default_product text default null)
  returns table (product_id text, may_create_organizations boolean)
  language sql stable security definer set search_path = ''
begin atomic
  select p.id, p.rank >= (select rank from private.products where id = 'teams')
  from private.products p
  where p.id = p_default_product
    or exists (
      select from api.app_subscriptions s
      where s.product_id = p.id and s.user_id = p_user_id and s.status = 'sub_active'
        and now() between s.period_start and s.period_end
    )
  order by p.rank desc
  limit 1;
end;
comment on function private.active_product(text, text) is
  'The highest product with an active subscription of the user, or the default product, and whether it is Teams or '
  'higher. No row if there is neither.';
grant execute on function private.active_product(text, text) to auth_service;
