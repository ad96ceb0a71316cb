/** The operator's export of a user's data. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountFile } from '../../client/export/format.ts'
import { exportMine, restoreMine } from '../../client/export/index.ts'
import { unwrap } from '../../client/index.ts'
import { admin } from '../../admin/commands.ts'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { authenticator } from '../support/authenticator-app.ts'
import { connection } from '../support/database.ts'
import { operator, operatorToFile } from '../support/operator.ts'
import { password, signedIn, team } from '../support/person.ts'
import { newPdf, sha256Of } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { blobOf, filesOf, rowsIn } from '../typed-client/archives.ts'
import { clientOf } from '../typed-client/person-client.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true, receivers: localReceivers })
})
afterAll(() => stack.close())

const slugOf = async (id: string) =>
  (await stack.sql.query<{ slug: string }>('select slug from auth.organizations where id = $1', [
    id,
  ])).rows[0]!.slug

test('an export by the operator equals the user’s own export, and the user can restore it', async () => {
  const { id, owner, editor } = await team(stack, ['editor'])
  const client = clientOf(stack, editor)
  const account = await unwrap(
    client.data.from('accounts').insert({ name: 'Giro', type: 'checking', currency: 'eur' }).select(
      'id',
    ).single(),
  )
  const { id: transaction } = await unwrap(
    client.data.from('transactions').insert({
      name: '=1+1',
      amount: -0.1,
      account_id: account.id,
      metadata: { a: 'b' },
    }).select('id').single(),
  )
  const receipt = newPdf(700_000)
  await client.attach(transaction, new Blob([new Uint8Array(receipt)]), { name: 'receipt.pdf' })
  await unwrap(client.data.from('categories').insert({ name: 'My own', organization_id: null }))
  await unwrap(
    clientOf(stack, owner).data.from('categories').insert({
      name: 'The owner’s own',
      organization_id: null,
    }),
  )
  const { body: another } = await owner.post('/organization/create', {
    name: 'Another',
    metadata: { of: ['much'] },
    logo: 'https://example.org/logo.png',
  })
  await owner.post('/organization/invite-member', {
    organizationId: another.id,
    email: editor.email,
    role: 'viewer',
  })

  const { code, file, text } = await operatorToFile(
    stack.ownerUrl,
    'export',
    editor.email.toUpperCase(),
    '--organization',
    await slugOf(id),
  )
  expect({ code, text }).toEqual({ code: 0, text: '' })
  const [operatorExport, userExport] = [
    await filesOf(file),
    await filesOf(await blobOf(await exportMine(client))),
  ]
  expect([...operatorExport.keys()]).toEqual([...userExport.keys()])
  for (const [path, content] of userExport) {
    if (path === 'manifest.json') continue
    // The current session differs: the user's own export runs in a session of the client.
    expect(operatorExport.get(path), path).toBe(
      content.replace('"current":true', '"current":false'),
    )
  }
  expect(JSON.parse(operatorExport.get('manifest.json')!).files).toContainEqual({
    path: `files/${sha256Of(receipt)}`,
    size: 700_000,
    sha256: sha256Of(receipt),
  })
  expect(JSON.parse(operatorExport.get('manifest.json')!)).toMatchObject({
    user: { email: editor.email },
    organization: { id, name: 'The Team' },
  })
  expect(rowsIn(operatorExport, 'personal/categories.jsonl')).toMatchObject([{ name: 'My own' }])
  expect(rowsIn(operatorExport, 'account/invitations.jsonl')).toMatchObject([{
    organization_name: 'Another',
    role: 'viewer',
  }])
  const owners = await filesOf((await operatorToFile(stack.ownerUrl, 'export', owner.email)).file)
  expect(rowsIn(owners, 'account/organizations.jsonl')).toEqual(
    await clientOf(stack, owner).auth.organization.list(),
  )

  await unwrap(client.data.from('transactions').delete().eq('name', '=1+1'))
  expect(await restoreMine(client, file)).toMatchObject({
    problems: [],
    tables: { transactions: { stored: 1, present: 0 } },
  })
})

/**
 * The file of the export that holds each table of schema auth. Null for tables that only prove the
 * user's identity or hold no personal data.
 */
const fileOfTable: Record<string, AccountFile | null> = {
  users: 'user',
  sessions: 'sessions',
  members: 'organizations',
  invitations: 'invitations',
  accounts: 'providers',
  passkeys: 'passkeys',
  api_keys: 'api_keys',
  webhooks: 'webhooks',
  calendars: 'calendars',
  two_factors: 'sign_in',
  events: 'events',
  two_factor_tokens: null,
}

