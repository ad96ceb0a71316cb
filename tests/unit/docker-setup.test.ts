/**
 * infra/docker/setup refuses a second deployment with the name of an existing one, and
 * infra/docker/restore names the missing file of a backup. Docker is a fake script here;
 * tests/containers/upgrade-under-load.containers.ts uses the real one.
 */
import { execFile, execFileSync } from 'node:child_process'
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
let directory: string
const deployment = () => join(directory, 'deployment')
/** The folder of another deployment with the same name. */
const otherDeployment = () => join(directory, 'other folder')

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'finance-setup-'))
  for (const path of ['compose.yaml', 'postgrest.conf', 'infra/docker', 'common'])
    await cp(join(root, path), join(deployment(), path), { recursive: true })
  await mkdir(otherDeployment())
  await mkdir(join(directory, 'bin'))
})
afterEach(() => rm(directory, { recursive: true }))

type Ended = { code: number, output: string, complaint: string }
const command = (
  name: string,
  args: string[],
  env: Record<string, string> = {},
  uid?: number,
): Promise<Ended> =>
  new Promise((resolve) => {
    const options = {
      env: { PATH: `${join(directory, 'bin')}:${process.env['PATH']}`, ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    }
    execFile(join(deployment(), 'infra/docker', name), args, options, (error, output, complaint) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, complaint }))
  })

/** A fake Docker with one project: the folders of its containers, and its volumes. */
async function docker(project: string, folders: string[], volumes: string[]): Promise<void> {
  const lines = (words: string[]) => words.map((word) => `echo '${word}'`).join('\n') || ':'
  await writeFile(
    join(directory, 'bin/docker'),
    `#!/bin/sh\ncase "$*" in\n*"project=${project}"*) case "$1" in ps) ${
      lines(folders)
    } ;; volume) ${lines(volumes)} ;; esac ;;\n"compose version "*) echo 2.26.1 ;;\nesac\n`,
  )
  await chmod(join(directory, 'bin/docker'), 0o755)
}
const written = async () =>
  (await readdir(deployment())).filter((name) => name.startsWith('.') || name === 'backups')

test('setup in a second folder while the first deployment runs names its folder and three solutions, and writes nothing', async () => {
  await docker('finance', [otherDeployment(), otherDeployment()], ['finance_database'])
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect(code).toBe(1)
  expect(complaint).toContain(
    `another deployment named finance on this machine: its containers belong to ${otherDeployment()}, and this folder does not have its secrets`,
  )
  for (
    const way of [
      'copy its .env',
      'COMPOSE_PROJECT_NAME=finance2 infra/docker/setup',
      "docker compose -p finance --profile '*' down --volumes",
    ]
  )
    expect(complaint).toContain(way)
  expect(await written()).toEqual([])
})

test('setup in a second folder while the first is stopped and removed still finds its database', async () => {
  await docker('finance', [], ['finance_database'])
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect([code, complaint]).toEqual([
    1,
    expect.stringContaining(
      'its database is the volume finance_database, and this folder does not have its secrets',
    ),
  ])
  expect(await written()).toEqual([])
})

test('setup in a second folder creates a second deployment with another name, and remembers the name', async () => {
  await docker('finance', [otherDeployment()], ['finance_database'])
  const { code, complaint } = await command('setup', ['https://money.example.org'], {
    COMPOSE_PROJECT_NAME: 'staging',
  })
  expect([code, complaint]).toEqual([0, ''])
  expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(
    /^COMPOSE_PROJECT_NAME=staging$/m,
  )
  expect((await command('setup', [])).output).toContain('stays as it is')
})

test('setup in a second folder lets containers read the secrets, and keeps the mode of a file behind a link', async () => {
  await docker('finance', [], [])
  const elsewhere = join(directory, 'elsewhere')
  await writeFile(elsewhere, 'a secret of another program', { mode: 0o600 })
  await mkdir(join(deployment(), 'secrets'))
  await symlink(elsewhere, join(deployment(), 'secrets/SMTP_URL'))
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  const modes = await Promise.all(
    [elsewhere, join(deployment(), 'secrets/BETTER_AUTH_SECRET')].map(async (file) =>
      (await stat(file)).mode & 0o777
    ),
  )
  expect(modes).toEqual([0o600, 0o644])
})

