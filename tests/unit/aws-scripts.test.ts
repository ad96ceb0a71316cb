/**
 * The scripts of infra/aws with a fake `aws` that records its calls and answers as the test says.
 * Needs no account.
 */
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aws-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** The answers of each operation, call by call. The last answer repeats. */
type Answers = Record<string, string[]>

const taskArn = 'arn:aws:ecs:eu-central-1:123456789012:task/finance/0123abc'
const succeeded: Answers = {
  'run-task': [taskArn],
  'describe-tasks': [
    'PENDING\tNone\tNone',
    'RUNNING\tNone\tNone',
    'STOPPED\t0\tEssential container in task exited',
  ],
  'filter-log-events': ['', 'signing key rotated', 'signing key rotated\ntask ended with 0'],
}

type Outcome = { code: number, out: string, error: string, calls: string[][] }

async function run(
  script: string,
  args: string[],
  answers: Answers,
  variables: Record<string, string> = {},
): Promise<Outcome> {
  await writeFile(
    join(folder, 'aws'),
    `#!${process.execPath}
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs')
const args = process.argv.slice(2)
if (args.includes('file:///dev/stdin')) args.push(readFileSync(0, 'utf8').trim())
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, JSON.stringify(args) + '\\n')
const answers = JSON.parse(readFileSync(${JSON.stringify(join(folder, 'answers'))}, 'utf8'))
const query = args[args.indexOf('--query') + 1]
const key = [args[1] + ' ' + query, args[1]].find((name) => answers[name] !== undefined)
const list = answers[key] ?? ['']
const answer = list.length > 1 ? list.shift() : list[0]
writeFileSync(${JSON.stringify(join(folder, 'answers'))}, JSON.stringify(answers))
if (answer === 'fails') process.exit(254)
console.log(answer)
`,
  )
  await chmod(join(folder, 'aws'), 0o755)
  await writeFile(join(folder, 'answers'), JSON.stringify(answers))
  await writeFile(join(folder, 'calls'), '')
  const env = {
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    AWS_REGION: 'eu-central-1',
    CLUSTER: 'finance',
    TASK_DEFINITION: 'arn:aws:ecs:eu-central-1:123456789012:task-definition/finance-migrate:7',
    SUBNETS: 'subnet-1,subnet-2',
    SECURITY_GROUP: 'sg-1',
    LOG_GROUP: '/finance/migrate',
    DATABASE: 'finance',
    DATABASE_TLS: 'sslmode=verify-full&sslrootcert=/certificates/rds.pem',
    TASK_POLL_SECONDS: '0',
    ...variables,
  }
  const ended = await new Promise<Omit<Outcome, 'calls'>>((resolve) => {
    execFile(
      new URL(`../../infra/aws/${script}`, import.meta.url).pathname,
      args,
      { env },
      (failure, out, error) => resolve({ code: Number(failure?.code ?? 0), out, error }),
    )
  })
  const calls = await readFile(join(folder, 'calls'), 'utf8')
  return {
    ...ended,
    calls: calls.split('\n').filter((line) => line !== '').map((line) =>
      JSON.parse(line) as string[]
    ),
  }
}

/** Returns the value of an option of the first call of an operation. */
const option = ({ calls }: Outcome, operation: string, name: string): string => {
  const args = calls.find(([, called]) => called === operation) ?? []
  return args[args.indexOf(name) + 1] ?? ''
}

