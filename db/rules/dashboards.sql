-- Arrangements of widgets. The one table where a viewer sees less than the others: only what is shared.

comment on table api.dashboards is
$$Dashboards: arrangements of widgets

You see your personal ones. In an organization owner, admin and editor see all of the organization's; a viewer sees those with visibility `shared` or `public`, and changes none.$$;
comment on column api.dashboards.name is 'Name, 1 to 255 characters';
comment on column api.dashboards.description is 'Up to 5000 characters';
comment on column api.dashboards.layout is 'Object with `widgets`: an array of objects with `id` and `type` (strings), `position` {`x`,`y`} (0 or more), `size` {`w`,`h`} (more than 0) and an optional `config`. Up to 64 KiB and 16 levels; its numbers are below 1e30 and have up to 50 decimal places';
comment on column api.dashboards.filters is 'Default filters, free JSON, up to 16 KiB and 16 levels; its numbers are below 1e30 and have up to 50 decimal places';
comment on column api.dashboards.date_range is 'Default date range: {`preset`}, or {`start_date`,`end_date`} as YYYY-MM-DD, or both with the preset `custom`. Presets: `today`, `yesterday`, `last_7_days`, `last_30_days`, `this_week`, `last_week`, `this_month`, `last_month`, `this_quarter`, `last_quarter`, `this_year`, `last_year`, `all_time`, `custom`';
comment on column api.dashboards.is_default is 'Whether it is the one to show first. Not exclusive: unset the others when you set one';
comment on column api.dashboards.visibility is '`private`: not for viewers. `shared`, `public`: for every member of the organization. None opens anything beyond the organization, and a personal dashboard is its owner''s whatever it says';

select pg_temp.protect_owned('dashboards', 'dashboard',
  $sees$visibility in ('shared', 'public') or (select private.can('dashboards', 'list_private'))$sees$);
select pg_temp.bound_numbers('dashboards', 'layout'), pg_temp.bound_numbers('dashboards', 'filters');

-- Constraints that ask a function are here and not in the history, because the function is not there yet when the table
-- is made. Dashboards are few, so that asking all of them again takes no time.
alter table api.dashboards
  drop constraint if exists dashboards_layout_form,
  drop constraint if exists dashboards_date_range_form,
  add constraint dashboards_layout_form check (private.is_layout(layout)),
  add constraint dashboards_date_range_form check (private.is_date_range(date_range));
