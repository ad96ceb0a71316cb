/**
 * The commands of infra/docker except setup: check, support, up, upgrade, rollback and restore.
 * Docker is a fake script here; tests/containers/upgrade-under-load.containers.ts uses the real one.
 */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, expect, test } from 'vitest'
import {
  deploymentIn,
  fakeDocker,
  fakeDockerScript,
  otherDeploymentIn,
  prepareFolder,
  run,
  writtenIn,
  type Ended,
} from './docker-folder.ts'

let directory: string
beforeEach(async () => {
  directory = await prepareFolder()
})
afterEach(() => rm(directory, { recursive: true }))

const deployment = () => deploymentIn(directory)
const otherDeployment = () => otherDeploymentIn(directory)
const command = (name: string, args: string[], env?: Record<string, string>, uid?: number) =>
  run(directory, name, args, env, uid)
const docker = (project: string, folders: string[], volumes: string[]) =>
  fakeDocker(directory, project, folders, volumes)
const dockerScript = (answers: Record<string, string>) => fakeDockerScript(directory, answers)
const written = () => writtenIn(directory)

describe('check without an image', () => {
  const setting = async (line: string) =>
    writeFile(
      join(deployment(), '.env'),
      `${await readFile(join(deployment(), '.env'), 'utf8')}${line}\n`,
    )
  beforeEach(async () => {
    await docker('finance', [], [])
    await command('setup', ['https://money.example.org'])
  })

  test('check without an image finds nothing after setup, and takes no other argument', async () => {
    expect(await command('check', [])).toMatchObject({ code: 0, output: 'No problem found.\n' })
    expect(await command('check', ['--all'])).toMatchObject({
      code: 1,
      complaint: 'Usage: infra/docker/check [--local]\n',
    })
  })

  test('check without an image names each secret that is missing, empty, closed or a folder, the app without a page, and the private name', async () => {
    const secret = (name: string) => join(deployment(), 'secrets', name)
    await rm(secret('POSTGRES_PASSWORD'))
    await writeFile(secret('AUTH_SERVICE_PASSWORD'), '')
    await chmod(secret('BETTER_AUTH_SECRET'), 0o600)
    await mkdir(secret('SMTP_URL'))
    await setting(
      'SMTP_URL_FILE=secrets/SMTP_URL\nRESEND_API_KEY_FILE=secrets/absent\nAPP_DIR=somewhere',
    )
    const { code, output } = await command('check', [])
    expect(code).toBe(1)
    expect(output.trimEnd().split('\n')).toEqual([
      expect.stringContaining(
        'secrets/POSTGRES_PASSWORD, the file of POSTGRES_PASSWORD, is missing',
      ),
      expect.stringContaining(
        'secrets/AUTH_SERVICE_PASSWORD, the file of AUTH_SERVICE_PASSWORD, is empty',
      ),
      expect.stringContaining(
        'secrets/BETTER_AUTH_SECRET, the file of BETTER_AUTH_SECRET, cannot be read by containers, which have other users: chmod 644',
      ),
      expect.stringContaining('secrets/absent, the file of RESEND_API_KEY, is missing'),
      expect.stringContaining(
        'secrets/SMTP_URL, the file of SMTP_URL, cannot be read: make it a file',
      ),
      expect.stringContaining('APP_DIR names somewhere, which has no index.html'),
    ])
    await writeFile(
      join(deployment(), '.env'),
      'PUBLIC_URL=https://nas.local\nSITE_HOST=nas.local\n',
    )
    expect((await command('check', [])).output).toContain(
      'the private name nas.local: write TLS=internal into .env',
    )
  })

  test.each([[1, 'stops'], [2, 'does not stop'], [3, 'does not stop']])(
    'check without an image that ends with %s %s an upgrade before its backup',
    async (code) => {
      const script = (name: string, text: string) =>
        writeFile(join(deployment(), 'infra/docker', name), `#!/bin/sh\n${text}\n`)
      await script('check', `echo 'A sentence of the check.'; exit ${code}`)
      await script('backup', `echo 'The backup ran.' >&2; exit 1`)
      const { complaint } = await command('upgrade', [])
      expect(complaint).toContain('A sentence of the check.\n')
      expect(complaint.includes('The backup ran.')).toBe(code !== 1)
      expect(complaint).toMatch(/\nNot upgraded, for the reason above: [^\n]*\n$/)
    },
  )

  test('check without an image repeats no value of a line that Docker Compose cannot read', async () => {
    await dockerScript({
      '"compose version "*': 'echo 2.26.1',
      '*config*':
        `echo 'failed to read .env: line 9: unterminated quoted value "canary' >&2; exit 1`,
      '*': ':',
    })
    const { output } = await command('check', [])
    expect(output).toBe(
      'Docker Compose cannot read the settings (failed to read .env: line 9: unterminated quoted value …): correct that in .env.\n',
    )
  })

  test('check without an image names a missing compose file with the command that makes it again, and not as an error of a setting', async () => {
    await rm(join(deployment(), '.deployed.latest.yaml'))
    expect(await command('check', [])).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /^COMPOSE_FILE names \.deployed\.latest\.yaml, which is missing: run infra\/docker\/setup, .*\n$/,
      ),
    })
    await command('setup', [])
    expect((await command('check', [])).output).toBe('No problem found.\n')
  })

  test('check without an image names an owner of backups/ that is not BACKUP_USER, as after a copy from another machine, if backups are made', async () => {
    await writeFile(
      join(deployment(), '.env'),
      (await readFile(join(deployment(), '.env'), 'utf8')).replace(
        /^BACKUP_USER=.*$/m,
        'BACKUP_USER=12345:12345',
      ),
    )
    expect((await command('check', [])).code).toBe(0)
    await setting('COMPOSE_PROFILES=backup')
    const { uid, gid } = await stat(join(deployment(), 'backups'))
    expect((await command('check', [])).output).toContain(
      `BACKUP_USER is 12345:12345, and the folder backups belongs to ${uid}:${gid}: write BACKUP_USER=${uid}:${gid} into .env`,
    )
  })

  test.each([
    [
      'echo "docker: \'compose\' is not a docker command" >&2; exit 1',
      'Docker has no plugin compose: install it',
    ],
    ['echo v2.17.3', 'Docker Compose 2.17.3 is too old: install 2.24 or newer'],
  ])(
    'check without an image names compose, and not .env, if `docker compose version` does: %s',
    async (answer, sentence) => {
      await dockerScript({ '"compose "*': answer })
      expect(await command('check', [])).toMatchObject({
        code: 1,
        output: expect.stringMatching(new RegExp(`^${sentence}.*\n$`)),
      })
    },
  )

  test('check without an image without .env says how to begin', async () => {
    await rm(join(deployment(), '.env'))
    expect(await command('check', [])).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^There is no \.env here: run infra\/docker\/setup/),
    })
  })
})