describe('the operator’s command', () => {
  test('the operator’s command runs as a task in the private network, and prints the complete output of the task', async () => {
    const outcome = await run('admin', ['keys', 'rotate'], succeeded)
    expect(outcome).toMatchObject({ code: 0, out: 'signing key rotated\n', error: '' })
    expect(option(outcome, 'run-task', '--network-configuration')).toBe(
      'awsvpcConfiguration={subnets=[subnet-1,subnet-2],securityGroups=[sg-1],assignPublicIp=DISABLED}',
    )
    expect(option(outcome, 'filter-log-events', '--log-stream-names')).toBe(
      'migrate/migrate/0123abc',
    )
  })

  test('the operator’s command accepts any character: the container gets the arguments unchanged', async () => {
    const args = ['grant', `o'brien "the \\ one"@example.org`, '$(id) `id`\n\t*']
    const overrides = JSON.parse(
      option(await run('admin', args, succeeded), 'run-task', '--overrides'),
    ) as {
      containerOverrides: { name: string, command: string[] }[]
    }
    const [{ name, command } = { name: '', command: [] as string[] }] = overrides.containerOverrides
    expect(name).toBe('migrate')
    expect(command.slice(3)).toEqual(['--', 'node', 'admin/main.ts', ...args])
    // Evaluates the command like the container, which has only Node.
    const [node = '', ...rest] = command
    const inContainer = (...script: string[]) =>
      new Promise((resolve) => {
        execFile(node, [...rest.slice(0, 3), 'node', '-e', ...script], {
          env: { PATH: dirname(process.execPath) },
        }, (error, out) => resolve({ code: error?.code ?? 0, out }))
      })
    expect(await inContainer('console.log(JSON.stringify(process.argv.slice(1)))', ...args))
      .toEqual({ code: 0, out: `${JSON.stringify(args)}\ntask ended with 0\n` })
    expect(await inContainer('process.exit(3)')).toEqual({ code: 3, out: 'task ended with 3\n' })
  })

  test.each([['an export, which would appear in a log', 'export'], [
    'a test mail, for which the task has no settings',
    'mail-test',
  ]])(
    'refuses %s',
    async (_, name) => {
      const outcome = await run('admin', [name, 'ann@example.org'], succeeded)
      expect(outcome).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringContaining('docs/aws.md'),
        calls: [],
      })
    },
  )

  test('the operator’s command returns the exit code and the output of the task', async () => {
    const outcome = await run('admin', ['grant', 'nobody@example.org', 'teams'], {
      ...succeeded,
      'describe-tasks': ['STOPPED\t2\tEssential container in task exited'],
      'filter-log-events': [
        'No user has the email nobody@example.org.\ntask ended with 2',
      ],
    })
    expect(outcome).toMatchObject({
      code: 2,
      out: 'No user has the email nobody@example.org.\n',
    })
    expect(outcome.error).toContain('Exit code 2')
  })
})

test('the migration is awaited as long as it runs, even if a status request fails', async () => {
  const outcome = await run('migrate', [], {
    ...succeeded,
    'describe-tasks': [
      ...Array<string>(20).fill('RUNNING\tNone\tNone'),
      'fails',
      ...succeeded['describe-tasks'] ?? [],
    ],
  })
  expect(outcome.code).toBe(0)
  expect(outcome.calls.filter(([, operation]) => operation === 'describe-tasks')).toHaveLength(24)
})

test('the migration is input up after the timeout, with a message that it still runs', async () => {
  const outcome = await run('migrate', [], {
    ...succeeded,
    'describe-tasks': ['RUNNING\tNone\tNone'],
  }, { TASK_MINUTES: '0' })
  expect(outcome).toMatchObject({
    code: 75,
    error: `The task still runs after 0 minutes and continues: ${taskArn}\n`,
  })
})

test('the migration fails with the reason if its container could not start', async () => {
  const outcome = await run('migrate', [], {
    ...succeeded,
    'describe-tasks': ['STOPPED\tNone\tCannotPullContainerError: not found'],
  })
  expect(outcome.code).toBe(1)
  expect(outcome.error).toContain('CannotPullContainerError: not found')
})

test('the migration fails if no task could start', async () => {
  expect(await run('migrate', [], { 'run-task': ['None'] })).toMatchObject({
    code: 1,
    error: expect.stringContaining('could not be started'),
  })
  expect((await run('migrate', [], { 'run-task': ['fails'] })).code).not.toBe(0)
})