test('setup in a second folder in its own folder, without its secrets, says so and offers no deletion', async () => {
  await docker('finance', [deployment()], ['finance_database'])
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect([code, complaint]).toEqual([
    1,
    expect.stringContaining('The secrets of this deployment are lost'),
  ])
  expect(complaint).not.toContain('down --volumes')
  expect(await written()).toEqual([])
})

test('setup in a second folder is necessary before an upgrade, and a backup refuses unknown arguments', async () => {
  expect(await command('upgrade', [])).toMatchObject({
    code: 1,
    complaint: expect.stringContaining('infra/docker/setup <address>'),
  })
  for (const args of [['--help'], ['backups', '--keep', '1']])
    expect(await command('backup', args)).toMatchObject({
      code: 1,
      complaint: expect.stringContaining('Usage: infra/docker/backup'),
    })
  expect(await command('restore', [''])).toMatchObject({
    code: 1,
    complaint: expect.stringContaining('Name a backup'),
  })
  expect(await written()).toEqual([])
})

test('setup in a second folder with the .env of the first refuses while the first runs from its own folder', async () => {
  await docker('finance', [], [])
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  await docker('finance', [otherDeployment()], ['finance_database'])
  const { code, complaint } = await command('setup', [])
  expect([code, complaint]).toEqual([
    1,
    expect.stringContaining(`its containers belong to ${otherDeployment()}. Nothing was changed.`),
  ])
  // The folder was moved here.
  await rm(otherDeployment(), { recursive: true })
  expect((await command('setup', [])).code).toBe(0)
})

test('setup in the folder of the running deployment continues, also through another path', async () => {
  await docker('finance', [], [])
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  await symlink(deployment(), join(directory, 'link'))
  await docker('finance', [deployment(), join(directory, 'link')], ['finance_database'])
  expect((await command('setup', [])).code).toBe(0)
})

test('setup in place of a lost .env keeps the volume of a database that was restored to a moment', async () => {
  const volume = 'finance_database_20260131120000'
  await mkdir(join(deployment(), 'secrets'))
  await writeFile(join(deployment(), 'secrets/BETTER_AUTH_SECRET'), 'saved\n')
  await dockerScript({
    '*service=db*': `echo ${volume}`,
    '"ps "*': `echo '${deployment()}'`,
    '"compose version "*': 'echo 2.26.1',
  })
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(
    new RegExp(`^DATABASE_VOLUME=${volume}$`, 'm'),
  )
  await dockerScript({ '"compose version "*': 'echo 2.26.1' })
  await rm(join(deployment(), '.env'))
  await command('setup', ['https://money.example.org'])
  expect(await readFile(join(deployment(), '.env'), 'utf8'), 'no container').not.toContain(
    'DATABASE_VOLUME',
  )
})

test('setup says what is not backed up, monitored or reported, as long as that is so', async () => {
  await docker('finance', [], [])
  const gaps = async () =>
    (await command('setup', ['https://money.example.org'])).output.split('\n').filter((line) =>
      /^(Nothing|Backups|Alerts|Nobody)/.test(line)
    ).map((line) => line.split(':')[0])
  expect(await gaps()).toEqual([
    'Nothing is backed up',
    'Nothing is monitored',
    'Nobody hears if backups stop',
  ])
  const set = (line: string) => appendFile(join(deployment(), '.env'), `${line}\n`)
  await set('COMPOSE_PROFILES=backup,monitoring')
  expect(await gaps()).toEqual([
    'Backups stay on this machine',
    'Alerts reach nobody',
    'Nobody hears if backups stop',
  ])
  await writeFile(
    join(deployment(), 'offsite.env'),
    'RESTIC_REPOSITORY=rest:https://backups.example.org/\n',
  )
  await set('BACKUP_PING_URL_FILE=secrets/BACKUP_PING_URL')
  expect(await gaps()).toEqual(['Alerts reach nobody'])
  await set('ALERT_WEBHOOK_URL_FILE=secrets/ALERT_WEBHOOK_URL')
  expect(await gaps()).toEqual([])
})

