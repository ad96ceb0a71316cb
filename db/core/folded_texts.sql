-- after: core/reset
-- Texts without case and accents, for searches, the order of names and the words of imports, the same in every
-- database: a search for `uber` or `Über` finds `über`. The collation of a database decides only the case of letters
-- outside ASCII that have no accent, such as Cyrillic ones.
--
-- No index serves a search for a part of a text: row security must hide a row before a function of the caller's reads
-- it. So each row of the list is compared as it comes, and the functions are fast for ASCII, which nearly all texts
-- are.

create or replace function private.without_accents(p_text text) returns text
  language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  -- compatibility forms are other spellings of a letter, such as full-width ones
  bare text := regexp_replace(replace(replace(normalize(p_text, nfkd), 'ß', 'ss'), 'ẞ', 'ss'), U&'[\0300-\036f]+', '',
    'g');
begin
  if octet_length(bare) > char_length(bare) then
    -- letters with a stroke, ligatures and the final sigma, which normalize() keeps
    bare := replace(replace(replace(translate(lower(bare), 'ØøŁłĐđÐðıςÆŒÞ', 'oollddddiσæœþ'), 'æ', 'ae'), 'œ', 'oe'),
      'þ', 'th');
  end if;
  return lower(bare collate "C");
end
$$;
comment on function private.without_accents(text) is 'A text in lower case and without accents.';

create or replace function private.folded(p_text text) returns text
  language sql immutable parallel safe
  return case when octet_length(p_text) = char_length(p_text) then lower(p_text collate "C")
    else private.without_accents(p_text) end;
comment on function private.folded(text) is 'A text in lower case and without accents, which is faster for ASCII.';

create or replace function private.searchable(p_text text) returns text
  language sql immutable parallel safe
  return case when octet_length(p_text) = char_length(p_text) then lower(p_text collate "C")
    else private.without_accents(p_text) || E'\n' || p_text end;
comment on function private.searchable(text) is
  'A text as folded() returns it. If it is not ASCII, the text itself follows.';

create or replace function private.search_text(p_name text, p_description text, p_reference_no text) returns text
  language sql immutable parallel safe
  return private.searchable(p_name || coalesce(E'\n' || p_description, '') || coalesce(E'\n' || p_reference_no, ''));
comment on function private.search_text(text, text, text) is 'The texts of a transaction in which a search looks.';

create or replace function private.search_pattern(p_search text) returns text
  language sql immutable parallel safe
  return '%' || regexp_replace(private.folded(p_search), '([\\%_])', '\\\1', 'g') || '%';
comment on function private.search_pattern(text) is 'The pattern for LIKE that finds a text in a search_text().';

grant execute on function private.without_accents(text), private.folded(text), private.searchable(text),
  private.search_text(text, text, text), private.search_pattern(text) to authenticated;
