-- What transactions, line items and subscriptions are filed under.

comment on table api.categories is
$$Categories of transactions and subscriptions

A category is used within its own context: a team row takes the team's categories, a personal row your own. Deleting one here leaves its transactions and subscriptions without a category; `/rpc/delete_category` can move them to another one first.$$;
comment on column api.categories.name is 'Name, 1 to 255 characters';
comment on column api.categories.color is 'Hex code: `#rgb`, `#rrggbb` or `#rrggbbaa`';
comment on column api.categories.icon is 'Icon identifier, up to 100 characters';
comment on column api.categories.monthly_budget is 'What may be spent in a month; 0 or more, 2 decimal places. `/rpc/get_budget_comparison` compares it with what was spent';

select pg_temp.protect_owned('categories', 'category');
