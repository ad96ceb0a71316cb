-- What is not stored cannot leak: of an account number the last four digits are kept, whatever is sent.

create or replace function private.mask_account_number() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.account_number := nullif(right(regexp_replace(new.account_number, '[^0-9]', '', 'g'), 4), '');
  return new;
end
$$;
comment on function private.mask_account_number() is 'Keeps the last four digits of an account number.';