test('setup counts a backup of your own schedule, if it is young', async () => {
  await docker('finance', [], [])
  const isBackedUp = async () =>
    !(await command('setup', ['https://money.example.org'])).output.includes('Nothing is backed up')
  expect(await isBackedUp()).toBe(false)
  const dump = join(deployment(), 'backups/finance-20260101T000000Z.dump')
  await writeFile(dump, '')
  expect(await isBackedUp()).toBe(true)
  await utimes(dump, new Date('2026-01-01'), new Date('2026-01-01'))
  expect(await isBackedUp()).toBe(false)
})

test('setup copies the optional secrets of an older .env into files, and names the files', async () => {
  await docker('finance', [], [])
  const secrets = {
    RESEND_API_KEY: 're_1',
    OTEL_EXPORTER_OTLP_HEADERS: 'x=1',
    ALERT_WEBHOOK_URL: 'https://alerts.example.org/hook?token=1',
  }
  await writeFile(
    join(deployment(), '.env'),
    Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`).join(''),
  )
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  for (const [name, value] of Object.entries(secrets)) {
    expect(await readFile(join(deployment(), 'secrets', name), 'utf8')).toBe(`${value}\n`)
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toContain(
      `\n${name}_FILE=secrets/${name}\n`,
    )
  }
})

describe('setup with the secrets of an older .env', () => {
  const older = (lines: string) =>
    writeFile(join(deployment(), '.env'), `PUBLIC_URL=https://money.example.org\n${lines}`)
  const secret = (name: string) => readFile(join(deployment(), 'secrets', name), 'utf8')
  beforeEach(() => docker('finance', [], []))

  test('setup with the secrets of an older .env reads values like compose, with and without quotes', async () => {
    await older(
      `POSTGRES_PASSWORD='a $b #c "d"'\nAUTH_SERVICE_PASSWORD="it's"\nAUTHENTICATOR_PASSWORD=p@ss%\nSMTP_URL=smtp://u:a#b\\c"d@host:587\nOTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer x\n`,
    )
    expect((await command('setup', [])).code).toBe(0)
    expect(await secret('POSTGRES_PASSWORD')).toBe('a $b #c "d"\n')
    expect(await secret('AUTH_SERVICE_PASSWORD')).toBe("it's\n")
    expect(await secret('AUTHENTICATOR_PASSWORD')).toBe(
      'postgresql://authenticator:%70%40%73%73%25@\n',
    )
    expect(await secret('SMTP_URL')).toBe('smtp://u:a#b\\c"d@host:587\n')
    expect(await secret('OTEL_EXPORTER_OTLP_HEADERS')).toBe('authorization=Bearer x\n')
    expect((await command('setup', [])).complaint).not.toContain('differ')
  })

  test.each([
    ['a comment after the value', 'SMTP_URL=value # mine'],
    ['a comment after quotes', "SMTP_URL='value' # mine"],
    ['text after quotes', "SMTP_URL='value'tail"],
    ['an escape in quotes', 'SMTP_URL="val\\"ue"'],
    ['a variable', 'SMTP_URL=smtp://$HOST'],
    ['a variable in quotes', 'SMTP_URL="smtp://$HOST"'],
    ['an open quote', 'SMTP_URL="value'],
    ['a trailing space', 'SMTP_URL=value '],
    ['export before it', 'export SMTP_URL=value'],
    ['leading spaces', '  SMTP_URL=value'],
    ['a space before the equals sign', 'SMTP_URL =value'],
    ['a colon', 'SMTP_URL: value'],
  ])(
    'setup with the secrets of an older .env refuses a line with %s, and names the line and the variable',
    async (_, line) => {
      await older(`# mail\n${line}\n`)
      const { code, complaint } = await command('setup', [])
      expect([code, complaint]).toEqual([
        1,
        expect.stringMatching(
          /^Line 3 of \.env is not plain\. Write it as SMTP_URL='value',[^]*Nothing was changed\.\n$/,
        ),
      ])
      expect(await readdir(deployment())).not.toContain('secrets')
    },
  )

  test.each(['# mail\r\nSMTP_URL=value\r\n', '\uFEFFSMTP_URL=value\n'])(
    'refuses the text of a Windows editor with the command that corrects it: %j',
    async (text) => {
      await writeFile(join(deployment(), '.env'), text)
      const { code, complaint } = await command('setup', [])
      expect([code, complaint]).toEqual([
        1,
        expect.stringMatching(
          /^A Windows editor has written \.env, .*: sed -i '.*' \.env\nNothing was changed\.\n$/,
        ),
      ])
      expect(await command('check', [])).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^A Windows editor has written .*\n$/),
      })
      execFileSync('bash', ['-c', /sed -i .*/.exec(complaint)?.[0] ?? ''], { cwd: deployment() })
      expect(await readFile(join(deployment(), '.env'), 'utf8')).toBe(
        text.replaceAll('\r', '').replace('\uFEFF', ''),
      )
      expect((await command('setup', [])).code).toBe(0)
    },
  )

  test('setup with the secrets of an older .env refuses a secret that occurs twice', async () => {
    await older('SMTP_URL=one\nSMTP_URL=two\n')
    const { code, complaint } = await command('setup', [])
    expect([code, complaint]).toEqual([
      1,
      'SMTP_URL is in .env more than once, on the lines 2 3. Keep one.\nNothing was changed.\n',
    ])
  })

  test('setup with the secrets of an older .env reports at each run the lines that are ignored and those that differ, and removes the comments above them', async () => {
    const comments =
      `# Keep a copy elsewhere: without it no backup's signing keys can be opened.\n# May be changed; \`docker compose up -d --wait\` then sets them. Put other characters than these in single quotes.\n`
    await older(`${comments}BETTER_AUTH_SECRET=one\nAUTHENTICATOR_PASSWORD=two\n`)
    expect((await command('setup', [])).complaint).toContain(
      'Copied from .env into secrets/: AUTHENTICATOR_PASSWORD BETTER_AUTH_SECRET.\n',
    )
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(
      /^PUBLIC_URL=.*\nBETTER_AUTH_SECRET=one\nAUTHENTICATOR_PASSWORD=two\n/,
    )
    await writeFile(join(deployment(), 'secrets/BETTER_AUTH_SECRET'), 'another\n')
    const { output, complaint } = await command('setup', [])
    expect(output).toContain('.env is complete')
    expect(complaint).toBe(
      'This version does not read these lines of .env, but the files of secrets/: AUTHENTICATOR_PASSWORD BETTER_AUTH_SECRET. The values of BETTER_AUTH_SECRET differ. Delete the lines when you no longer want to go back to a version that reads them.\n',
    )
  })
})

