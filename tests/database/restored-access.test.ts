/**
 * A restored backup does not bring back access that was revoked since. One database is the backup,
 * and a copy of it the database before the restore, in which users and operators have revoked and
 * changed things.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { execute, freshDatabase } from '../support/database.ts'

type Database = Awaited<ReturnType<typeof freshDatabase>>
let backup: Database
let present: Database
let restored: pg.Client
const column = async (query: string): Promise<unknown[]> =>
  (await restored.query({ text: query, rowMode: 'array' })).rows.map((row: unknown[]) =>
    row.length === 1 ? row[0] : row
  )
const hash = (digit: string) => `${digit.repeat(32)}:${digit.repeat(128)}`

const data = `
  insert into auth.users (id, name, email, email_verified) select n, n, n || '@example.org', true from unnest(array['ann', 'ben', 'cem', 'dee', 'eve']) n;
  insert into auth.organizations (id, name, slug) values ('team', 'Team', 'team'), ('club', 'Club', 'club');
  insert into auth.members (id, organization_id, user_id, role) values
    ('1', 'team', 'ann', 'owner'), ('2', 'team', 'ben', 'admin'), ('3', 'team', 'cem', 'editor'), ('4', 'team', 'dee', 'viewer'), ('5', 'club', 'ann', 'owner');
  insert into auth.invitations (id, organization_id, email, role, inviter_id, expires_at) values
    ('canceled', 'team', 'fay@example.org', 'editor', 'ann', now() + interval '1 day'), ('kept', 'team', 'gus@example.org', 'editor', 'ben', now() + interval '1 day');
  insert into auth.accounts (id, account_id, provider_id, user_id, password) values
    ('p-ann', 'ann', 'credential', 'ann', '${hash('a')}'), ('p-ben', 'ben', 'credential', 'ben', '${
  hash('b')
}'), ('o-ben', 'ben', 'oidc', 'ben', null),
    ('p-eve', 'eve', 'credential', 'eve', '${hash('e')}'), ('o-ann', 'ann', 'oidc', 'ann', null);
  insert into auth.two_factors (user_id, secret, backup_codes, enabled_at) values ('ann', 'former', '{}', now()), ('ben', 'ended', '{}', now()), ('eve', 'kept', '{}', now());
  insert into auth.passkeys (id, user_id, name, credential_id, public_key, counter, backed_up) values
    ('stolen', 'ann', 'Stolen', 'c1', 'k', 0, false), ('mine', 'ann', 'Mine', 'c2', 'k', 0, false), ('of-eve', 'eve', 'Hers', 'c3', 'k', 0, false);
  insert into auth.api_keys (id, name, user_id, organization_id, role, key_hash, hint, expires_at) values
    ('leaked', 'Leaked', 'ann', null, 'editor', decode(repeat('01', 32), 'hex'), 'h', now() + interval '1 day'),
    ('used', 'Used', 'ann', null, 'editor', decode(repeat('02', 32), 'hex'), 'h', now() + interval '1 day'),
    ('of-club', 'Club', 'ann', 'club', 'viewer', decode(repeat('03', 32), 'hex'), 'h', now() + interval '1 day');
  insert into auth.calendars (id, name, user_id, secret_hash) values ('ended', 'Ended', 'ann', decode(repeat('04', 32), 'hex')), ('read', 'Read', 'ann', decode(repeat('05', 32), 'hex'));
  insert into auth.webhooks (id, name, user_id, url, secret) values
    ('gone', 'Gone', 'ann', 'https://gone.example.org', 's'), ('moved', 'Moved', 'ann', 'https://former.example.org', 's'), ('sent', 'Sent', 'ann', 'https://sent.example.org', 's');
  insert into auth.jwks (id, public_key, private_key, created_at, signs_from) values ('leaked', '{"n":"n","e":"e","kty":"RSA"}', '{}', now(), now());
  insert into auth.jwks (id, public_key, private_key, created_at) values ('next', '{"n":"n","e":"e","kty":"RSA"}', '{}', now());
  insert into auth.sessions (id, token, user_id, expires_at) values ('s', 't', 'ann', now() + interval '1 day');
  insert into auth.verifications (id, identifier, value, expires_at) values ('v', 'reset', 'x', now() + interval '1 day');
  update auth.events set mail_to = null;`

const since = `
  -- Ben owns the team now, Cem was removed, Dee was promoted, and Fay joined.
  insert into auth.users (id, name, email) values ('fay', 'fay', 'fay@example.org');
  update auth.members set role = 'editor' where id = '1';
  update auth.members set role = 'owner' where id = '2';
  delete from auth.members where id = '3';
  update auth.members set role = 'editor' where id = '4';
  insert into auth.members (id, organization_id, user_id, role) values ('6', 'team', 'fay', 'viewer');
  update auth.invitations set status = 'canceled' where id = 'canceled';
  -- Ann changed what a thief knew, and Ben ended his second factor and his link.
  update auth.accounts set password = '${hash('c')}' where id = 'p-ann';
  update auth.users set email = 'ann@example.com' where id = 'ann';
  update auth.two_factors set secret = 'present' where user_id = 'ann';
  delete from auth.two_factors where user_id = 'ben';
  delete from auth.accounts where id = 'o-ben';
  delete from auth.passkeys where id = 'stolen';
  update auth.users set passkey_required = true where id = 'ann';
  delete from auth.api_keys where id = 'leaked';
  delete from auth.calendars where id = 'ended';
  delete from auth.webhooks where id = 'gone';
  update auth.webhooks set url = 'https://present.example.org' where id = 'moved';
  delete from auth.jwks where id = 'leaked';
  -- By mistake: the restore is for these.
  delete from auth.users where id = 'eve';
  delete from auth.organizations where id = 'club';`

beforeAll(async () => {
  backup = await freshDatabase()
  await execute(backup.ownerUrl, data)
  present = await freshDatabase({ template: backup.name })
  await execute(present.ownerUrl, since)
  restored = new pg.Client({ connectionString: backup.ownerUrl })
  await restored.connect()
})
afterAll(async () => {
  await restored.end()
  await present.drop()
  await backup.drop()
})

const presentAccess = async (): Promise<string> => {
  const client = new pg.Client({ connectionString: present.ownerUrl })
  await client.connect()
  const { rows: [row] } = await client.query<{ access: unknown }>(
    'select private.access_now() as access',
  )
  await client.end()
  return JSON.stringify(row?.access)
}
const end = async (access: string | null) => {
  const { rows } = await restored.query<{ what: string, ended: string }>(
    'select * from private.end_restored_access($1)',
    [access],
  )
  return Object.fromEntries(
    rows.filter(({ ended }) => ended !== '0').map(({ what, ended }) => [what, Number(ended)]),
  )
}

test('a restore without a former database, or into one of other users, ends only sessions and pending tokens', async () => {
  await restored.query('begin')
  const stranger = '{"users": {"zoe": {"email": "zoe@example.org"}}, "keys": {}, "members": {}}'
  expect(await end(null)).toEqual({ sessions: 1, 'pending links and sign-ins': 1 })
  expect(await end(stranger)).toEqual({})
  await restored.query('rollback')
  expect(await column('select id from auth.sessions')).toEqual(['s'])
})

test('a restore ends again what was revoked since the backup', async () => {
  expect(await end(await presentAccess())).toEqual({
    sessions: 1,
    'pending links and sign-ins': 1,
    'signing keys': 1,
    members: 1,
    'former roles of members': 2,
    invitations: 1,
    'linked identities': 1,
    'former passwords': 1,
    'former email addresses': 1,
    'second factors': 2,
    passkeys: 1,
    'API keys': 1,
    calendars: 1,
    webhooks: 1,
    'former addresses of webhooks': 1,
  })
})

test('a restore keeps the present owner and roles of a team, and its open invitations', async () => {
  expect(
    await column(
      `select user_id, role from auth.members where organization_id = 'team' order by 1`,
    ),
  ).toEqual([
    ['ann', 'editor'],
    ['ben', 'owner'],
    ['dee', 'editor'],
  ])
  expect(await column(`select id from auth.invitations where status = 'pending'`)).toEqual(['kept'])
})

test('a restore keeps the present passwords, addresses, second factors and links', async () => {
  expect(await column('select id, password from auth.accounts order by 1')).toEqual([
    ['o-ann', null],
    ['p-ann', hash('c')],
    ['p-ben', hash('b')],
    ['p-eve', hash('e')],
  ])
  expect(await column(`select email, passkey_required from auth.users where id = 'ann'`)).toEqual([[
    'ann@example.com',
    true,
  ]])
  expect(await column('select user_id, secret from auth.two_factors order by 1')).toEqual([[
    'ann',
    'present',
  ], ['eve', 'kept']])
})

test('a restore keeps what was not revoked, and whole accounts and teams that were deleted since', async () => {
  expect(await column('select id from auth.passkeys order by 1')).toEqual(['mine', 'of-eve'])
  expect(await column('select id from auth.api_keys order by 1')).toEqual(['of-club', 'used'])
  expect(await column('select id from auth.calendars')).toEqual(['read'])
  expect(await column('select id, url from auth.webhooks order by 1')).toEqual([
    ['moved', 'https://present.example.org'],
    ['sent', 'https://sent.example.org'],
  ])
  expect(await column(`select user_id, role from auth.members where organization_id = 'club'`))
    .toEqual([['ann', 'owner']])
  expect(await column('select id from auth.jwks')).toEqual(['next'])
})

test('a restore mails nobody about it', async () => {
  expect(await column('select kind from auth.events where mail_to is not null')).toEqual([])
})

/** Ends the access in a database with these rows. @returns its members */
async function membersAfter(rows: string, access: object): Promise<unknown[]> {
  const database = await freshDatabase()
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  try {
    await client.query(rows)
    await client.query('select private.end_restored_access($1)', [JSON.stringify(access)])
    return (await client.query(
      'select organization_id, user_id, role from auth.members order by 1, 2',
    )).rows
  } finally {
    await client.end()
    await database.drop()
  }
}

