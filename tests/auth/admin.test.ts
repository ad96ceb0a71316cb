import { afterAll, beforeAll, expect, test } from 'vitest'
import { belowFloors } from '../../common/floors.ts'
import { connection } from '../support/database.ts'
import { operator } from '../support/operator.ts'
import { password, person, signedIn, subscribed, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const run = (...argv: string[]) => operator(stack.ownerUrl, ...argv)

test('the operator’s command lists its subcommands', async () => {
  const { code, text } = await run('--help')
  expect(code).toBe(0)
  expect(text).toMatch(/^Usage: infra\/docker\/admin <command>/)
  for (
    const command of [
      'status',
      'products',
      'grant',
      'end',
      'verify',
      'two-factor',
      'passkeys',
      'api-keys',
      'users',
      'organizations',
      'restored',
    ]
  )
    expect(text).toMatch(new RegExp(`^  ${command} `, 'm'))
  expect((await run()).code).toBe(1)
})

test('the operator’s command prints the versions of the database and of the command, with their supported minimum', async () => {
  const { code, text } = await run('status')
  expect(code).toBe(0)
  expect(text).toMatch(
    /^Version \d+\.\d+\.\d+\nDatabase test_\w+\nprogram +version +floor\npostgresql +\d+\.\d+ .*\nnode +\d+\.\d+\.\d+ /,
  )
  const versions = Object.fromEntries(
    [...text.matchAll(/^(postgresql|node) +(\S+)/gm)].map((
      [, program, version],
    ) => [program, version]),
  )
  expect(text.split('\n').filter((line) => /^(Error|Warning):/.test(line))).toEqual(
    belowFloors(versions).map(({ line }) => line),
  )
})

test('the operator’s command grants a product to a user at once, and ends it', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await run('grant', ann.email.toUpperCase(), 'teams', '--days', '30')).toMatchObject({
    code: 0,
    text: expect.stringContaining(`${ann.email} has teams until `),
  })
  expect((await ann.get('/get-session')).body.subscription).toEqual({
    isSubscribed: true,
    productId: 'teams',
  })
  expect((await ann.post('/organization/create', { name: 'Acme' })).status).toBe(200)
  expect(await run('end', ann.email)).toEqual({
    code: 0,
    text: `Ended 1 subscription of ${ann.email}.\n`,
  })
  expect((await ann.get('/get-session')).body.subscription).toEqual({
    isSubscribed: false,
    productId: null,
  })
})

test('the operator’s command ends the API keys of one user in all contexts, and of no other user', async () => {
  const [ann, bob] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Bob')]
  const keyOf = async (user: Person) =>
    (await user.post('/api-key/create', { name: 'Report', expiresInDays: 9, password })).body
      .key as string
  const [anns, bobs] = [await keyOf(ann), await keyOf(bob)]
  const status = async (key: string) =>
    (await person(stack).call('POST', '/token', undefined, { authorization: `Bearer ${key}` }))
      .status
  expect(await run('api-keys', 'revoke', ann.email.toUpperCase())).toEqual({
    code: 0,
    text: `Ended 1 API key of ${ann.email}.\n`,
  })
  expect([await status(anns), await status(bobs)]).toEqual([401, 200])
  expect(await run('api-keys', 'revoke', ann.email)).toEqual({
    code: 0,
    text: `Ended 0 API keys of ${ann.email}.\n`,
  })
  expect(await run('api-keys', 'list')).toMatchObject({
    code: 1,
    text: expect.stringContaining('Unknown command api-keys list'),
  })
})

test('the operator’s command ends all sessions and pending links after a restore by other means', async () => {
  const ann = await signedIn(stack, 'Ann')
  expect(await run('restored')).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^Ended: \d+ sessions[^\n]*\.\n$/),
  })
  expect((await ann.get('/get-session')).status).toBe(401)
  expect(await run('restored')).toEqual({ code: 0, text: 'Ended: nothing.\n' })
})

test('the operator’s command ends one of several products', async () => {
  const ann = await subscribed(stack, 'Ann')
  await run('grant', ann.email, 'business')
  await run('end', ann.email, 'business')
  expect((await ann.get('/get-session')).body.subscription.productId).toBe('teams')
})

test('the operator’s command verifies a user', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  expect(await run('verify', ann.email)).toEqual({ code: 0, text: `${ann.email} is verified.\n` })
  expect((await ann.get('/get-session')).body.user.email_verified).toBe(true)
})

test('the operator’s command lists users and organizations as tables', async () => {
  const olga = await subscribed(stack, 'Olga')
  const { body: { slug } } = await olga.post('/organization/create', { name: 'Listed' })
  const users = await run('users', '--limit', '3')
  expect(users.text.split('\n')[0]).toMatch(/^email +name +verified +product +created_at +id$/)
  expect(users.text).toMatch(new RegExp(`^${olga.email} +Olga +true +teams `, 'm'))
  expect((await run('organizations')).text).toMatch(
    new RegExp(`^${slug} +Listed +${olga.email} +1 `, 'm'),
  )
  expect((await run('products')).text).toContain('business')
})