test('setup creates a missing secret, and says how to apply it', async () => {
  await docker('finance', [], [])
  await command('setup', ['https://money.example.org'])
  await rm(join(deployment(), 'secrets/AUTH_SERVICE_PASSWORD'))
  expect((await command('setup', [])).complaint).toBe(
    'Not found in secrets/, so new ones were made: AUTH_SERVICE_PASSWORD. If you have a copy of the old ones, put it back. Otherwise apply the new ones: docker compose run --rm migrate && docker compose restart auth postgrest\n',
  )
  await rm(join(deployment(), 'secrets/BETTER_AUTH_SECRET'))
  expect((await command('setup', [])).complaint).toContain(
    'A database with keys of the old BETTER_AUTH_SECRET refuses the new one',
  )
})

describe('the address of setup', () => {
  beforeEach(() => docker('finance', [], []))

  test.each([
    [
      'https://localhost:70000',
      'its port 70000 is not from 1 to 65535. Write https://localhost:8443',
    ],
    ['https://localhost:x', 'its port x is not a number'],
    ['https://..', '.. is no name of a host'],
    ['https://a..example.org', 'a..example.org is no name of a host'],
    ['https://example.org.', 'example.org. ends with a dot. Write https://example.org'],
    [
      'http://localhost',
      'browsers keep the session cookie only with https. Write https://localhost',
    ],
    ['ftp://example.org', 'it begins with ftp instead of https. Write https://example.org'],
    [
      'https://example.org/app',
      'it has the path /app, and the product needs the whole host. Write https://example.org',
    ],
    ['https://ann@example.org', 'it has a user before the @. Write https://example.org'],
    ['https://256.1.1.1', '256.1.1.1 is no IPv4 address'],
    ['https://10.0.0.01', '10.0.0.01 is no IPv4 address'],
    ['fe80::1', 'an IPv6 address is not supported'],
    ['https://[::1]', 'an IPv6 address is not supported'],
    ['https://münchen.example', 'begins with xn--'],
  ])(
    '%s is refused with its reason and the corrected form, and nothing is written',
    async (address, reason) => {
      const { code, complaint } = await command('setup', [address])
      expect([code, complaint]).toEqual([
        1,
        expect.stringMatching(/^The address cannot be used: .*\.\n$/),
      ])
      expect(complaint).toContain(reason)
      expect(await written()).toEqual([])
    },
  )

  test.each([
    ['https://Money.Example.org/', 'https://money.example.org', '443'],
    ['money.example.org', 'https://money.example.org', '443'],
    ['https://money.example.org:443', 'https://money.example.org', '443'],
    ['https:/money.example.org', 'https://money.example.org', '443'],
    ['https://https://money.example.org:8443', 'https://money.example.org:8443', '8443'],
    [' HTTPS://192.0.2.2:8443/ ', 'https://192.0.2.2:8443', '8443'],
  ])('%s, as pasted from a browser, is understood', async (address, url, port) => {
    const { code, output } = await command('setup', [address])
    expect([code, output]).toEqual([0, expect.stringContaining(`The address is ${url}.\n`)])
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toContain(
      `\nPUBLIC_URL=${url}\nSITE_HOST=${new URL(url).hostname}\nHTTPS_PORT=${port}\n`,
    )
  })

  test('the address of setup that is a private name gets a certificate of Caddy itself', async () => {
    await command('setup', ['https://nas.local'])
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(/^TLS=internal$/m)
    await command('setup', ['https://money.example.org'])
    await writeFile(
      join(deployment(), '.env'),
      (await readFile(join(deployment(), '.env'), 'utf8')).replace('TLS=internal\n', '').replaceAll(
        'money.example.org',
        'nas.lan',
      ),
    )
    expect((await command('setup', [])).output).toContain('Wrote .env')
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toMatch(/^TLS=internal$/m)
  })
})

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

