-- What becomes of rows when their user goes. Foreign keys do the rest: team rows stay, with user_id null.

-- requires functions/personal_rows.sql
create trigger users_delete_personal_rows
  before delete on auth.users
  for each row execute function private.delete_personal_rows();
