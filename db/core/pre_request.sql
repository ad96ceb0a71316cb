-- after: core/reset
-- PostgREST calls pre_request() before each query, after it has verified the signature of the token. The function
-- refuses these requests:
-- * The token's session, membership or role no longer exists, or the token was issued before the revocation of a key.
-- * The token has expired by the database's clock. PostgREST caches verified tokens.
-- * The request asks for a planner's estimate, or names an unknown time zone.
-- * The request can write and has an Idempotency-Key, which would be ignored.
-- * The request goes to a standby that is far behind (standby.sql).
-- * The rows of the context are in another database (tenants.sql).
--
-- access.sql checks the token. A request that may write then locks its tenants (tenants.sql) and gets its change_id.

create or replace function private.set_time_zone(p_wish text) returns void
  language plpgsql volatile set search_path = ''
as $$
declare
  -- PostgREST reads all Prefer fields and passes on only one of them, so it may have set another zone than p_wish.
  zone constant text := current_setting('TimeZone');
begin
  if p_wish ~ '^[+-](0\d|1[0-4]):[0-5]\d$' then
    -- PostgREST 12 ignores an offset. PostgREST 16 sets it, and PostgreSQL would read +02:00 as two hours west of
    -- Greenwich.
    perform set_config('TimeZone', format('<%s>%s', p_wish, translate(p_wish, '+-', '-+')), true);
  -- PostgREST 12 uses UTC if it does not know the name. PostgREST 16 sets everything that PostgreSQL accepts,
  -- including POSIX strings such as FOO3BAR. Such a string has digits. A name without digits is a file of the server,
  -- and so is each name below.
  elsif p_wish <> zone
    or zone ~ '\d' and zone !~ '^(posix/)?((Etc/)?GMT[+-]?0|Etc/GMT([+-]([1-9]|1[0-2])|-1[34])'
      '|CST6CDT|EST5EDT|MST7MDT|PST8PDT)$'
  then
    perform private.invalid(
      format('unknown time zone %s', quote_literal(left(coalesce(p_wish, zone), 40))),
      'In Prefer: timezone=, use a name such as Europe/Berlin, with this capitalization, or an offset such as +02:00.');
  end if;
end
$$;
comment on function private.set_time_zone(text) is
  'Sets an offset such as +02:00 as the time zone of the request. Refuses a zone that is neither an offset nor a '
  'name that PostgreSQL lists.';

create or replace function private.reject_preferences(p_prefer text) returns void
  language plpgsql volatile set search_path = ''
as $$
begin
  -- the patterns below take quadratic time
  if char_length(p_prefer) > 500 then
    perform private.invalid('the Prefer header is longer than 500 characters',
      'Send only the preferences listed in docs/data.md, each once.');
  end if;
  if p_prefer ~* '\mcount *= *"?(planned|estimated)' then
    perform private.reject_estimate();
  end if;
  -- PostgREST ignores a dry run in an unexpected spelling and would store the row
  if p_prefer ~* '\mtx\M' and p_prefer !~ '^(?:(?!.*\mtx\M.*\mtx\M))(?:.*,)?\s*tx=(?:rollback|commit)\s*(?:,.*)?$' then
    perform private.invalid('the preference tx is not valid',
      'Send Prefer: tx=rollback for a dry run, or omit it.');
  end if;
  perform private.set_time_zone((
    select btrim(substring(wish from 'timezone=(.*)'), E' \t')
    from unnest(string_to_array(p_prefer, ',')) with ordinality as p (wish, place)
    where wish ~ '^[ \t]*timezone=' order by place limit 1));
end
$$;
comment on function private.reject_preferences(text) is
  'Refuses preferences above 500 characters, a planner''s estimate, a dry run that PostgREST would not recognize, '
  'and an unknown time zone.';

create or replace function private.pre_request() returns void
  language plpgsql volatile security definer set search_path = ''
as $$
declare
  is_anonymous constant boolean := current_setting('role', true) is not distinct from 'anon';
  -- only PostgREST sets this setting
  claims constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  headers constant text := current_setting('request.headers', true);
  -- PostgREST begins a request that only reads in a READ ONLY transaction. open_attachment() stores only a ticket.
  may_write constant boolean := current_setting('transaction_read_only') = 'off'
    and current_setting('request.path', true) is distinct from '/rpc/open_attachment';
  public_url text;
  issued_after bigint;
  problem text;
begin
  if pg_is_in_recovery() then
    perform private.reject_when_behind();
  end if;
  if not is_anonymous then
    select s.public_url, s.tokens_issued_after into public_url, issued_after from private.settings s;
    problem := private.token_problem(claims, public_url, issued_after);
    if problem is not null then
      perform private.reject('PGRST301', problem,
        'Fetch a new token: POST /api/auth/token with the session or the API key.', 401,
        '{"WWW-Authenticate": "Bearer error=\"invalid_token\""}');
    end if;
    if claims ->> 'api_key' = 'viewer' and may_write then
      raise insufficient_privilege using
        message = 'permission denied for ' || regexp_replace(
          regexp_replace(current_setting('request.path'), '^/rpc/', 'function '), '^/', 'table '),
        hint = 'This API key is read-only. Use one with the editor role.';
    end if;
  end if;
  if strpos(headers, '"idempotency-key":') > 0 and current_setting('transaction_read_only') = 'off' then
    perform private.reject('IDEMPOTENCY_KEY_NOT_SUPPORTED', 'Idempotency-Key is not supported, so nothing was saved',
      'Omit it. To avoid duplicates when you retry, send your own id in each row with Prefer: '
      'resolution=ignore-duplicates.');
  end if;
  -- The headers contain the token: they are searched as text, and parsed as JSON only if there is a preference.
  if strpos(headers, '"prefer"') > 0 then
    perform private.reject_preferences(headers::jsonb ->> 'prefer');
  end if;
  if may_write and not is_anonymous then
    perform private.lock_tenants();
    perform private.start_activity();
  end if;
  -- after the lock, which a move of the tenant holds until its end
  if not is_anonymous
    and exists (select from private.tenants t where t.tenant = private.context_tenant() and t.cell is not null) then
    perform private.reject_elsewhere();
  end if;
end
$$;
comment on function private.pre_request() is
  'Refuses a planner''s estimate, a token that is expired or revoked, a write by a key that only reads, and a write '
  'with an Idempotency-Key. Locks the tenants of a request that may write, and gives it its change_id. Refuses a '
  'context whose rows are in another database.';
grant execute on function private.pre_request() to anon, authenticated;
