/**
 * The users of the database under test and their rows. It has two organizations with all roles, and
 * rows of every exposed table for each tenant. Some users belong to both organizations, to none or
 * no longer, or have lost a role.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { storeAccounts, storeOrganization, type Account } from '../support/accounts.ts'
import { tokenSigner } from '../support/signer.ts'
import { isPart, models } from '../support/tables.ts'
import { readCatalogue, type Catalogue, type Table } from './catalogue.ts'
import { id, pairOfPart, roles, type Caller, type Find, type Role, type Row } from './model.ts'
import { canary, contents, type Payload } from './rows.ts'

export type Actor = {
  name: string
  caller: Caller
  token: string | undefined
  /** The user of the token, even if the token is refused. */
  user: string
  /** The organization of the actor, active or not. */
  team: string
  /** A refused token runs only a few cases of each table, and every other actor runs all. */
  depth: 'everything' | 'a little'
}

/** A row of the world with all of its values. */
export type StoredRow = Row & { n: number, payload: Payload }

export type World = {
  catalogue: Catalogue
  actors: Actor[]
  rows: StoredRow[]
  find: Find
  owner: pg.Client
}

/** The organizations and the roles of their members after the setup. */
const teams: Record<string, Record<string, Role>> = {
  'team-a': {
    ...Object.fromEntries(roles.map((role) => [`a-${role}`, role])),
    both: 'editor',
    demoted: 'viewer',
  },
  'team-b': { ...Object.fromEntries(roles.map((role) => [`b-${role}`, role])), both: 'viewer' },
}
/** `removed` belonged to team-a and left rows there; `ghost` did too, and deletes the account. */
const people = [
  'solo',
  'other',
  'removed',
  'ghost',
  ...new Set(Object.values(teams).flatMap((members) => Object.keys(members))),
]

/** API keys with their users and roles. The role of `a-admin` is higher than that of its keys. */
const keys: [user: string, team: string | null, role: KeyRole][] = [
  ['solo', null, 'viewer'],
  ['a-admin', null, 'editor'],
  ['a-admin', 'team-a', 'viewer'],
  ['a-admin', 'team-a', 'editor'],
]
type KeyRole = 'editor' | 'viewer'
const keyId = (...of: [user: string, team: string | null, role: KeyRole]) => `key ${of.join()}`

const publicUrl = 'http://isolation.example'

/** The key of a row, in the format of the model and the state. */
export const keyOf = (table: Table, payload: Payload): string =>
  table.key.map((column) => String(payload[column])).join('/')

/** @throws if the model does not know a table, or a table that it references */
function compare({ tables }: Catalogue): void {
  for (const { name, references, columns, key } of tables) {
    const model = models[name]
    if (model === undefined)
      throw new Error(
        `api.${name} is exposed, and tests/support/tables.ts has no entry for it: add the tenant of its rows`,
      )
    const referenced = Object.entries(model.refers).flatMap(([column, { table, with: values }]) =>
      values === undefined ? [`${column} → ${table}`] : []
    )
    const found = references.map(({ column, table }) => `${column} → ${table}`)
    if (referenced.toSorted().join() !== found.toSorted().join())
      throw new Error(
        `api.${name} refers to [${found.join()}], and the model says [${referenced.join()}]`,
      )
    if (key.length === 0)
      throw new Error(`api.${name} has no primary key, which identifies its rows`)
    const hasPair = ['user_id', 'organization_id'].every((column) =>
      columns.some((one) => one.name === column)
    )
    if (hasPair === (model.kind === 'own'))
      throw new Error(
        `api.${name} ${
          hasPair ? 'has' : 'has not'
        } the owner pair, and the model says ${model.kind}`,
      )
  }
}

const accountOf = (name: string): Account => ({
  id: name,
  email: `${name}@example.org`,
  sessionId: `of ${name}`,
})

