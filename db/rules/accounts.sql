-- Where money is kept.

comment on table api.accounts is
$$Accounts: where money is kept

You see your personal ones and, while an organization is active, the organization's.$$;
comment on column api.accounts.name is 'Name, 1 to 255 characters';
comment on column api.accounts.type is '`checking`, `savings`, `credit_card`, `cash` or `investment`';
comment on column api.accounts.currency is 'ISO 4217 code, such as `usd`, `eur` or `jpy`, stored in lower case. Cannot be changed while the account has transactions or subscriptions';
comment on column api.accounts.balance is 'Opening balance, may be negative; `current_balance` adds the transactions. 2 decimal places, more are rounded half away from zero; a third is refused where the currency has 3, such as `kwd`; a whole number in a currency without decimals, such as `jpy`';
comment on column api.accounts.description is 'Up to 5000 characters';
comment on column api.accounts.institution is 'Bank or broker, up to 255 characters';
comment on column api.accounts.account_number is 'The last four digits only. Whatever is sent, no more is stored';
comment on column api.accounts.color is 'Hex code: `#rgb`, `#rrggbb` or `#rrggbbaa`';
comment on column api.accounts.icon is 'Icon identifier, up to 100 characters';
comment on column api.accounts.metadata is 'Free JSON, up to 16 KiB and 16 levels; its numbers are below 1e30 and have up to 50 decimal places';

select pg_temp.protect_owned('accounts', 'account');
select pg_temp.bound_numbers('accounts', 'metadata');

create trigger accounts_mask_account_number
  before insert or update of account_number on api.accounts
  for each row
  when (new.account_number is not null)
  execute function private.mask_account_number();
create trigger accounts_lower_currency
  before insert or update of currency on api.accounts
  for each row
  when (new.currency <> lower(new.currency))
  execute function private.lower_currency();
create trigger accounts_keep_currency
  after update of currency on api.accounts
  for each row
  when (old.currency <> new.currency)
  execute function private.keep_currency_of_account();