test('the operator’s command fails on a database that is not migrated, with a message that says so', async () => {
  expect(await operator(connection(stack.ownerUrl, { database: 'template1' }), 'users'))
    .toEqual({ code: 1, text: 'The database is not migrated: run `infra/docker/up` first.\n' })
})

test.each([
  [['grant'], 'Missing argument: email. `infra/docker/admin --help` shows how.'],
  [
    ['grant', 'nobody@example.org', 'teams'],
    'No user has the email nobody@example.org.',
  ],
  [['grant', 'KNOWN', 'gold'], 'Unknown product gold. There are: personal, teams, business.'],
  [['grant', 'KNOWN', 'teams', '--days', 'x'], '--days must be a whole number from 1 to 36500.'],
  [['end', 'KNOWN'], 'has no active subscription.'],
  [['dance'], 'Unknown command dance. `infra/docker/admin --help` shows how.'],
  [['users', '--limit', '0'], '--limit must be a whole number'],
  [['users', '--colour'], "Unknown option '--colour'"],
])(
  'the operator’s command with the arguments %j prints one sentence and exits with an error',
  async (argv, sentence) => {
    const ann = await signedIn(stack, 'Ann')
    const { code, text } = await run(...argv.map((word) => (word === 'KNOWN' ? ann.email : word)))
    expect(code).toBe(1)
    expect(text).toContain(sentence)
    expect(text.trimEnd()).not.toContain('\n')
  },
)

test('the operator’s command refuses arguments and options that it does not have, with its usage, and changes nothing', async () => {
  const [ann, bob] = [await subscribed(stack, 'Ann'), await signedIn(stack, 'Bob')]
  await ann.post('/api-key/create', { name: 'Report', expiresInDays: 9, password })
  const [{ kid } = { kid: '' }] =
    (await stack.sql.query<{ kid: string }>('select id as kid from auth.jwks')).rows
  const state = async () =>
    (await stack.sql.query(
      `select (select count(*) from auth.sessions) as sessions, (select count(*) from auth.api_keys) as api_keys,
      (select json_agg(s order by id) from api.app_subscriptions s) as subscriptions, (select array_agg(id order by id) from auth.jwks) as keys,
      (select key_rotation_requested_at from private.settings) as rotation, (select array_agg(email_verified order by id) from auth.users) as verified`,
    )).rows
  const before = await state()
  const refusals: [string[], ...string[]][] = [
    [['restored', 'extra'], 'restored'],
    [['restored', '--limit', '3'], 'restored'],
    [['keys', 'rotate', 'now'], 'keys rotate'],
    [['keys', 'rotate', '--all'], 'keys rotate'],
    [['keys', '--all'], 'keys'],
    [['keys', 'revoke', '--all', kid], 'keys revoke <kid>', 'keys revoke --all'],
    [['keys', 'revoke', kid, kid], 'keys revoke <kid>', 'keys revoke --all'],
    [['verify', ann.email, bob.email], 'verify <email>'],
    [['two-factor', 'reset', ann.email, bob.email], 'two-factor reset <email>'],
    [['passkeys', 'reset', ann.email, bob.email], 'passkeys reset <email>'],
    [['api-keys', 'revoke', ann.email, bob.email], 'api-keys revoke <email>'],
    [['end', ann.email, 'teams', 'business'], 'end <email> [<product>]'],
    [['end', ann.email, '--days', '3'], 'end <email> [<product>]'],
    [['grant', ann.email, 'teams', 'business'], 'grant <email> <product> [--days <n>]'],
    [['files', 'check', '--to', 'database'], 'files check'],
    [['files', 'move', 'all'], 'files move [--to database]'],
    [['export', ann.email, bob.email], 'export <email> [--organization <slug>]'],
    [['mail-test', ann.email, bob.email], 'mail-test <email>'],
    ...['status', 'products'].map((command): [string[], string] => [[command, 'all'], command]),
    ...['users', 'organizations'].map((
      command,
    ): [string[], string] => [[command, '5'], `${command} [--limit <n>]`]),
  ]
  for (const [argv, ...usages] of refusals) {
    const usage = usages.map((form) => `\`infra/docker/admin ${form}\``).join(' or ')
    expect(await run(...argv), argv.join(' ')).toEqual({
      code: 1,
      text: `The command has no such arguments. Usage: ${usage}.\n`,
    })
  }
  expect(await run('users', '--limit', '3', '--limit', '5')).toEqual({
    code: 1,
    text: '--limit is given twice. `infra/docker/admin --help` shows how.\n',
  })
  expect(await state()).toEqual(before)
})