async function populate(owner: pg.Client): Promise<void> {
  await storeAccounts(owner, people.map(accountOf))
  await owner.query(
    `insert into auth.sessions (id, token, user_id, expires_at) values ('past', 'past', 'solo', now() - interval '1 minute')`,
  )
  for (const [organization, members] of Object.entries(teams))
    await storeOrganization(owner, organization, new Map(Object.entries(members)))
  const key = (user: string, team: string | null, role: KeyRole, ends = '1 hour') =>
    owner.query(
      `insert into auth.api_keys (id, name, user_id, organization_id, role, key_hash, hint, expires_at)
        values ($1, $1, $2, $3, $4, sha256(convert_to($1, 'UTF8')), 'fin_', now() + $5::interval)`,
      [keyId(user, team, role), user, team, role, ends],
    )
  for (const one of keys) await key(...one)
  await key('other', null, 'editor', '-1 minute')
  await owner.query(
    `insert into auth.members (id, organization_id, user_id, role) values ('removed', 'team-a', 'removed', 'viewer')`,
  )
  await owner.query(`update auth.members set role = 'editor' where user_id = 'demoted'`)
  await key('removed', 'team-a', 'viewer')
  await key('demoted', 'team-a', 'editor')
  await owner.query(`delete from auth.members where user_id = 'removed'`)
  await owner.query(`update auth.members set role = 'viewer' where user_id = 'demoted'`)
}

/**
 * The activity of a deleted tag. The ids of a request's activity start with the id of the request.
 */
function ofDeletedTag(
  table: Table,
  tenant: { user: string, organization: string | null },
  n: number,
): Payload {
  const { change_id: change, row_id: tag, happened_at: then } = contents(table, n, canary(n))
  const pair = pairOfPart(tenant)
  return {
    id: String(change).replace(/.$/, '1'),
    // One of them by a former editor who is now a viewer.
    actor_id: tenant.user === 'a-owner' ? 'demoted' : tenant.user,
    user_id: pair.user,
    organization_id: pair.organization,
    tenant: pair.organization === null ? `u:${tenant.user}` : `o:${pair.organization}`,
    before: {
      id: tag,
      name: canary(n),
      user_id: tenant.user,
      organization_id: tenant.organization,
      created_at: then,
    },
  }
}

/**
 * Inserts one row of a table for a tenant. It references the tenant's rows of the same ordinal, if
 * they exist.
 */
async function store(
  owner: pg.Client,
  table: Table,
  tenant: { user: string, organization: string | null },
  n: number,
  ordinal: number,
  ours: StoredRow[],
): Promise<StoredRow> {
  const kind = models[table.name]?.kind
  const refers = Object.fromEntries(
    table.references.map(({ column, table: name }) => {
      const candidates = ours.filter((row) => row.table === name)
      const named = candidates[
        ordinal % Math.max(1, candidates.length - (models[name]?.kind === 'owned' ? 1 : 0))
      ]
      if (named === undefined)
        throw new Error(
          `tests/isolation cannot make a row of api.${table.name}: its tenant has no row of ${name}`,
        )
      return [column, named.key]
    }),
  )
  const payload: Payload = {
    ...contents(table, n, canary(n)),
    ...refers,
    ...(table.key.join() === 'id' ? { id: randomUUID() } : {}),
    ...(kind === 'owned' || kind === 'stored'
      ? { user_id: tenant.user, organization_id: tenant.organization }
      : {}),
    ...(kind === 'own' ? { user_id: tenant.user } : {}),
    ...(kind === 'log' ? ofDeletedTag(table, tenant, n) : {}),
  }
  if ('visibility' in payload) payload['visibility'] = ['private', 'shared', 'public'][ordinal % 3]
  const columns = Object.keys(payload).map((column) => pg.escapeIdentifier(column)).join()
  await owner.query(
    `insert into api.${
      pg.escapeIdentifier(table.name)
    } (${columns}) select ${columns} from jsonb_populate_record(null::api.${
      pg.escapeIdentifier(table.name)
    }, $1)`,
    [JSON.stringify(payload)],
  ).catch((error: unknown) => {
    throw new Error(
      `tests/isolation cannot make a row of api.${table.name}: ${
        String(error)
      }; give the column a form in rows.ts`,
      { cause: error },
    )
  })
  return {
    table: table.name,
    key: keyOf(table, payload),
    ...(isPart(table.name) || kind === 'log' ? pairOfPart(tenant) : tenant),
    refers,
    n,
    payload,
    ...('visibility' in payload ? { visibility: String(payload['visibility']) } : {}),
    ...(kind === 'log' ? { actor: String(payload['actor_id']) } : {}),
  }
}