test('a team whose present owner is not in the backup keeps the owner of the backup', async () => {
  const members = await membersAfter(
    `
    insert into auth.users (id, name, email) values ('ann', 'ann', 'ann@example.org');
    insert into auth.organizations (id, name, slug) values ('team', 'Team', 'team');
    insert into auth.members (id, organization_id, user_id, role) values ('1', 'team', 'ann', 'owner');`,
    {
      users: { ann: { email: 'ann@example.org' }, zoe: {} },
      organizations: { team: true },
      members: { 'team zoe': 'owner' },
    },
  )
  expect(members).toEqual([{ organization_id: 'team', user_id: 'ann', role: 'owner' }])
})

test('a user who owns five organizations of the backup, deleted since, and five others today, owns all of them', async () => {
  const ids = (name: string) => Array.from({ length: 5 }, (_, at) => `${name}-${at}`)
  const [deleted, kept] = [ids('deleted'), ids('kept')]
  const members = await membersAfter(
    `
    insert into auth.users (id, name, email) select n, n, n || '@example.org' from unnest(array['ann', 'ben']) n;
    insert into auth.organizations (id, name, slug) select n, n, n from unnest(array['${
      [...deleted, ...kept].join("', '")
    }']) n;
    insert into auth.members (id, organization_id, user_id, role)
      select n, n, case when n like 'deleted-%' then 'ben' else 'ann' end, 'owner' from unnest(array['${
      [...deleted, ...kept].join("', '")
    }']) n;
    insert into auth.members (id, organization_id, user_id, role) select n || ' ben', n, 'ben', 'admin' from unnest(array['${
      kept.join("', '")
    }']) n;`,
    {
      users: { ann: { email: 'ann@example.org' }, ben: { email: 'ben@example.org' } },
      organizations: Object.fromEntries(kept.map((id) => [id, true])),
      members: Object.fromEntries(kept.map((id) => [`${id} ben`, 'owner'])),
    },
  )
  expect(members).toEqual(
    [...deleted, ...kept].map((organization_id) => ({
      organization_id,
      user_id: 'ben',
      role: 'owner',
    })),
  )
})
