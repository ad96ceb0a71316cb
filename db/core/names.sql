-- after: core/reset
-- Names that callers send, of rows and of files.

create or replace function private.is_blank(p_text text) returns boolean
  language sql immutable parallel safe
  -- control characters, spaces, and the characters that Unicode draws as nothing (Default_Ignorable_Code_Point);
  -- U+2800 is an empty pattern
  return p_text !~ (
    '[^\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f'
    '\u2028-\u202f\u205f-\u206f'
    || '\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a'
    '\U000e0000-\U000e0fff]');
comment on function private.is_blank(text) is 'Whether a text has no visible character.';

create or replace function private.is_name(p_name text, p_former text, p_most integer default 255) returns boolean
  language sql immutable parallel safe
  return char_length(p_name) >= 1 and char_length(p_name) <= p_most
    and (p_name is not distinct from p_former or not private.is_blank(p_name));
comment on function private.is_name(text, text, integer) is
  'Whether a text is a name: 1 to p_most characters, not only blanks. A stored name of blanks may stay. Null for null.';

create or replace function private.base_name(p_name text) returns text
  language sql immutable parallel safe
  return regexp_replace(p_name, '^(.*[/\\])?([.]+$)?', '');
comment on function private.base_name(text) is
  'The name of a file without folders, for Windows too. Empty for a name of dots only, such as `..`.';

grant execute on function private.is_blank(text), private.is_name(text, text, integer),
  private.base_name(text) to authenticated;