/** A fake Docker that answers commands matching a shell pattern. */
async function dockerScript(answers: Record<string, string>): Promise<void> {
  const cases = Object.entries(answers).map(([pattern, answer]) => `${pattern}) ${answer} ;;`).join(
    '\n',
  )
  await writeFile(join(directory, 'bin/docker'), `#!/bin/sh\ncase "$*" in\n${cases}\nesac\n`)
  await chmod(join(directory, 'bin/docker'), 0o755)
}

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

/** Runs only as root, because other users cannot change the owner of a file. */
describe.runIf(process.getuid?.() === 0)('a .env of another user', () => {
  const user = 65_534
  beforeEach(async () => {
    await docker('finance', [], [])
    expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  })

  test('is not treated as missing, and the error says how to get it back', async () => {
    await chmod(directory, 0o755)
    await chown(deployment(), user, user)
    const before = await readFile(join(deployment(), '.env'), 'utf8')
    for (const name of ['setup', 'rollback']) {
      const { code, complaint } = await command(name, [], {}, user)
      expect([code, complaint]).toEqual([
        1,
        expect.stringMatching(
          /^\.env belongs to root, and .* cannot read and change it, so nothing was changed\./,
        ),
      ])
    }
    expect(await readFile(join(deployment(), '.env'), 'utf8')).toBe(before)
  })

  test('keeps its owner when root runs a command that writes it, and so do new secrets', async () => {
    for (const path of ['.env', 'secrets']) await chown(join(deployment(), path), user, user)
    await rm(join(deployment(), 'secrets/POSTGRES_PASSWORD'))
    expect((await command('setup', ['https://new.example.org'])).code).toBe(0)
    for (const path of ['.env', 'secrets/POSTGRES_PASSWORD'])
      expect((await stat(join(deployment(), path))).uid).toBe(user)
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

test('setup without Docker warns that it could not check, and continues', async () => {
  await writeFile(join(directory, 'bin/docker'), '#!/bin/sh\nexit 1\n')
  await chmod(join(directory, 'bin/docker'), 0o755)
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect([code, complaint]).toEqual([0, expect.stringContaining('Docker does not answer')])
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
