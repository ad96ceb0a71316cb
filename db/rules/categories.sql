-- What transactions, line items and subscriptions are filed under.

comment on table api.categories is
$$Categories of transactions and subscriptions

A category is used within its own context: a team row takes the team's categories, a personal row your own. Deleting one here leaves its transactions and subscriptions without a category and deletes its budgets; `/rpc/delete_category` can move them to another one first.$$;
comment on column api.categories.name is 'Name, 1 to 255 characters';
comment on column api.categories.color is 'Hex code: `#rgb`, `#rrggbb` or `#rrggbbaa`';
comment on column api.categories.icon is 'Icon identifier, up to 100 characters';
comment on column api.categories.monthly_budget is 'What may be spent in a month; 0 or more, 2 decimal places, more are rounded half away from zero; a third is refused where the currency has 3, such as `kwd`; a whole number in a currency without decimals, such as `jpy`. `/rpc/get_budget_comparison` compares it with what was spent. The first one holds for every month; a change leaves the months before the current one as they were';
comment on column api.categories.budget_currency is 'Currency of monthly_budget: ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case';

select pg_temp.protect_owned('categories', 'category');

create trigger categories_lower_budget_currency
  before insert or update of budget_currency on api.categories
  for each row
  when (new.budget_currency <> lower(new.budget_currency))
  execute function private.lower_budget_currency();
create trigger categories_keep_past
  after update of monthly_budget, budget_currency on api.categories
  for each row
  when ((old.monthly_budget, old.budget_currency) is distinct from (new.monthly_budget, new.budget_currency) and current_user = 'authenticated')
  execute function private.keep_past_of_category();