async function everybodysRows(owner: pg.Client, { tables }: Catalogue): Promise<StoredRow[]> {
  const rows: StoredRow[] = []
  let n = 10
  const fill = async (owners: string[], organization: string | null): Promise<void> => {
    const ours: StoredRow[] = []
    for (const table of tables) {
      if (models[table.name]?.kind === 'own' && organization !== null) continue
      // Each referenced table has a spare row without references to it.
      const isNamed = tables.some(({ references }) =>
        references.some(({ table: name }) => name === table.name)
      )
      // The spare transaction has no parts.
      const count = organization === null
        ? (isNamed ? 2 : 1)
        : owners.length - (isPart(table.name) ? 1 : 0)
      for (let ordinal = 0; ordinal < count; ordinal += 1) {
        ours.push(
          await store(
            owner,
            table,
            { user: owners[ordinal % owners.length] ?? '', organization },
            n,
            ordinal,
            ours,
          ),
        )
        n += 1
      }
    }
    rows.push(...ours)
  }
  for (const person of people) if (person !== 'ghost') await fill([person], null)
  await fill(['a-editor', 'removed', 'a-owner', 'ghost'], 'team-a')
  await fill(['b-editor', 'b-admin', 'b-owner'], 'team-b')
  await owner.query(`delete from auth.users where id = 'ghost'`)
  return rows.map((row) =>
    row.user !== 'ghost'
      ? row
      : {
        ...row,
        user: null,
        payload: 'user_id' in row.payload ? { ...row.payload, user_id: null } : row.payload,
      }
  )
}