describe('the file for helpers', () => {
  const at = (...parts: string[]) => join(deployment(), ...parts)
  /** Runs the command with these logs. @returns how it ended, and the texts of the file */
  async function helped(
    logs: Record<string, string>,
    complaint = '',
  ): Promise<Ended & { text: string }> {
    await writeFile(join(directory, 'complaint'), complaint)
    for (const [service, log] of Object.entries(logs))
      await writeFile(join(directory, `${service}.log`), log)
    const answers = Object.keys(logs).map((service) =>
      [`*"--tail 3000 ${service}"`, `cat '${join(directory, `${service}.log`)}'`] as const
    )
    await dockerScript({
      ...Object.fromEntries(answers),
      '*compose*': `cat '${join(directory, 'complaint')}' >&2; exit 1`,
    })
    const ended = await command('support', [directory])
    const text = await new Promise<string>((resolve) =>
      execFile('tar', ['-xzOf', ended.output.trim()], (_, found) => resolve(found))
    )
    return { ...ended, text }
  }
  beforeEach(async () => {
    await docker('finance', [], [])
    await command('setup', ['https://money.example.org'])
  })

  test('the file for helpers has no mail, no login of a URL and no address of a log, in whatever form', async () => {
    const { text } = await helped({
      edge:
        `{"path":"/people/canary%40example.org","client":"203.0.113.7"}\n{"path":"/people/cänary@exämple.org","client":"2001:db8::7"}\n`,
      auth:
        `smtp://ann:can/a:ry@mail.example.org:587 and postgresql://canary@db/finance\n    at hono (/app/node_modules/@hono/index.mjs:1:2)\n`,
    })
    expect(text).toContain('"path":"/people/<mail>"')
    expect(text).toContain(
      'smtp://<login>@mail.example.org:587 and postgresql://<login>@db/finance',
    )
    expect(text).toContain('at hono (/app/node_modules/@hono/index.mjs:1:2)')
    expect(text).not.toMatch(/canary@|canary%40|änary|a:ry|exämple|203\.0|2001:/)
  })

  test('the file for helpers has the names of migrations, which are no ids, and no id beside one', async () => {
    const id = 'N2FsUxQ134uOc640T9mYMOa660Gwrm5j'
    const { text } = await helped({
      migrate: `applied 0004_indexes_of_one_tenant.sql\n0007_a.sql of ${id}\n0008_a-${id}.sql\n`,
    })
    expect(text).toContain('applied 0004_indexes_of_one_tenant.sql\n0007_a.sql of <id>\n<id>\n')
  })

  test('the file for helpers has of PostgreSQL only lines about the server, and none in which a text of a user looks like such a line', async () => {
    const begin = '2026-11-28 12:00:00.123 UTC [12]'
    const { text } = await helped({
      db: [
        `\x1b[2K${begin} LOG:  database system is ready to accept connections`,
        `${begin} ERROR:  could not read canary-1`,
        `${begin} DETAIL:  Key (name)=( LOG:  canary-2) already exists.`,
        `${begin} STATEMENT:  insert into tags values ('`,
        `\t${begin} LOG:  canary-3')`,
        `${begin} LOG:  duration: 12 ms  bind <unnamed>: select 'canary-4'`,
        `${begin} FATAL:  database "canary-5" does not exist`,
        'The disk of the database is full: docs/runbook.md, The disk is full.',
      ].join('\n'),
    })
    expect(text).toContain('ready to accept connections')
    expect(text).toContain('database "…" does not exist')
    expect(text).toContain('The disk of the database is full')
    expect(text).not.toContain('canary')
  })

  test('the file for helpers has no value of .env, not in the names of settings and not in the words of Docker Compose', async () => {
    await writeFile(
      at('.env'),
      `${await readFile(
        at('.env'),
        'utf8',
      )}PGRST_JWT_SECRET=canary0\nPGRST_DB_POOL=6\nKEY="-----BEGIN KEY-----\ncanary1Abc=\n-----END KEY-----"\n`,
    )
    const { text } = await helped(
      {},
      [
        `time="2026-11-28T12:00:00Z" level=warning msg="The \\"canary2\\" variable is not set. Defaulting to a blank string."`,
        `failed to read /srv/finance/.env: line 7: unexpected character "!" in variable name "canary3!"`,
        `failed to read /srv/finance/.env: Invalid template: "pa\${canary4"`,
      ].join('\n'),
    )
    expect(text).toContain('PGRST_JWT_SECRET=(hidden)')
    expect(text).toContain('PGRST_DB_POOL=6')
    expect(text).toContain(
      'failed to read /srv/finance/.env: line 7: unexpected character "!" in variable name …',
    )
    expect(text).not.toContain('canary')
  })

  test.each<[string, string, () => Promise<void>]>([
    ['a secret outside of secrets/', 'of-another-file', async () => {
      await writeFile(join(directory, 'key'), 'of-another-file\n')
      await writeFile(
        at('.env'),
        `${await readFile(at('.env'), 'utf8')}RESEND_API_KEY_FILE=${join(directory, 'key')}\n`,
      )
    }],
    [
      'the password of a URL',
      'the pass/word',
      () => writeFile(at('secrets/SMTP_URL'), 'smtp://ann:the%20pass%2Fword@mail.example.org\n'),
    ],
    [
      'the second line of a secret',
      'second-line',
      () => writeFile(at('secrets/OIDC_CLIENT_SECRET'), 'first-line\nsecond-line\n'),
    ],
    [
      'a secret in .env',
      'of-dot-env',
      async () =>
        writeFile(at('.env'), `${await readFile(at('.env'), 'utf8')}STRIPE_API_KEY='of-dot-env'\n`),
    ],
  ])('the file for helpers is not written if a log has %s', async (_, secret, keep) => {
    await keep()
    expect(await helped({ caddy: 'nothing secret\n' })).toMatchObject({ code: 0 })
    const { code, complaint } = await helped({ caddy: `a line with ${secret}\n` })
    expect([code, complaint]).toEqual([
      1,
      'No file was written, because a secret is in caddy.log.\n',
    ])
  })
})

