-- after: core

create or replace function private.are_tag_names(p_tags text[]) returns boolean
  language sql immutable parallel safe set search_path = ''
  return cardinality(p_tags) <= 20 and (array_ndims(p_tags) = 1) is not false
    and not exists (select from unnest(p_tags) as tag where (char_length(tag) between 1 and 100) is not true);
comment on function private.are_tag_names(text[]) is 'Whether a list has up to 20 names of tags.';