async function everybody(owner: pg.Client): Promise<Actor[]> {
  const { sign: signed } = await tokenSigner(owner, publicUrl)
  await owner.query('update private.settings set public_url = $1', [publicUrl])
  await owner.query(`notify pgrst, 'reload config'`)
  const hour = Math.floor(Date.now() / 1000) + 3600
  const sign = (
    user: string,
    team: string | null,
    role: string | null,
    change: Payload = {},
  ): Promise<string> =>
    signed({
      ...accountOf(user),
      organization: { ...(team !== null && { id: team }), ...(role !== null && { role }) },
    }, { exp: hour, ...change })

  const within = async (name: string, user: string, team: string, role: Role): Promise<Actor> => ({
    name,
    user,
    team,
    depth: 'everything',
    caller: { kind: 'user', user, organization: team, role },
    token: await sign(user, team, role),
  })
  const alone = async (name: string, user: string): Promise<Actor> => ({
    name,
    user,
    team: 'team-a',
    depth: 'everything',
    caller: { kind: 'user', user, organization: null, role: null },
    token: await sign(user, null, null),
  })
  const refused = (
    name: string,
    user: string,
    token: string,
    depth: Actor['depth'] = 'a little',
  ): Actor => ({
    name,
    user,
    team: 'team-a',
    depth,
    caller: { kind: 'refused' },
    token,
  })
  const ofKey = async (
    name: string,
    user: string,
    team: string | null,
    role: KeyRole,
    change: Payload = {},
  ) => ({
    name,
    user,
    team: team ?? 'team-a',
    token: await sign(user, team, team === null ? null : role, {
      sid: keyId(user, team, role),
      api_key: role,
      ...change,
    }),
  })
  const byKey = async (
    name: string,
    user: string,
    team: string | null,
    role: KeyRole,
  ): Promise<Actor> => ({
    ...await ofKey(name, user, team, role),
    depth: 'everything',
    caller: {
      kind: 'user',
      user,
      organization: team,
      role: team === null ? null : role,
      key: role === 'viewer' ? 'reads' : 'changes',
    },
  })
  const byNoKey = async (
    name: string,
    user: string,
    team: string | null,
    role: KeyRole,
    change: Payload = {},
  ): Promise<Actor> => ({
    ...await ofKey(name, user, team, role, change),
    depth: 'a little',
    caller: { kind: 'refused' },
  })
  return [
    await alone('personal', 'solo'),
    ...await Promise.all(roles.map((role) => within(`${role} of A`, `a-${role}`, 'team-a', role))),
    await within('member of both, in A', 'both', 'team-a', 'editor'),
    await within('member of both, in B', 'both', 'team-b', 'viewer'),
    await alone('member of both, personal', 'both'),
    await alone('removed, new token', 'removed'),
    await within('demoted, new token', 'demoted', 'team-a', 'viewer'),
    ...await Promise.all(roles.map((role) => within(`${role} of B`, `b-${role}`, 'team-b', role))),
    {
      name: 'anonymous',
      user: 'solo',
      team: 'team-a',
      depth: 'everything',
      caller: { kind: 'anonymous' },
      token: undefined,
    },
    ...await Promise.all(
      keys.map(([user, team, role]) =>
        byKey(`${role} key of ${team ?? 'a person'}`, user, team, role)
      ),
    ),
    await byNoKey('key of a removed member', 'removed', 'team-a', 'viewer'),
    await byNoKey('key of a demoted member', 'demoted', 'team-a', 'editor'),
    await byNoKey('key past its time', 'other', null, 'editor'),
    await byNoKey('key with a higher role', 'a-admin', 'team-a', 'viewer', {
      api_key: 'editor',
      claims: { organization_id: 'team-a', organization_role: 'editor' },
    }),
    await byNoKey('key with a higher role for the team alone', 'a-admin', 'team-a', 'viewer', {
      claims: { organization_id: 'team-a', organization_role: 'editor' },
    }),
    await byNoKey('personal key with a higher role', 'solo', null, 'viewer', { api_key: 'editor' }),
    await byNoKey('key that does not say it is one', 'a-admin', 'team-a', 'editor', {
      api_key: undefined,
    }),
    await byNoKey('personal key for a team', 'a-admin', null, 'editor', {
      claims: { organization_id: 'team-a', organization_role: 'editor' },
    }),
    await byNoKey('key of a team for the person', 'a-admin', 'team-a', 'editor', { claims: {} }),
    await byNoKey("another's key", 'solo', null, 'viewer', {
      sid: keyId('a-admin', null, 'editor'),
      api_key: 'editor',
    }),
    refused(
      'removed, old token',
      'removed',
      await sign('removed', 'team-a', 'editor'),
      'everything',
    ),
    refused(
      'demoted, old token',
      'demoted',
      await sign('demoted', 'team-a', 'editor'),
      'everything',
    ),
    refused(
      'expired token',
      'a-owner',
      await sign('a-owner', 'team-a', 'owner', { exp: hour - 7200 }),
      'everything',
    ),
    refused(
      'token without exp',
      'a-owner',
      await sign('a-owner', 'team-a', 'owner', { exp: undefined }),
    ),
    refused(
      'token without aud',
      'a-owner',
      await sign('a-owner', 'team-a', 'owner', { aud: undefined }),
    ),
    refused(
      'token for elsewhere',
      'a-owner',
      await sign('a-owner', 'team-a', 'owner', { aud: 'http://elsewhere.example' }),
    ),
    refused(
      'token of an ended session',
      'a-owner',
      await sign('a-owner', 'team-a', 'owner', { sid: 'ended' }),
    ),
    refused(
      'token without session',
      'a-owner',
      await sign('a-owner', 'team-a', 'owner', { sid: undefined }),
    ),
    refused(
      'token of a session past its time',
      'solo',
      await sign('solo', null, null, { sid: 'past' }),
    ),
    refused(
      "token of another's session",
      'solo',
      await sign('solo', null, null, { sid: 'of other' }),
    ),
    refused(
      'token whose user_id is another',
      'solo',
      await sign('solo', null, null, { user_id: 'other', sid: 'of other' }),
    ),
    refused(
      'token whose sub is another',
      'solo',
      await sign('solo', null, null, { user_id: 'other' }),
    ),
    refused(
      'token with an organization and no role',
      'a-owner',
      await sign('a-owner', 'team-a', null),
    ),
    refused(
      'token with a role and no organization',
      'a-owner',
      await sign('a-owner', null, 'owner'),
    ),
    refused("token of another user's organization", 'solo', await sign('solo', 'team-a', 'owner')),
  ]
}

/**
 * Fills an empty, migrated database. @throws if the model has no entry for an exposed table, or no
 * row of it can be made.
 */
export async function createWorld(owner: pg.Client): Promise<World> {
  const catalogue = await readCatalogue(owner)
  compare(catalogue)
  await populate(owner)
  const rows = await everybodysRows(owner, catalogue)
  const actors = await everybody(owner)
  const byId = new Map(rows.map((row) => [id(row), row]))
  return { catalogue, actors, rows, owner, find: (table, key) => byId.get(`${table}:${key}`) }
}