describe('a recovery drill', () => {
  const servers: Answers = {
    ...succeeded,
    [`describe-db-instances length(DBInstances[?DBInstanceIdentifier=='finance-drill'])`]: ['0'],
    'describe-db-instances DBInstances[0].MasterUserSecret.SecretArn': ['arn:of-the-owners-secret'],
    'describe-db-instances DBInstances[0].DBInstanceStatus': [
      'creating',
      'backing-up',
      'available',
    ],
    'describe-db-instances DBInstances[0].PendingModifiedValues.MasterUserPassword': [
      '****',
      'None',
    ],
    'describe-db-instances DBInstances[0].Endpoint.Address': ['finance-drill.rds.amazonaws.com'],
    'describe-db-instances DBInstances[0].VpcSecurityGroups[].VpcSecurityGroupId': ['sg-9'],
    'describe-db-instances DBInstances[0].DBSubnetGroup.DBSubnetGroupName': ['finance'],
    'get-secret-value': ['{"username":"finance_owner","password":"p\\"w:{}"}'],
    'filter-log-events': ['12 rules, 0 broken\ntask ended with 0'],
  }

  test('a recovery drill restores a moment next to the database, checks the rules, and removes the copy', async () => {
    const outcome = await run('drill', ['2026-11-21T10:15:00Z'], servers)
    expect(outcome).toMatchObject({
      code: 0,
      out: '12 rules, 0 broken\nRestored and checked: finance-drill.\n',
    })
    expect(option(outcome, 'restore-db-instance-to-point-in-time', '--restore-time')).toBe(
      '2026-11-21T10:15:00Z',
    )
    expect(option(outcome, 'run-task', '--overrides')).toContain(
      '"environment":[{"name":"DATABASE_URL","value":"postgresql://finance_owner@finance-drill.rds.amazonaws.com:5432/finance?sslmode=verify-full&sslrootcert=/certificates/rds.pem"}]',
    )
    expect(option(outcome, 'delete-db-instance', '--db-instance-identifier')).toBe('finance-drill')
  })

  test('a recovery drill gives the copy the current password, not in an argument that other users could read', async () => {
    const { calls } = await run('drill', [], servers)
    const [, , , , input = ''] =
      calls.find(([, operation]) => operation === 'modify-db-instance') ?? []
    expect(JSON.parse(input)).toEqual({
      DBInstanceIdentifier: 'finance-drill',
      ApplyImmediately: true,
      MasterUserPassword: 'p"w:{}',
    })
    expect(calls.flatMap((args) => args.filter((word) => word.includes('p\\"w')))).toEqual([input])
  })

  test('a recovery drill fails if a rule is broken, and still removes the copy', async () => {
    const outcome = await run('drill', [], {
      ...servers,
      'describe-tasks': ['STOPPED\t1\tEssential container in task exited'],
      'filter-log-events': ['row_security: api.transactions\ntask ended with 1'],
    })
    expect(outcome).toMatchObject({ code: 1, out: 'row_security: api.transactions\n' })
    expect(option(outcome, 'delete-db-instance', '--db-instance-identifier')).toBe('finance-drill')
  })

  test('a recovery drill does not change an existing server', async () => {
    const outcome = await run('drill', [], {
      [`describe-db-instances length(DBInstances[?DBInstanceIdentifier=='finance-drill'])`]: ['1'],
    })
    expect(outcome.code).toBe(1)
    expect(outcome.calls.map(([, operation]) => operation)).toEqual(['describe-db-instances'])
  })
})

test('the scripts of infra/aws read the outputs of the root module that FINANCE_ROOT names, otherwise of the example', async () => {
  await writeFile(join(folder, 'terraform'), '#!/bin/sh\necho "$@" >&2\nexit 3\n', { mode: 0o755 })
  const without = { TASK_DEFINITION: '' }
  expect(await run('migrate', [], {}, { ...without, FINANCE_ROOT: '/srv/ours' })).toMatchObject({
    code: 3,
    error: '-chdir=/srv/ours output -raw task\n',
    calls: [],
  })
  expect(await run('drill', [], {}, without)).toMatchObject({
    code: 3,
    error: expect.stringMatching(/^-chdir=\S+infra\/aws\/example output -raw task\n$/),
  })
})

test('the scripts of infra/aws say what is missing: a check without the packages of npm names the command that installs them', async () => {
  await mkdir(join(folder, 'infra/aws'), { recursive: true })
  await copyFile(
    join(import.meta.dirname, '../../infra/aws/check'),
    join(folder, 'infra/aws/check'),
  )
  const ended = await new Promise((resolve) => {
    execFile(
      join(folder, 'infra/aws/check'),
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'node_modules/.bin/node is missing: run npm ci first.\n',
  })
})