test('an upgrade whose new auth service does not start shows the last lines of its log', async () => {
  await writeFile(join(deployment(), '.env'), 'VERSION=old\nCOMPOSE_FILE=compose.yaml\n')
  const started = join(directory, 'started')
  await dockerScript({
    '*"config --services"': 'echo auth',
    '*"ps -aq auth"': `echo old; [ ! -e "${started}" ] || echo new`,
    '*"ps -a --format"*':
      'echo "old|auth|running|healthy|0"; echo "new|auth|exited||1"; echo "next|edge|created||0"',
    '*"--scale auth="*': `touch "${started}"; exit 1`,
    '"logs --tail 5 new"': 'echo "SMTP_URL must be a URL." >&2',
    '"logs "*': 'echo "a line of another container"',
  })
  const { code, complaint } = await command('replace', [], {
    VERSION: 'next',
    COMPOSE_FILE: 'compose.yaml',
  })
  expect(code).toBe(1)
  expect(complaint).toMatch(
    /^The last lines of auth, which is exited:\nSMTP_URL must be a URL\.\nThe logs of all services are kept in \S+upgrade\.log\.\nnext does not serve\. Going back to old\.$/m,
  )
  expect(complaint).not.toContain('another container')
  expect(await readFile(join(deployment(), '.env'), 'utf8')).toBe(
    'VERSION=old\nCOMPOSE_FILE=compose.yaml\n',
  )
})