test('an export covers each table with data of the user, and contains no secret that opens the account', async () => {
  const { rows: tables } = await stack.sql.query<{ name: string }>(
    `select distinct c.relname as name from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'user_id' left join pg_constraint r on r.conrelid = c.oid and r.confrelid = 'auth.users'::regclass
    where c.relnamespace = 'auth'::regnamespace and c.relkind in ('r', 'p') and (a.attname is not null or r.oid is not null or c.oid = 'auth.users'::regclass)`,
  )
  expect(tables.map(({ name }) => name).toSorted()).toEqual(Object.keys(fileOfTable).toSorted())

  const { owner } = await team(stack, [])
  const other = await team(stack, [])
  const id = await owner.id()
  await other.owner.post('/organization/invite-member', {
    organizationId: other.id,
    email: owner.email,
    role: 'viewer',
  })
  const { body: { key, hint } } = await owner.post('/api-key/create', {
    name: 'Report',
    expiresInDays: 9,
    password,
  })
  const { body: { secret: webhookSecret } } = await owner.post('/webhook/create', {
    name: 'Hook',
    url: 'http://127.0.0.1:9/',
    password,
  })
  const { body: { url: calendarUrl } } = await owner.post('/calendar/create', {
    name: 'Due',
    password,
  })
  const { body: { totp_uri: uri } } = await owner.post('/two-factor/enable', { password })
  const app = authenticator(uri)
  expect((await owner.post('/two-factor/verify-totp', { code: app.code() })).status).toBe(200)
  await stack.sql.query(
    `insert into auth.accounts (id, provider_id, account_id, user_id) values ('linked-' || $1, 'https://login.example.org', 'ann-there', $1)`,
    [id],
  )
  await stack.sql.query(
    `insert into auth.passkeys (id, user_id, name, credential_id, public_key, counter, backed_up) values ($1, $1, 'Phone', 'credential-of-' || $1, 'public-key', 0, true)`,
    [id],
  )
  await stack.sql.query(
    `insert into auth.events (user_id, kind, happened_at) select $1, 'password_changed', now() - n * interval '1 minute' from generate_series(1, 250) n`,
    [
      id,
    ],
  )

  const userExport = await filesOf(await blobOf(await exportMine(clientOf(stack, owner))))
  const operatorExport = await filesOf(
    (await operatorToFile(stack.ownerUrl, 'export', owner.email)).file,
  )
  for (const file of new Set(Object.values(fileOfTable))) {
    if (file === null) continue
    expect(rowsIn(userExport, `account/${file}.jsonl`), file).not.toEqual([])
    expect(operatorExport.get(`account/${file}.jsonl`), file).toBe(
      userExport.get(`account/${file}.jsonl`)!.replace('"current":true', '"current":false'),
    )
  }
  expect(rowsIn(userExport, 'account/sign_in.jsonl')).toEqual([{
    has_password: true,
    passkey_required: false,
    two_factor: true,
    backup_codes_left: 10,
  }])
  expect(rowsIn(userExport, 'account/providers.jsonl')).toMatchObject([{
    issuer: 'https://login.example.org',
    subject: 'ann-there',
  }])
  expect(rowsIn(userExport, 'account/passkeys.jsonl')).toMatchObject([{
    name: 'Phone',
    backed_up: true,
    last_used_at: null,
  }])
  expect(rowsIn(userExport, 'account/api_keys.jsonl')).toMatchObject([{
    name: 'Report',
    hint,
    role: 'viewer',
  }])
  expect(rowsIn(userExport, 'account/webhooks.jsonl')).toMatchObject([{
    name: 'Hook',
    url: 'http://127.0.0.1:9/',
    tables: null,
  }])
  expect(rowsIn(userExport, 'account/calendars.jsonl')).toMatchObject([{
    name: 'Due',
    amounts: false,
  }])
  const { rows: events } = await stack.sql.query(
    'select id from auth.events where user_id = $1 and organization_id is null order by happened_at desc, id desc',
    [id],
  )
  expect(rowsIn(userExport, 'account/events.jsonl').map((event) => event['id'])).toEqual(
    events.map((event) => event['id']),
  )
  const { rows: [proof] } = await stack.sql.query<Record<string, string>>(
    `select a.password, f.secret, f.backup_codes[1] as backup, s.token, encode(k.key_hash, 'base64') as hash,
      w.secret as webhook, encode(c.secret_hash, 'base64') as calendar, 'public-key' as passkey, 'credential-of-' || $1 as credential
    from auth.accounts a join auth.two_factors f using (user_id) join auth.sessions s using (user_id) join auth.api_keys k using (user_id)
      join auth.webhooks w using (user_id) join auth.calendars c using (user_id)
    where a.user_id = $1 and a.provider_id = 'credential' limit 1`,
    [id],
  )
  for (
    const [what, value] of Object.entries({
      ...proof!,
      key,
      totp: app.secret,
      webhookSecret,
      calendarUrl,
    })
  ) {
    for (const [path, text] of [...userExport, ...operatorExport])
      expect(text.includes(value), `${what} in ${path}`).toBe(false)
  }
})

test('an export contains what the user’s role may list, and data of an organization only if the operator names it', async () => {
  const { id, owner, viewer } = await team(stack, ['viewer'])
  await unwrap(clientOf(stack, owner).data.from('tags').insert({ name: 'ours' }))
  const ofTeam = await filesOf(
    (await operatorToFile(
      stack.ownerUrl,
      'export',
      viewer.email,
      '--organization',
      await slugOf(id),
    )).file,
  )
  expect(rowsIn(ofTeam, 'organization/tags.jsonl')).toMatchObject([{ name: 'ours' }])
  expect(rowsIn(ofTeam, 'organization/activity.jsonl')).toEqual([])
  const ofOne = await filesOf((await operatorToFile(stack.ownerUrl, 'export', viewer.email)).file)
  expect([...ofOne.keys()].filter((path) => path.startsWith('organization/'))).toEqual([])
  expect(rowsIn(ofOne, 'account/organizations.jsonl')).toMatchObject([{ id, role: 'viewer' }])
})

test('an export is a snapshot of one moment, and reads only as fast as its output is consumed', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(
    `insert into api.transactions (name, amount, user_id, organization_id, description)
      select 'Row ' || n, -n, (select id from auth.users where email = $1), null, md5(n::text) from generate_series(1, 6000) n`,
    [ann.email],
  )
  const taken: (() => void)[] = []
  const parts: Uint8Array<ArrayBuffer>[] = []
  const end = admin(['export', ann.email], {
    databaseUrl: stack.ownerUrl,
    command: 'admin',
    migrateCommand: 'migrate',
  }, {
    write: (part, written) => {
      parts.push(Buffer.from(part))
      taken.push(() => written?.())
    },
  })
  await expect.poll(() => parts.length).toBe(1)
  // The output is not consumed: the export reads no further, and later changes by others are not in
  // it.
  await stack.sql.query(`delete from api.transactions where name like 'Row %'`)
  expect(parts.length).toBe(1)
  const take = setInterval(() => taken.shift()?.(), 0)
  expect(await end).toBe(0)
  clearInterval(take)
  const files = await filesOf(new Blob(parts))
  expect(rowsIn(files, 'personal/transactions.jsonl')).toHaveLength(6000)
  expect(files.get('personal/transactions.csv')!.split('\r\n')).toHaveLength(6002)
})

test('an export needs no superuser: a database owner that is a member of the authenticator role can run it', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { data, attach } = clientOf(stack, ann)
  const { id } = await unwrap(
    data.from('transactions').insert({ name: 'Shopping', amount: -20 }).select('id').single(),
  )
  await attach(id, new Blob(['A receipt.']))
  const owner = `owner_${randomBytes(4).toString('hex')}`
  await stack.sql.query(
    `create role ${owner} login password 'owner' in role authenticator, pg_read_all_data`,
  )
  const { code, file, text } = await operatorToFile(
    connection(stack.ownerUrl, { user: owner, password: 'owner' }),
    'export',
    ann.email,
  )
  expect({ code, text }).toEqual({ code: 0, text: '' })
  expect((await filesOf(file)).get(`files/${sha256Of(Buffer.from('A receipt.'))}`)).toBe(
    'A receipt.',
  )
  await stack.sql.query(`drop role ${owner}`)
})

test('an export fails with an error if its output cannot be written', async () => {
  const ann = await signedIn(stack, 'Ann')
  await expect(
    admin(['export', ann.email], {
      databaseUrl: stack.ownerUrl,
      command: 'admin',
      migrateCommand: 'migrate',
    }, {
      write: (_part, written) => written?.(new Error('The disk is full.')),
    }),
  ).rejects.toThrow('The disk is full.')
})

test.each([
  [['nobody@example.org'], 'No user has the email nobody@example.org.\n'],
  [['ANN', '--organization', 'elsewhere'], /^\S+ is not a member of elsewhere\.\n$/],
  [[], 'Missing argument: email. `infra/docker/admin --help` shows how.\n'],
])(
  'an export with the arguments %j prints an error to the terminal and leaves the file empty',
  async (args, sentence) => {
    const ann = await signedIn(stack, 'Ann')
    const { code, file, text } = await operatorToFile(
      stack.ownerUrl,
      'export',
      ...args.map((word) => (word === 'ANN' ? ann.email : word)),
    )
    expect({ code, size: file.size }).toEqual({ code: 1, size: 0 })
    expect(text).toMatch(sentence)
  },
)

test('an export refuses to write to a terminal', async () => {
  const ann = await signedIn(stack, 'Ann')
  let text = ''
  const terminal = { isTTY: true, write: (part: string | Uint8Array) => (text += String(part)) }
  expect(
    await admin(['export', ann.email], {
      databaseUrl: stack.ownerUrl,
      command: 'admin',
      migrateCommand: 'migrate',
    }, terminal),
  ).toBe(1)
  expect(text).toBe('An export is a ZIP archive. Redirect it to a file: … > export.zip.\n')
  expect((await operator(stack.ownerUrl, '--help')).text).toContain('export <email>')
})