describe('rollback to a version that reads its secrets from .env', () => {
  const secrets = { POSTGRES_PASSWORD: 'same', AUTHENTICATOR_PASSWORD: 'p@ss 100%' }
  beforeEach(async () => {
    await docker('finance', [], [])
    const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'\n`).join('')
    await writeFile(
      join(deployment(), '.env'),
      `${lines}PREVIOUS_VERSION=old\nPREVIOUS_COMPOSE_FILE=.deployed.old.yaml\n`,
    )
    await writeFile(join(deployment(), '.deployed.old.yaml'), 'name: finance\n')
    await mkdir(join(deployment(), 'secrets'))
    await writeFile(join(deployment(), 'secrets/POSTGRES_PASSWORD'), 'same\n')
    await writeFile(join(deployment(), 'infra/docker/replace'), '#!/bin/sh\n')
  })
  const changed = (password: string) =>
    writeFile(
      join(deployment(), 'secrets/AUTHENTICATOR_PASSWORD'),
      `postgresql://authenticator:${password}@\n`,
    )

  test('rollback to a version that reads its secrets from .env is refused if a secret has changed since', async () => {
    await changed('another')
    const { code, complaint } = await command('rollback', [])
    expect([code, complaint]).toEqual([
      1,
      'old reads its secrets from .env, where these have other values than in secrets/: AUTHENTICATOR_PASSWORD. Nothing was changed. Write the values of secrets/ into .env: docs/operations.md, Upgrade and rollback.\n',
    ])
  })

  test('rollback to a version that reads its secrets from .env continues if they are equal, or if that version reads secrets/', async () => {
    await changed('p%40ss%20100%25')
    expect(await command('rollback', [])).toMatchObject({ code: 0, output: 'old serves.\n' })
    await changed('another')
    await cp(join(deployment(), 'compose.yaml'), join(deployment(), '.deployed.old.yaml'))
    expect(await command('rollback', [])).toMatchObject({ code: 0, output: 'old serves.\n' })
  })
})

test('up without the right to use Docker builds nothing, and says how to get it', async () => {
  await dockerScript({
    '"compose version "*': 'echo 2.26.1',
    '"compose "*images*': 'echo image',
    '"image "*|*build*': 'echo asked >&2; exit 1',
    '"version"*': 'echo "permission denied" >&2; exit 1',
  })
  await command('setup', ['https://money.example.org'])
  const { code, complaint } = await command('up', [])
  expect([code, complaint]).toEqual([
    1,
    expect.stringMatching(
      /^Docker does not answer \(permission denied\): .* \(sudo usermod -aG docker .*\) and sign in again\.\nNothing was changed/,
    ),
  ])
})

test.each(['setup', 'upgrade', 'rollback', 'support', 'check', 'backup', 'restore'])(
  '%s --help changes nothing',
  async (name) => {
    await docker('finance', [], [])
    expect(await command(name, ['--help'])).toMatchObject({
      code: 1,
      output: '',
      complaint: expect.stringContaining(`infra/docker/${name}`),
    })
    expect(await written()).toEqual([])
  },
)

test.each([['rollback', []], ['restore', ['--drill', 'some.dump']]])(
  '%s refuses a folder that is not the one of the running deployment',
  async (name, args) => {
    await docker('finance', [], [])
    await command('setup', ['https://money.example.org'])
    await docker('finance', [otherDeployment()], ['finance_database'])
    const { code, complaint } = await command(name, args)
    expect([code, complaint]).toEqual([
      1,
      expect.stringContaining(
        `its containers belong to ${otherDeployment()}. Nothing was changed.`,
      ),
    ])
  },
)

test('restore names a missing file of a backup', async () => {
  await docker('finance', [], [])
  const dump = join(directory, 'finance-20260131T120000Z.dump')
  await writeFile(dump, '')
  await writeFile(dump.replace('.dump', '.sums'), '')
  const { code, complaint } = await command('restore', ['--drill', dump])
  expect([code, complaint]).toEqual([
    1,
    `${
      dump.replace('.dump', '.sha256')
    } is missing or cannot be read. A backup is three files: the .dump, its .sums and its .sha256.\n`,
  ])
})
